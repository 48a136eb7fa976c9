import type { Clock } from '../core/clock.ts'
import { secretBox } from '../core/secret-box.ts'
import { checkTarget, type WebhookSettings } from './address.ts'
import { type Outcome, webhookClient } from './client.ts'
import { signatureHeaders } from './signature.ts'

/** One attempt to be made. Secrets as they are stored: sealed. */
export interface Delivery {
  userId: string
  webhookId: string
  eventId: string
  url: string
  secret: string
  previousSecret: string | null
  /** Sent byte for byte. */
  body: string
}

/** All that is done with a webhook's URL and its secret. */
export interface Sender {
  /** The URL as it is kept, or a sentence that says what to send instead. */
  checkTarget(url: string): Promise<URL | string>
  seal(secret: string, userId: string, webhookId: string): string
  /** Signs and posts, once. A failure is an outcome; rejects when the signal aborts, or where the secret cannot be opened. */
  send(delivery: Delivery, timeoutMs: number, signal?: AbortSignal): Promise<Outcome>
  close(): Promise<void>
}

export function openSender({ secretKey, settings, clock }: { secretKey: string; settings: WebhookSettings; clock: Clock }): Sender {
  const box = secretBox(secretKey, 'webhook secrets')
  const client = webhookClient(settings)
  return {
    checkTarget: url => checkTarget(url, settings),
    seal: (secret, userId, webhookId) => box.seal(secret, [userId, webhookId]),
    async send({ userId, webhookId, eventId, url, secret, previousSecret, body }, timeoutMs, signal) {
      const open = (sealed: string) => box.open(sealed, [userId, webhookId])
      const headers = signatureHeaders({
        id: eventId,
        timestamp: Math.floor(clock.now().getTime() / 1_000),
        body,
        secret: open(secret),
        previousSecret: previousSecret === null ? null : open(previousSecret)
      })
      return await client.post({ url, headers, body, timeoutMs, ...(signal && { signal }) })
    },
    close: () => client.close()
  }
}

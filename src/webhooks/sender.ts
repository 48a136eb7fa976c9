import type { Clock } from '../core/clock.ts'
import { secretBox } from '../core/secret-box.ts'
import { checkTarget, type WebhookSettings } from './address.ts'
import { type Outcome, webhookClient } from './client.ts'
import { type SigningKey, signatureHeaders, signingKey } from './signature.ts'

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
  /** Whether the secret was sealed with this server's key. */
  opens(sealed: string, userId: string, webhookId: string): boolean
  /** Signs and posts, once. A failure is an outcome; rejects when the signal aborts, or where the secret cannot be opened. */
  send(delivery: Delivery, timeoutMs: number, signal?: AbortSignal): Promise<Outcome>
  close(): Promise<void>
}

const KEYS_KEPT = 1_000

export function openSender({ secretKey, settings, clock }: { secretKey: string; settings: WebhookSettings; clock: Clock }): Sender {
  const box = secretBox(secretKey, 'webhook secrets')
  const client = webhookClient(settings)
  const keys = new Map<string, SigningKey>()

  /** Opening a secret costs more than signing with it, and a webhook has many deliveries. */
  function keyOf(sealed: string, context: string[]) {
    const name = [...context, sealed].join(' ')
    const key = keys.get(name) ?? signingKey(box.open(sealed, context))
    // What was asked for last stands last; the first goes.
    keys.delete(name)
    keys.set(name, key)
    const [oldest] = keys.keys()
    if (oldest !== undefined && keys.size > KEYS_KEPT) keys.delete(oldest)
    return key
  }

  return {
    checkTarget: url => checkTarget(url, settings),
    seal: (secret, userId, webhookId) => box.seal(secret, [userId, webhookId]),
    opens(sealed, userId, webhookId) {
      try {
        keyOf(sealed, [userId, webhookId])
        return true
      } catch {
        return false
      }
    },
    async send({ userId, webhookId, eventId, url, secret, previousSecret, body }, timeoutMs, signal) {
      const context = [userId, webhookId]
      const headers = signatureHeaders({
        id: eventId,
        timestamp: Math.floor(clock.now().getTime() / 1_000),
        body,
        key: keyOf(secret, context),
        previousKey: previousSecret === null ? null : keyOf(previousSecret, context)
      })
      return await client.post({ url, headers, body, timeoutMs, ...(signal && { signal }) })
    },
    close: () => client.close()
  }
}

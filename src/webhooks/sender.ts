import type { Clock } from '../core/clock.ts'
import { secretBox } from '../core/secret-box.ts'
import { checkTarget, type WebhookSettings } from './address.ts'
import { type Outcome, webhookClient } from './client.ts'
import { SECRETS, type SigningKey, signatureHeaders, signingKey } from './signature.ts'

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
  /** Signs and posts, once. A failure is an outcome, a secret that SECRET_KEY does not decrypt included; rejects when the signal aborts. */
  send(delivery: Delivery, timeoutMs: number, signal?: AbortSignal): Promise<Outcome>
  close(): Promise<void>
}

const KEYS_KEPT = 1_000

const UNREADABLE: Outcome = { status: null, error: 'unreadable_secret', durationMs: 0, retryAfter: null, answer: '' }

export function openSender({ secretKey, settings, clock }: { secretKey: string; settings: WebhookSettings; clock: Clock }): Sender {
  const box = secretBox(secretKey, SECRETS)
  const client = webhookClient(settings)
  const keys = new Map<string, SigningKey>()

  /** Undefined where the secret cannot be decrypted. Decrypting costs more than signing, and a webhook has many deliveries. */
  function keyOf(sealed: string, context: string[]) {
    const name = [...context, sealed].join(' ')
    const secret = keys.has(name) ? undefined : box.read(sealed, context)
    const key = keys.get(name) ?? (secret === undefined ? undefined : signingKey(secret))
    if (!key) return undefined
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
    async send({ userId, webhookId, eventId, url, secret, previousSecret, body }, timeoutMs, signal) {
      const context = [userId, webhookId]
      const key = keyOf(secret, context)
      if (!key) return UNREADABLE
      const headers = signatureHeaders({
        id: eventId,
        timestamp: Math.floor(clock.now().getTime() / 1_000),
        body,
        key,
        previousKey: (previousSecret !== null && keyOf(previousSecret, context)) || null
      })
      return await client.post({ url, headers, body, timeoutMs, ...(signal && { signal }) })
    },
    close: () => client.close()
  }
}

import { z } from 'zod'
import type { Clock } from '../../platform/core/clock.ts'
import { secretBox } from '../../platform/core/secret-box.ts'
import type { Sender } from '../../platform/ports/sender.ts'
import { checkTarget, type WebhookSettings } from './address.ts'
import { openWebhookClient } from './client.ts'
import { notSent } from './outcome.ts'
import { headersContext, SECRETS, type SigningKey, signatureHeaders, signingKey } from './signature.ts'

const MAX_CACHED_KEYS = 1_000

const ownHeaders = z.record(z.string(), z.string())

export function openSender({
  secretKey,
  settings,
  clock
}: {
  secretKey: string
  settings: WebhookSettings
  clock: Clock
}): Sender {
  const box = secretBox(secretKey, SECRETS)
  const client = openWebhookClient(settings)
  const keys = new Map<string, SigningKey>()

  /** Undefined if the secret cannot be decrypted. Keys are cached, because decrypting costs more than signing. */
  function findKey(encrypted: string, context: string[]) {
    const name = [...context, encrypted].join(' ')
    const secret = keys.has(name) ? undefined : box.decrypt(encrypted, context)
    const key = keys.get(name) ?? (secret === undefined ? undefined : signingKey(secret))
    if (!key) return undefined
    // The least recently used key is the first.
    keys.delete(name)
    keys.set(name, key)
    const [oldest] = keys.keys()
    if (oldest !== undefined && keys.size > MAX_CACHED_KEYS) keys.delete(oldest)
    return key
  }

  return {
    checkTarget: url => checkTarget(url, settings),
    encrypt: (secret, userId, webhookId) => box.encrypt(secret, [userId, webhookId]),
    encryptHeaders: (headers, userId, webhookId) =>
      box.encrypt(JSON.stringify(headers), headersContext([userId, webhookId])),
    async send({ userId, webhookId, eventId, url, secret, previousSecret, body, ...event }, timeoutMs, signal) {
      const context = [userId, webhookId]
      const key = findKey(secret, context)
      if (!key) return notSent('unreadable_secret')
      const own = event.headers === null ? '{}' : box.decrypt(event.headers, headersContext(context))
      if (own === undefined) return notSent('unreadable_headers')
      const signature = signatureHeaders({
        id: eventId,
        timestamp: Math.floor(clock.now().getTime() / 1_000),
        body,
        key,
        previousKey: (previousSecret !== null && findKey(previousSecret, context)) || null
      })
      const headers = { ...ownHeaders.parse(JSON.parse(own)), ...signature }
      return await client.post({ url, headers, body, timeoutMs, ...(signal && { signal }) })
    },
    close: () => client.close()
  }
}

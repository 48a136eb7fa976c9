import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto'

/** The purpose of the key that encrypts secrets at rest. */
export const SECRETS = 'webhook secrets'

/** The context in which the owner's headers of a webhook are encrypted, so that they never pass for its secret. */
export const headersContext = (webhook: string[]) => [...webhook, 'headers']

const PREFIX = 'whsec_'

/** Makes a signing secret in the format of Standard Webhooks. */
export function newSecret() {
  return PREFIX + randomBytes(32).toString('base64')
}

/** A secret as the keys of both signature formats. */
export interface SigningKey {
  text: KeyObject
  bytes: KeyObject
}

export function signingKey(secret: string): SigningKey {
  return { text: createSecretKey(secret, 'utf8'), bytes: createSecretKey(secret.slice(PREFIX.length), 'base64') }
}

interface Signed {
  /** The id of the event, the same in every attempt. */
  id: string
  /** The time of this attempt, in Unix seconds. */
  timestamp: number
  body: string | Buffer
  key: SigningKey
  /** The key before the last rotation, which signs as well for 24 hours. */
  previousKey?: SigningKey | null | undefined
}

/**
 * Two signature formats. `X-Svc-Webhook-Signature` is one hex HMAC keyed with the text of the secret. `webhook-signature` follows
 * Standard Webhooks: it is keyed with the bytes that the text encodes, and has one signature for each valid secret.
 */
export function signatureHeaders({ id, timestamp, body, key, previousKey }: Signed) {
  const sign = (secret: KeyObject) => createHmac('sha256', secret).update(`${id}.${timestamp}.`).update(body).digest()
  const keys = [key, ...(previousKey ? [previousKey] : [])]
  return {
    'X-Svc-Webhook-Id': id,
    'X-Svc-Webhook-Timestamp': String(timestamp),
    'X-Svc-Webhook-Signature': sign(key.text).toString('hex'),
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': keys.map(one => `v1,${sign(one.bytes).toString('base64')}`).join(' ')
  }
}

import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto'

/** The purpose of the key that encrypts secrets at rest. */
export const SECRETS = 'webhook secrets'

const PREFIX = 'whsec_'

/** A new signing secret, in the form that webhook libraries read. */
export function newSecret() {
  return PREFIX + randomBytes(32).toString('base64')
}

/** A secret, ready to sign with in both forms. */
export interface SigningKey {
  text: KeyObject
  bytes: KeyObject
}

export function signingKey(secret: string): SigningKey {
  return { text: createSecretKey(secret, 'utf8'), bytes: createSecretKey(secret.slice(PREFIX.length), 'base64') }
}

export interface Signed {
  /** The event's id, the same in every delivery of it. */
  id: string
  /** When this attempt is made, in Unix seconds. */
  timestamp: number
  body: string | Buffer
  key: SigningKey
  /** Of the secret before the last rotation, while receivers may still hold it. */
  previousKey?: SigningKey | null | undefined
}

/**
 * Two forms of one signature. The X-Svc headers carry a single bare value keyed with the text of the secret, for whoever
 * computes and compares. The others follow the Standard Webhooks specification, keyed with the bytes that the text
 * encodes, and carry one signature for each secret that is valid.
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

import { createHmac, randomBytes } from 'node:crypto'

const PREFIX = 'whsec_'

/** A new signing secret, in the form that webhook libraries read. */
export function newSecret() {
  return PREFIX + randomBytes(32).toString('base64')
}

export interface Signed {
  /** The event's id, the same in every delivery of it. */
  id: string
  /** When this attempt is made, in Unix seconds. */
  timestamp: number
  body: string | Buffer
  secret: string
  /** The secret before the last rotation, while receivers may still hold it. */
  previousSecret?: string | null | undefined
}

/**
 * Two forms of one signature. The X-Svc headers carry a single bare value keyed with the text of the secret, for whoever
 * computes and compares. The others follow the Standard Webhooks specification, keyed with the bytes that the text
 * encodes, and carry one signature for each secret that is valid.
 */
export function signatureHeaders({ id, timestamp, body, secret, previousSecret }: Signed) {
  const sign = (key: string | Buffer) => createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest()
  const secrets = [secret, ...(previousSecret ? [previousSecret] : [])]
  return {
    'X-Svc-Webhook-Id': id,
    'X-Svc-Webhook-Timestamp': String(timestamp),
    'X-Svc-Webhook-Signature': sign(secret).toString('hex'),
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': secrets.map(one => `v1,${sign(bytesOf(one)).toString('base64')}`).join(' ')
  }
}

function bytesOf(secret: string) {
  return Buffer.from(secret.slice(PREFIX.length), 'base64')
}

import { createHmac, hash, randomBytes } from 'node:crypto'
import { deriveKey } from '../../platform/core/derived-key.ts'

const SHAPE = /^[A-Za-z0-9_-]{43}$/

/** Creates the secret of a link: 256 random bits as 43 URL-safe characters. */
export function makeSecret() {
  return randomBytes(32).toString('base64url')
}

/** Derives the secret of an invite from its id and the server key, so that it need not be stored. */
export function inviteSecret(secretKey: string, inviteId: string) {
  return createHmac('sha256', deriveKey(secretKey, 'parlance share invite')).update(inviteId).digest('base64url')
}

/** Returns the stored form. A secret has 256 random bits, so a fast hash is enough. */
export function hashSecret(secret: string) {
  return hash('sha256', secret, 'buffer')
}

export function isSecret(text: string) {
  return SHAPE.test(text)
}

export function joinUrl(publicUrl: string, secret: string) {
  return `${publicUrl}/join/${secret}`
}

/** Returns the secret of a link with any host, or of a bare secret. */
export function secretOf(url: string) {
  const text = URL.canParse(url) ? (/\/join\/([^/]+)$/.exec(new URL(url).pathname)?.[1] ?? '') : url
  return isSecret(text) ? text : undefined
}

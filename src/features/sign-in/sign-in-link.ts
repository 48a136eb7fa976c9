import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { deriveKey } from '../../platform/core/derived-key.ts'

const SHAPE = /^(sil_[0-9a-z]{26})\.([A-Za-z0-9_-]{43})$/

/**
 * The secret of a link: its id, and a proof that is derived from the id and the server key. A forged one fails here, without a query, and the
 * database does not hold what signs in.
 */
export function linkSecret(secretKey: string, linkId: string) {
  const key = deriveKey(secretKey, 'parlance sign-in link')
  return `${linkId}.${createHmac('sha256', key).update(linkId).digest('base64url')}`
}

/** Returns the id in a secret of this server. */
export function linkIdOf(secretKey: string, secret: string) {
  const [, linkId] = SHAPE.exec(secret) ?? []
  if (linkId === undefined) return undefined
  return timingSafeEqual(Buffer.from(linkSecret(secretKey, linkId)), Buffer.from(secret)) ? linkId : undefined
}

export function signInUrl(publicUrl: string, secret: string) {
  return `${publicUrl}/sign-in/${secret}`
}

/** A cookie's 256 random bits. */
export function makeCookieSecret() {
  return randomBytes(32).toString('base64url')
}

/** Returns the stored form. The secrets of cookies have 256 random bits, so a fast hash is enough. */
export function hashCookie(secret: string) {
  return hash('sha256', secret, 'buffer')
}

/** Returns the user and the stored form of the secret in a session's cookie. The user leads, so that a look-up goes to one node. */
export function readCookie(cookie: string) {
  const [, userId, secret] = /^(usr_[0-9a-z]{26})\.([A-Za-z0-9_-]{43})$/.exec(cookie) ?? []
  return userId === undefined || secret === undefined ? undefined : { userId, hash: hashCookie(secret) }
}

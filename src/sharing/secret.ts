import { createHmac, hash, hkdfSync, randomBytes } from 'node:crypto'

const SHAPE = /^[A-Za-z0-9_-]{43}$/

/** The secret of a new link: 256 random bits as 43 characters that a URL takes as they are. */
export function makeSecret() {
  return randomBytes(32).toString('base64url')
}

/**
 * The secret of an invite. It is made from its id and the server's key, so that whoever sends the mail can make it again
 * and nobody has to keep it.
 */
export function inviteSecret(secretKey: string, inviteId: string) {
  const key = Buffer.from(hkdfSync('sha256', secretKey, '', 'parlance share invite', 32))
  return createHmac('sha256', key).update(inviteId).digest('base64url')
}

/** What is stored of a secret. It has 256 random bits, so a slow hash would add nothing. */
export function hashSecret(secret: string) {
  return hash('sha256', secret, 'buffer')
}

export function isSecret(text: string) {
  return SHAPE.test(text)
}

export function joinUrl(publicUrl: string, secret: string) {
  return `${publicUrl}/join/${secret}`
}

/** The secret in a link's URL, whatever server it names; or one that stands by itself. */
export function secretOf(url: string) {
  const text = URL.canParse(url) ? (/\/join\/([^/]+)$/.exec(new URL(url).pathname)?.[1] ?? '') : url
  return isSecret(text) ? text : undefined
}

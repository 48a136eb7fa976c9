import { createHmac, hash, randomBytes } from 'node:crypto'
import { deriveKey } from '../../platform/core/derived-key.ts'
import { tokenFrom } from '../access/token-format.ts'

const SHAPE = /^pr[cr]_([0-9a-z]{26})([A-Za-z0-9_-]{43})$/

/** A code or refresh token. The id of the user leads, so that a look-up goes to one node; 256 random bits follow. */
export function makeSecret(kind: 'code' | 'refresh', userId: string, random = randomBytes(32)) {
  return `${kind === 'code' ? 'prc' : 'prr'}_${userId.slice('usr_'.length)}${random.toString('base64url')}`
}

/** Returns the user and the stored form of a code or refresh token. */
export function readSecret(secret: string) {
  const [, id] = SHAPE.exec(secret) ?? []
  return id === undefined ? undefined : { userId: `usr_${id}`, hash: hashSecret(secret) }
}

/** Secrets have 256 random bits, so a fast hash is enough. */
export function hashSecret(secret: string) {
  return hash('sha256', secret, 'buffer')
}

/**
 * The tokens that follow a refresh token. They are derived from it and the server's key, so that a client whose answer was lost gets the same ones
 * again, and no server stores what it would need to repeat them.
 */
export function tokensAfter(secretKey: string, userId: string, refreshToken: string) {
  const derive = (purpose: string) =>
    createHmac('sha256', deriveKey(secretKey, `parlance oauth ${purpose}`))
      .update(refreshToken)
      .digest()
  return {
    accessToken: tokenFrom(derive('access token')),
    refreshToken: makeSecret('refresh', userId, derive('refresh'))
  }
}

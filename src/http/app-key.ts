import { hash, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { ApiError } from '../core/api-error.ts'

/**
 * Lets whoever has the key do everything. Digests are compared, which are of one length, in a time that tells nothing of
 * the key. Without a key nothing is here.
 */
export function requireKey(app: FastifyInstance, key: string | undefined) {
  const expected = key && digest(key)
  app.addHook('onRequest', async request => {
    if (!expected) throw new ApiError('not_found', 'The app API is off: set APP_API_KEY and start the server again')
    if (request.is404 || request.routeOptions.config.scopes === 'public') return
    const sent = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1]
    if (sent !== undefined && timingSafeEqual(digest(sent), expected)) return
    request.log.warn({ route: request.routeOptions.url, reason: sent === undefined ? 'no key' : 'wrong key' }, 'app API refused')
    throw sent === undefined
      ? new ApiError('unauthorized', 'Send the header Authorization: Bearer <APP_API_KEY>')
      : new ApiError('invalid_token', 'The key is not APP_API_KEY of this server')
  })
}

function digest(key: string) {
  return hash('sha256', key, 'buffer')
}

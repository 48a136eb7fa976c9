import { hash, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { ApiError, invalid } from '../core/api-error.ts'
import type { Clock } from '../core/clock.ts'
import { addressLimit, limitReached } from './address-limit.ts'
import { clientAddress } from './client-address.ts'
import { bearerToken, hostFault } from './raw-headers.ts'

export interface KeyOptions {
  /** What clients authenticate with; without it nothing is served. */
  key: string | undefined
  /** How many requests without the key an address may make in a minute. */
  attemptsPerMinute: number
}

/**
 * Lets whoever has the key do everything. Digests are compared, which are of one length, in a time that tells nothing of
 * the key. Without a key nothing is here.
 */
export function requireKey(app: FastifyInstance, clock: Clock, { key, attemptsPerMinute }: KeyOptions) {
  const expected = key && digest(key)
  const attempts = addressLimit(clock, attemptsPerMinute)
  app.addHook('onRequest', async request => {
    if (!expected) throw new ApiError('not_found', 'The app API is off: set APP_API_KEY and start the server again')
    const fault = hostFault(request)
    if (fault !== undefined) throw invalid(fault)
    if (request.is404 || request.routeOptions.config.scopes === 'public') return
    const sent = bearerToken(request)
    if (sent !== undefined && timingSafeEqual(digest(sent), expected)) return
    // Who tries key after key is neither answered nor logged for long. Who has it is not held up by others at the same address.
    const quota = attempts.count(clientAddress(request))
    if (!quota.allowed) throw limitReached(quota, clock.now())
    request.log.warn({ route: request.routeOptions.url, reason: sent === undefined ? 'no key' : 'wrong key' }, 'app API refused')
    throw sent === undefined
      ? new ApiError('unauthorized', 'Send the header Authorization: Bearer <APP_API_KEY>')
      : new ApiError('invalid_token', 'The key is not APP_API_KEY of this server')
  })
}

function digest(key: string) {
  return hash('sha256', key, 'buffer')
}

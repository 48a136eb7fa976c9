import { hash, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { addressLimit, limitReached } from '../../features/access/address-limit.ts'
import { ApiError, invalid } from '../../platform/core/api-error.ts'
import type { Clock } from '../../platform/core/clock.ts'
import { clientAddress } from '../../platform/net/client-address.ts'
import { guardRoutes } from '../http/guards/guard.ts'
import { bearerToken, hostError } from '../http/transport/raw-headers.ts'

export interface KeyOptions {
  /** The key that clients send; without one the API answers 404 to everything. */
  key: string | undefined
  /** The requests without the key that an address may make in a minute. */
  attemptsPerMinute: number
}

/** Lets requests with the key do everything. It compares digests, which have one length, in constant time. */
export function requireKey(app: FastifyInstance, clock: Clock, { key, attemptsPerMinute }: KeyOptions) {
  const expected = key && digest(key)
  const attempts = addressLimit(clock, attemptsPerMinute)
  app.addHook('onRequest', async request => {
    if (!expected) throw new ApiError('not_found', 'The admin API is off: set APP_API_KEY and start the server again')
    const error = hostError(request)
    if (error !== undefined) throw invalid({ problem: error })
  })
  guardRoutes(
    app,
    ({ scopes }) => scopes !== 'public',
    async request => {
      const sent = bearerToken(request)
      if (expected && sent !== undefined && timingSafeEqual(digest(sent), expected)) return
      // Failed attempts are limited by address, so that guessing is slow and fills no log. A caller with the key is never rate-limited.
      const rate = attempts.count(clientAddress(request))
      if (!rate.allowed) throw limitReached(rate, clock.now())
      request.log.warn(
        { route: request.routeOptions.url, reason: sent === undefined ? 'no key' : 'wrong key' },
        'admin API refused'
      )
      throw sent === undefined
        ? new ApiError('unauthorized', 'Send the header Authorization: Bearer <APP_API_KEY>')
        : new ApiError('invalid_token', 'The key is not APP_API_KEY of this server')
    }
  )
}

function digest(key: string) {
  return hash('sha256', key, 'buffer')
}

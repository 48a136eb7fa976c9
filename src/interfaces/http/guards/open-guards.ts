import type { FastifyInstance } from 'fastify'
import { LIMITS } from '../../../contract/limits.ts'
import { type AddressLimit, addressLimit } from '../../../features/access/address-limit.ts'
import type { Limiter } from '../../../features/access/admit.ts'
import type { Meter } from '../../../features/access/meter.ts'
import { clientAddress } from '../../../platform/net/client-address.ts'
import { guardRoutes } from './guard.ts'
import { showRate, spend } from './rate-headers.ts'

/** Counts the reads of public routes by client address. */
export function openReadLimit({ clock, rateLimits }: Limiter) {
  return addressLimit(clock, rateLimits.perMinute * LIMITS.addressFactor)
}

/** Before each route of signed links: a valid link is not rate-limited, and another one counts as a bad token. */
export function requireSignature(
  app: FastifyInstance,
  { clock, failures }: Limiter,
  openReads: AddressLimit,
  meter: Meter
) {
  guardRoutes(
    app,
    ({ hasSignature }) => hasSignature !== undefined,
    async (request, reply) => {
      const address = clientAddress(request)
      if (request.routeOptions.config.hasSignature?.(request)) showRate(reply, openReads.peek(address), clock)
      else spend(reply, failures.count(address), clock, meter)
    }
  )
}

/** Before each public route: limits the requests of an address. */
export function limitOpenReads(app: FastifyInstance, { clock }: Limiter, openReads: AddressLimit, meter: Meter) {
  guardRoutes(
    app,
    ({ scopes, hasSignature }) => scopes === 'public' && hasSignature === undefined,
    async (request, reply) => spend(reply, openReads.count(clientAddress(request)), clock, meter)
  )
}

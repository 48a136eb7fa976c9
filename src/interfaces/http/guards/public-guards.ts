import type { FastifyInstance, FastifyRequest } from 'fastify'
import { countUnserved, openLimiter } from '../../../features/access/admit.ts'
import { type Meter, NO_METER } from '../../../features/access/meter.ts'
import type { Services } from '../../../features/services.ts'
import { addressKey } from '../../../platform/net/client-address.ts'
import { requireScopes } from './guard.ts'
import { limitOpenReads, openReadLimit, requireSignature } from './open-guards.ts'
import { principalOf, rateHeaders, showRate } from './rate-headers.ts'
import { requireToken } from './token-guard.ts'

/** The guards of the public application. A route has one: by its scopes a token, or by its `config` another. */
export function guardPublicRoutes(app: FastifyInstance, services: Services, meter: Meter = NO_METER) {
  const limiter = openLimiter(services)
  const openReads = openReadLimit(limiter)
  const rateOf = (request: FastifyRequest) => countUnserved(limiter, principalOf(request))
  app.decorateRequest('actor')
  app.decorateRequest('limited')
  requireScopes(app)
  // An unknown path is a 404 for everyone, whatever the limit says.
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.is404 && request.routeOptions.config.scopes) return done()
    rateOf(request).then(rate => {
      showRate(reply, rate, services.clock)
      done()
    }, done)
  })
  requireToken(app, limiter, meter)
  requireSignature(app, limiter, openReads, meter)
  limitOpenReads(app, limiter, openReads, meter)
  return {
    headersFor: async (request: FastifyRequest) => rateHeaders(await rateOf(request), services.clock),
    /** For a connection whose bytes are not a request. */
    headersForAddress: (address: string) =>
      rateHeaders(limiter.failures.peek(addressKey(address) ?? ''), services.clock)
  }
}

import type { FastifyInstance, FastifyReply } from 'fastify'
import { LIMITS } from '../../../contract/limits.ts'
import { requireAudience, requireScope } from '../../../features/access/actor.ts'
import { admit, countUnserved, type Limiter, lastRate } from '../../../features/access/admit.ts'
import type { Meter } from '../../../features/access/meter.ts'
import { ApiError, invalid } from '../../../platform/core/api-error.ts'
import type { TokenActor } from '../../../platform/ports/actor.ts'
import { hostError } from '../transport/raw-headers.ts'
import { guardRoutes } from './guard.ts'
import { charge, principalOf, showRate, spend } from './rate-headers.ts'

const DAY_MS = 86_400_000

/** Before each route with scopes: authenticates the token, applies its rate limit and checks the scope. Existence comes after. */
export function requireToken(app: FastifyInstance, limiter: Limiter, meter: Meter) {
  const { clock, failures } = limiter

  guardRoutes(
    app,
    ({ scopes }) => scopes !== undefined && scopes !== 'public',
    async (request, reply) => {
      const principal = principalOf(request)
      const error = hostError(request)
      if (error !== undefined) {
        spend(reply, await countUnserved(limiter, principal), clock, meter)
        throw invalid({ problem: error })
      }
      const admission = await admit(limiter, principal).catch(unavailable => {
        showRate(reply, lastRate(limiter, principal), clock)
        throw unavailable
      })
      if (!admission) {
        spend(reply, failures.count(principal.address), clock, meter)
        throw principal.token === undefined
          ? new ApiError('unauthorized', 'Send the header Authorization: Bearer <token>')
          : new ApiError('invalid_token', 'The token is unknown, expired or revoked; send a current one')
      }
      const { actor, rate, expiresAt } = admission
      showExpiry(reply, actor, expiresAt)
      const { scopes = [], audience = 'server', answersLimit = false } = request.routeOptions.config
      const refusal = charge(reply, rate, clock, meter)
      if (refusal && !answersLimit) throw refusal
      request.limited = refusal
      requireAudience(actor, audience)
      requireScope(actor, ...(scopes === 'public' ? [] : scopes))
      request.actor = actor
    }
  )

  function showExpiry(reply: FastifyReply, { via }: TokenActor, expiresAt: string) {
    // An agent renews its token by itself.
    if (via === 'oauth') return
    const leftMs = Date.parse(expiresAt) - clock.now().getTime()
    if (leftMs <= LIMITS.tokenNoticeDays.first * DAY_MS) reply.header('x-token-expires-at', expiresAt)
  }
}

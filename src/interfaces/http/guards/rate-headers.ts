import type { FastifyReply, FastifyRequest } from 'fastify'
import { limitReached } from '../../../features/access/address-limit.ts'
import type { Principal } from '../../../features/access/admit.ts'
import type { Meter } from '../../../features/access/meter.ts'
import type { Clock } from '../../../platform/core/clock.ts'
import { clientAddress } from '../../../platform/net/client-address.ts'
import type { RateWindow } from '../../../platform/ports/admissions.ts'
import { bearerToken } from '../transport/raw-headers.ts'

export function principalOf(request: FastifyRequest): Principal {
  const { audience: door = 'server' } = request.routeOptions.config
  return { token: bearerToken(request), address: clientAddress(request), door }
}

/** Shows the rate window of a counted request. Throws rate_limit_exceeded if it is used up. */
export function spend(reply: FastifyReply, rate: RateWindow, clock: Clock, meter: Meter) {
  const refusal = charge(reply, rate, clock, meter)
  if (refusal) throw refusal
}

/** Like `spend`, but returns the error. */
export function charge(reply: FastifyReply, rate: RateWindow, clock: Clock, meter: Meter) {
  showRate(reply, rate, clock)
  if (rate.allowed) return undefined
  meter.refused(rate.window)
  return limitReached(rate, clock.now())
}

export function showRate(reply: FastifyReply, rate: RateWindow, clock: Clock) {
  reply.headers(rateHeaders(rate, clock))
  // An address beyond its limit keeps no idle connections.
  if (rate.window === 'address' && !rate.allowed) reply.header('connection', 'close')
}

const WINDOW_SECONDS = { minute: 60, day: 86_400, address: 60 }

/** The fields of the contract, and the same numbers as the structured fields of draft-ietf-httpapi-ratelimit-headers-11. */
export function rateHeaders({ window, limit, remaining, resetAt }: RateWindow, clock: Clock) {
  const leftSeconds = Math.max(0, resetAt - Math.floor(clock.now().getTime() / 1_000))
  return {
    'ratelimit-policy': `"${window}";q=${limit};w=${WINDOW_SECONDS[window]}`,
    ratelimit: `"${window}";r=${remaining};t=${leftSeconds}`,
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': String(resetAt)
  }
}

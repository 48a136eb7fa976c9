import type { FastifyReply, FastifyRequest } from 'fastify'
import { limitReached } from '../../../features/access/address-limit.ts'
import type { Principal } from '../../../features/access/admit.ts'
import type { Meter } from '../../../features/access/meter.ts'
import type { Clock } from '../../../platform/core/clock.ts'
import { clientAddress } from '../../../platform/net/client-address.ts'
import type { Quota } from '../../../platform/ports/admissions.ts'
import { bearerToken } from '../transport/raw-headers.ts'

export function principalOf(request: FastifyRequest): Principal {
  return { token: bearerToken(request), address: clientAddress(request) }
}

/** Shows the quota of a counted request. Throws rate_limit_exceeded if it is used up. */
export function spend(reply: FastifyReply, quota: Quota, clock: Clock, meter: Meter) {
  showQuota(reply, quota)
  if (quota.allowed) return
  meter.refused(quota.window)
  throw limitReached(quota, clock.now())
}

export function showQuota(reply: FastifyReply, quota: Quota) {
  reply.headers(quotaHeaders(quota))
  // An address beyond its limit keeps no idle connections.
  if (quota.window === 'address' && !quota.allowed) reply.header('connection', 'close')
}

export function quotaHeaders({ limit, remaining, resetAt }: Quota) {
  return {
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': String(resetAt)
  }
}

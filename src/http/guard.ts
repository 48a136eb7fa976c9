import type { FastifyInstance, FastifyReply, RouteOptions } from 'fastify'
import type { Quota } from '../accounts/admission.ts'
import { isWellFormed } from '../accounts/token.ts'
import type { ErrorCode } from '../contract/errors.ts'
import type { Scope } from '../contract/scopes.ts'
import { ApiError, invalid } from '../core/api-error.ts'
import type { Caller } from '../core/caller.ts'
import type { Deps } from '../deps.ts'
import { type Meter, NO_METER } from '../metrics/meter.ts'
import { addressLimit, limitReached } from './address-limit.ts'
import { bearerToken, hostFault } from './raw-headers.ts'

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller
    /** For whom an app acts, once it is known that there is such a user. */
    forUser?: string
  }
  interface FastifyContextConfig {
    /** Any one of these lets the caller in; `public` needs no token. The server refuses to start on a /v1 route without it. */
    scopes?: readonly Scope[] | 'public'
    /** Whether the route takes text that cannot be stored, and makes it so. */
    repairsText?: boolean
    /** How many values its body may have, where that is not the number of most routes. */
    maxValues?: number
    /** What the route refuses of its own accord, for the OpenAPI document. */
    errors?: readonly ErrorCode[]
    /** What the route, or one beside it of the same kind, calls a refusal that others call by another code. */
    codes?: Partial<Record<ErrorCode, ErrorCode>>
    /** An answer as it could be, for the OpenAPI document. */
    example?: unknown
    /** Headers of its answer that are its own, for the OpenAPI document. */
    headers?: readonly string[]
    /** A body as it could be sent, for the OpenAPI document. */
    request?: object
  }
}

/** Who may pass, and how often. Order: route, token, limit, scope; validation and existence come after. */
export function guard(app: FastifyInstance, { admissions, clock, rateLimits }: Deps, meter: Meter = NO_METER) {
  const countAddress = addressLimit(clock, rateLimits.perMinute)

  app.decorateRequest('caller')
  const routes: RouteOptions[] = []
  app.addHook('onRoute', route => void routes.push(route))
  app.addHook('onReady', async () => {
    for (const { method, url, config } of routes) if (!config?.scopes) throw new Error(`${method} ${url} declares no scopes`)
  })

  app.addHook('onRequest', async (request, reply) => {
    const { scopes } = request.routeOptions.config
    // A path that is no route says so to everyone, limit or not.
    if (request.is404 || !scopes) return void showQuota(reply, countAddress(request.ip))
    if (scopes === 'public') return spend(reply, countAddress(request.ip))
    const fault = hostFault(request)
    if (fault !== undefined) {
      spend(reply, countAddress(request.ip))
      throw invalid(fault)
    }

    const token = bearerToken(request)
    const admission = token && isWellFormed(token) ? await admissions.admit(token) : undefined
    if (!admission) {
      spend(reply, countAddress(request.ip))
      throw token === undefined
        ? new ApiError('unauthorized', 'Send the header Authorization: Bearer <token>')
        : new ApiError('invalid_token', 'The token is unknown, expired or revoked; send a current one')
    }
    spend(reply, admission.quota)
    if (!scopes.some(scope => admission.caller.scopes.has(scope))) {
      throw new ApiError('insufficient_scope', `The token lacks the scope ${scopes.join(' or ')}`)
    }
    request.caller = admission.caller
  })

  function spend(reply: FastifyReply, quota: Quota) {
    showQuota(reply, quota)
    if (quota.allowed) return
    meter.refused(quota.window)
    throw limitReached(quota, clock.now())
  }

  return { countAddress }
}

function showQuota(reply: FastifyReply, quota: Quota) {
  reply.headers(quotaHeaders(quota))
}

export function quotaHeaders({ limit, remaining, resetAt }: Quota) {
  return { 'x-ratelimit-limit': String(limit), 'x-ratelimit-remaining': String(remaining), 'x-ratelimit-reset': String(resetAt) }
}

import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { Quota } from '../accounts/admission.ts'
import { isWellFormed } from '../accounts/token.ts'
import type { ErrorCode } from '../contract/errors.ts'
import { LIMITS } from '../contract/limits.ts'
import type { Scope } from '../contract/scopes.ts'
import { ApiError, invalid } from '../core/api-error.ts'
import type { Caller } from '../core/caller.ts'
import type { Deps } from '../deps.ts'
import { type Meter, NO_METER } from '../metrics/meter.ts'
import { addressLimit, limitReached } from './address-limit.ts'
import { addressKey, clientAddress } from './client-address.ts'
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
    /** For a public route of signed links: whether this one is genuine. Genuine ones are not limited, others count as bad tokens. */
    hasSignature?: (request: FastifyRequest) => boolean
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
  const perAddress = rateLimits.perMinute * LIMITS.addressFactor
  const failures = addressLimit(clock, perAddress)
  const openReads = addressLimit(clock, perAddress)
  /** What the last request of a token was told; it goes with the caller when `admissions` forgets the token. */
  const quotas = new WeakMap<Caller, Quota>()

  app.decorateRequest('caller')
  const routes: RouteOptions[] = []
  app.addHook('onRoute', route => void routes.push(route))
  app.addHook('onReady', async () => {
    for (const { method, url, config } of routes) if (!config?.scopes) throw new Error(`${method} ${url} declares no scopes`)
  })

  app.addHook('onRequest', async (request, reply) => {
    const { scopes, hasSignature } = request.routeOptions.config
    // A path that is no route says so to everyone, limit or not.
    if (request.is404 || !scopes) return showQuota(reply, await quotaOf(request))
    if (scopes === 'public' && hasSignature?.(request)) return showQuota(reply, openReads.peek(clientAddress(request)))
    if (scopes === 'public') return spend(reply, (hasSignature ? failures : openReads).count(clientAddress(request)))
    const fault = hostFault(request)
    if (fault !== undefined) {
      spend(reply, await quotaOf(request))
      throw invalid(fault)
    }

    const admission = await admissionOf(request).catch(unavailable => {
      showQuota(reply, lastQuota(request))
      throw unavailable
    })
    if (!admission) {
      spend(reply, failures.count(clientAddress(request)))
      throw bearerToken(request) === undefined
        ? new ApiError('unauthorized', 'Send the header Authorization: Bearer <token>')
        : new ApiError('invalid_token', 'The token is unknown, expired or revoked; send a current one')
    }
    spend(reply, admission.quota)
    if (!scopes.some(scope => admission.caller.scopes.has(scope))) {
      throw new ApiError('insufficient_scope', `The token lacks the scope ${scopes.join(' or ')}`)
    }
    request.caller = admission.caller
  })

  /** Undefined where there is no valid token. */
  async function admissionOf(request: FastifyRequest) {
    const token = bearerToken(request)
    if (token === undefined || !isWellFormed(token)) return undefined
    // An address that has sent too much junk reaches the database only with tokens that were valid a moment ago.
    if (!failures.peek(clientAddress(request)).allowed && !lastQuotaOf(token)) return undefined
    const admission = await admissions.admit(token)
    const caller = admission?.caller ?? admissions.recall(token)
    if (admission && caller) quotas.set(caller, admission.quota)
    else if (caller) quotas.delete(caller)
    return admission
  }

  function lastQuotaOf(token: string) {
    const caller = admissions.recall(token)
    return caller && quotas.get(caller)
  }

  /** Where the sender stands as far as this process knows: the database cannot be asked. */
  function lastQuota(request: FastifyRequest): Quota {
    const last = lastQuotaOf(bearerToken(request) ?? '')
    if (!last) return failures.peek(clientAddress(request))
    const minute = Math.floor(clock.now().getTime() / 60_000)
    if (last.resetAt > minute * 60) return last
    return { allowed: true, window: 'minute', limit: rateLimits.perMinute, remaining: rateLimits.perMinute, resetAt: (minute + 1) * 60 }
  }

  /** Where the sender of a request that leads to no route stands, this one counted. */
  async function quotaOf(request: FastifyRequest): Promise<Quota> {
    try {
      return (await admissionOf(request))?.quota ?? failures.count(clientAddress(request))
    } catch {
      return lastQuota(request)
    }
  }

  function spend(reply: FastifyReply, quota: Quota) {
    showQuota(reply, quota)
    if (quota.allowed) return
    meter.refused(quota.window)
    throw limitReached(quota, clock.now())
  }

  return {
    headersFor: async (request: FastifyRequest) => quotaHeaders(await quotaOf(request)),
    /** For a connection that sent no request. */
    headersForAddress: (address: string) => quotaHeaders(failures.peek(addressKey(address) ?? ''))
  }
}

function showQuota(reply: FastifyReply, quota: Quota) {
  reply.headers(quotaHeaders(quota))
}

function quotaHeaders({ limit, remaining, resetAt }: Quota) {
  return { 'x-ratelimit-limit': String(limit), 'x-ratelimit-remaining': String(remaining), 'x-ratelimit-reset': String(resetAt) }
}

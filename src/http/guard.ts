import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { type Actor, requireScope, type TokenActor } from '../accounts/actor.ts'
import type { Quota } from '../accounts/quota.ts'
import { isWellFormed } from '../accounts/token-format.ts'
import { LIMITS } from '../contract/limits.ts'
import type { RouteDescription } from '../contract/routes/route.ts'
import { ApiError, invalid } from '../core/api-error.ts'
import type { Services } from '../services.ts'
import { type Meter, NO_METER } from '../telemetry/meter.ts'
import { addressLimit, limitReached } from './address-limit.ts'
import { addressKey, clientAddress } from './client-address.ts'
import { bearerToken, hostError } from './raw-headers.ts'

const DAY_MS = 86_400_000

declare module 'fastify' {
  interface FastifyRequest {
    actor: Actor
    /** Warnings about ignored parts of the body, one sentence each. */
    ignored?: string[]
  }
  /** Routes that are described by the contract have a `RouteDescription`. */
  interface FastifyContextConfig extends Partial<RouteDescription['config']> {
    /** For a public route of signed links: true if the signature is valid. Valid links are not rate-limited; others count as bad tokens. */
    hasSignature?: (request: FastifyRequest) => boolean
  }
}

/**
 * Authenticates and rate-limits every request, then checks its scope. The order is route, token, limit, scope; validation and existence
 * come after.
 */
export function guard(app: FastifyInstance, { admissions, clock, rateLimits }: Services, meter: Meter = NO_METER) {
  const perAddress = rateLimits.perMinute * LIMITS.addressFactor
  const failures = addressLimit(clock, perAddress)
  const openReads = addressLimit(clock, perAddress)
  /** The quota last shown to each token. The entry goes with the actor when `admissions` forgets the token. */
  const quotas = new WeakMap<TokenActor, Quota>()

  app.decorateRequest('actor')
  const routes: RouteOptions[] = []
  app.addHook('onRoute', route => void routes.push(route))
  app.addHook('onReady', async () => {
    for (const { method, url, config } of routes)
      if (!config?.scopes) throw new Error(`${method} ${url} declares no scopes`)
  })

  app.addHook('onRequest', async (request, reply) => {
    const { scopes, hasSignature } = request.routeOptions.config
    // An unknown path is a 404 for everyone, whatever the limit says.
    if (request.is404 || !scopes) return showQuota(reply, await quotaOf(request))
    if (scopes === 'public' && hasSignature?.(request)) return showQuota(reply, openReads.peek(clientAddress(request)))
    if (scopes === 'public') return spend(reply, (hasSignature ? failures : openReads).count(clientAddress(request)))
    const error = hostError(request)
    if (error !== undefined) {
      spend(reply, await quotaOf(request))
      throw invalid({ problem: error })
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
    showExpiry(reply, admission.expiresAt)
    spend(reply, admission.quota)
    requireScope(admission.actor, ...scopes)
    request.actor = admission.actor
  })

  /** Undefined for a request without a valid token. */
  async function admissionOf(request: FastifyRequest) {
    const token = bearerToken(request)
    if (token === undefined || !isWellFormed(token)) return undefined
    // An address over its limit reaches the database only with tokens that this process has authenticated before.
    if (!failures.peek(clientAddress(request)).allowed && !lastQuotaOf(token)) return undefined
    const admission = await admissions.admit(token)
    const actor = admission?.actor ?? admissions.recall(token)
    if (admission && actor) quotas.set(actor, admission.quota)
    else if (actor) quotas.delete(actor)
    return admission
  }

  function lastQuotaOf(token: string) {
    const actor = admissions.recall(token)
    return actor && quotas.get(actor)
  }

  /** The sender's quota as this process last saw it, for when the database is away. */
  function lastQuota(request: FastifyRequest): Quota {
    const last = lastQuotaOf(bearerToken(request) ?? '')
    if (!last) return failures.peek(clientAddress(request))
    const minute = Math.floor(clock.now().getTime() / 60_000)
    if (last.resetAt > minute * 60) return last
    return {
      allowed: true,
      window: 'minute',
      limit: rateLimits.perMinute,
      remaining: rateLimits.perMinute,
      resetAt: (minute + 1) * 60
    }
  }

  /** The sender's quota after counting this request, which leads to no route. */
  async function quotaOf(request: FastifyRequest): Promise<Quota> {
    try {
      return (await admissionOf(request))?.quota ?? failures.count(clientAddress(request))
    } catch {
      return lastQuota(request)
    }
  }

  function showExpiry(reply: FastifyReply, expiresAt: string) {
    const leftMs = Date.parse(expiresAt) - clock.now().getTime()
    if (leftMs <= LIMITS.tokenNoticeDays.first * DAY_MS) reply.header('x-token-expires-at', expiresAt)
  }

  function spend(reply: FastifyReply, quota: Quota) {
    showQuota(reply, quota)
    if (quota.allowed) return
    meter.refused(quota.window)
    throw limitReached(quota, clock.now())
  }

  return {
    headersFor: async (request: FastifyRequest) => quotaHeaders(await quotaOf(request)),
    /** For a connection whose bytes are not a request. */
    headersForAddress: (address: string) => quotaHeaders(failures.peek(addressKey(address) ?? ''))
  }
}

function showQuota(reply: FastifyReply, quota: Quota) {
  reply.headers(quotaHeaders(quota))
  // An address beyond its limit keeps no idle connections.
  if (quota.window === 'address' && !quota.allowed) reply.header('connection', 'close')
}

function quotaHeaders({ limit, remaining, resetAt }: Quota) {
  return {
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': String(resetAt)
  }
}

import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { Audience } from '../../../contract/oauth.ts'
import type { RouteDescription } from '../../../contract/routes/route.ts'
import type { ApiError } from '../../../platform/core/api-error.ts'
import type { Actor } from '../../../platform/ports/actor.ts'

declare module 'fastify' {
  interface FastifyRequest {
    actor: Actor
    /** The refusal of a request beyond its rate limit, at a route that answers it by itself. */
    limited: ApiError | undefined
    /** Warnings about ignored parts of the body, one sentence each. */
    ignored?: string[]
  }
  /** Routes that are described by the contract have a `RouteDescription`. */
  interface FastifyContextConfig extends Partial<RouteDescription['config']> {
    /** The least that the token of an agent must be for: `mcp` where its narrowest is enough. By default the whole server. */
    audience?: Audience
    /** For a public route of signed links: true if the signature is valid. Valid links are not rate-limited; others count as bad tokens. */
    hasSignature?: (request: FastifyRequest) => boolean
    /** The address that tells clients how to get a token, for the challenge of a refused request. */
    resourceMetadata?: string
    /**
     * The pages that may call a route from a browser without a setting: `any`, because nothing in the answer depends on who asks, or `local`, those of
     * this machine. Others, and those of every other route, need CORS_ORIGINS.
     */
    crossOrigin?: 'any' | 'local'
    /** True for a route that answers a request beyond the rate limit of its token by itself. Others never see one. */
    answersLimit?: boolean
  }
}

/** Throws, or lets the request pass and sets its actor. It runs before the body is read. */
type Guard = (request: FastifyRequest, reply: FastifyReply) => Promise<void>

/** Puts a guard before each route that it is for. Call it before the routes are registered. */
export function guardRoutes(app: FastifyInstance, isFor: (config: FastifyContextConfig) => boolean, guard: Guard) {
  app.addHook('onRoute', route => {
    const hooks = [route.onRequest ?? []].flat()
    // A HEAD route begins with the hooks of its GET.
    if (isFor(route.config ?? {}) && !hooks.includes(guard)) route.onRequest = [guard, ...hooks]
  })
}

/** Refuses to start with a route that declares no scopes, because no guard would be before it. */
export function requireScopes(app: FastifyInstance) {
  const routes: RouteOptions[] = []
  app.addHook('onRoute', route => void routes.push(route))
  app.addHook('onReady', async () => {
    for (const { method, url, config } of routes)
      if (!config?.scopes) throw new Error(`${method} ${url} declares no scopes`)
  })
}

import cors from '@fastify/cors'
import type { FastifyContextConfig, FastifyInstance } from 'fastify'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The options of `@fastify/cors` that a route has for itself. */
    cors?: { origin: Origins }
  }
}

type Origins = false | '*' | (string | RegExp)[]

/** Pages that a program on this machine serves, at whatever port. */
const LOCAL = /^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/

/**
 * Lets pages of these origins call the API, and those that a route names for itself call that route. Tokens are sent by the page itself, so no cookies
 * are allowed. Call it before the routes are registered.
 */
export async function allowOrigins(app: FastifyInstance, origins: string[]) {
  const named: Origins = origins.length > 0 ? origins : false
  openRoutes(app, { any: '*', local: [LOCAL, ...origins] })
  await app.register(cors, {
    origin: named,
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    allowedHeaders: [
      'Accept',
      'Authorization',
      'Content-Type',
      'Idempotency-Key',
      'If-Match',
      'If-None-Match',
      'Mcp-Method',
      'Mcp-Name',
      'Mcp-Protocol-Version',
      'Range',
      'Traceparent',
      'Tracestate',
      'Tus-Resumable',
      'Upload-Checksum',
      'Upload-Defer-Length',
      'Upload-Length',
      'Upload-Metadata',
      'Upload-Offset',
      'X-HTTP-Method-Override',
      'X-Request-Id'
    ],
    exposedHeaders: [
      'Accept-Ranges',
      'Content-Disposition',
      'Content-Range',
      'Deprecation',
      'ETag',
      'Idempotent-Replayed',
      'Link',
      'Location',
      'RateLimit',
      'RateLimit-Policy',
      'Retry-After',
      'Sunset',
      'Tus-Checksum-Algorithm',
      'Tus-Extension',
      'Tus-Max-Size',
      'Tus-Resumable',
      'Tus-Version',
      'Upload-Defer-Length',
      'Upload-Expires',
      'Upload-Length',
      'Upload-Metadata',
      'Upload-Offset',
      'WWW-Authenticate',
      'X-Request-Id',
      'X-Search-Mode',
      'X-RateLimit-Limit',
      'X-RateLimit-Remaining',
      'X-RateLimit-Reset',
      'X-Token-Expires-At'
    ],
    // The longest that Chromium keeps it.
    maxAge: 7_200,
    strictPreflight: false
  })
  // A route that varies by another header as well would replace the one of the plugin.
  app.addHook('onSend', async ({ routeOptions: { config } }, reply) => {
    if (!Array.isArray(config.cors?.origin ?? named)) return
    const vary = reply.getHeader('vary')
    if (!String(vary).endsWith('Origin')) reply.header('vary', vary === undefined ? 'Origin' : `${vary}, Origin`)
  })
}

/** Gives each route that names such pages its options, and a route for their preflight requests, which the plugin then answers. */
function openRoutes(app: FastifyInstance, origins: Record<'any' | 'local', Origins>) {
  const opened = new Set<string>()
  app.addHook('onRoute', route => {
    const { url, config } = route
    if (config?.crossOrigin === undefined) return
    const opening: FastifyContextConfig = { ...config, cors: { origin: origins[config.crossOrigin] } }
    route.config = opening
    if (opened.has(url)) return
    opened.add(url)
    const preflight = { scopes: 'public' as const, isHidden: true, cors: opening.cors }
    app.options(url, { config: preflight, schema: { hide: true } }, (_request, reply) => reply.callNotFound())
  })
}

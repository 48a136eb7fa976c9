import type { FastifyCorsOptions } from '@fastify/cors'

/** What pages of these origins may send and read. Tokens are sent by the page itself, so no cookies are allowed. */
export function crossOrigin(origins: string[]): FastifyCorsOptions {
  return {
    origin: origins,
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    allowedHeaders: ['Accept', 'Authorization', 'Content-Type', 'Idempotency-Key', 'If-Match', 'If-None-Match'],
    exposedHeaders: [
      ...['ETag', 'Idempotent-Replayed', 'Link', 'Location', 'Retry-After', 'WWW-Authenticate', 'X-Request-Id', 'X-Search-Mode'],
      ...['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset']
    ],
    // The longest that Chromium keeps it.
    maxAge: 7_200,
    strictPreflight: false
  }
}

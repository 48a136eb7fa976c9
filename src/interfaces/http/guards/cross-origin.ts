import cors from '@fastify/cors'
import type { FastifyInstance } from 'fastify'

/** Lets pages of these origins call the API. Tokens are sent by the page itself, so no cookies are allowed. */
export async function allowOrigins(app: FastifyInstance, origins: string[]) {
  await app.register(cors, {
    origin: origins,
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
      'ETag',
      'Idempotent-Replayed',
      'Link',
      'Location',
      'RateLimit',
      'RateLimit-Policy',
      'Retry-After',
      'Tus-Checksum-Algorithm',
      'Tus-Extension',
      'Tus-Max-Size',
      'Tus-Resumable',
      'Tus-Version',
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
  app.addHook('onSend', async (_request, reply) => {
    const vary = String(reply.getHeader('vary'))
    if (!vary.endsWith('Origin')) reply.header('vary', `${vary}, Origin`)
  })
}

import { hash } from 'node:crypto'
import type { FastifyInstance, RouteOptions } from 'fastify'
import { isNamed } from '../../platform/net/entity-tag.ts'
import { nextLink } from '../../platform/net/links.ts'

/**
 * Gives the answers of reads their general headers. A route that declares `ETag` answers 304 to the ETag of the same answer; a route that
 * declares `Link` links to the next page. Call it before the routes are registered.
 */
export function addReadHeaders(app: FastifyInstance, publicUrl: string) {
  app.addHook('onRoute', route => {
    if (isConditional(route)) {
      route.onSend = (request, reply, payload, done) => {
        const isWhole = typeof payload === 'string' || Buffer.isBuffer(payload)
        if (reply.statusCode !== 200 || !isWhole) return done(null, payload)
        if (!reply.hasHeader('etag')) reply.header('etag', weakTag(payload))
        if (!isNamed(String(reply.getHeader('etag')), request.headers['if-none-match'])) return done(null, payload)
        reply.code(304).removeHeader('content-type')
        done(null, null)
      }
    }
    if (route.config?.headers?.includes('Link')) {
      route.preSerialization = (request, reply, payload, done) => {
        const { next_cursor: cursor, has_more: more }: ListPage = Object(payload)
        if (more && cursor != null) reply.header('link', nextLink(request, publicUrl, cursor))
        done(null, payload)
      }
    }
  })
}

interface ListPage {
  next_cursor?: string | number | null
  has_more?: boolean
}

/** Returns whether a route answers 304. */
export function isConditional({ method, config }: Pick<RouteOptions, 'method' | 'config'>) {
  return [method].flat().includes('GET') && config?.headers?.includes('ETag') === true
}

/** Begins with a letter, so that `If-Match` does not take it for a version. */
function weakTag(payload: string | Buffer) {
  return `W/"r${hash('sha1', payload, 'base64url')}"`
}

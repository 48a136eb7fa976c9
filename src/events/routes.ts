import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { requireToken } from '../accounts/actor.ts'
import { EventList, EventsAck, EventsAcknowledged, EventsQuery } from '../contract/event.ts'
import { EXAMPLES } from '../contract/examples.ts'
import { REQUESTS } from '../contract/request-examples.ts'
import { invalid } from '../core/api-error.ts'
import { nextLink } from '../core/links.ts'
import type { Services } from '../services.ts'
import { acknowledgeEvents, type EventsPage, findEvents, findHead } from './queries.ts'

const tags = ['Events']

export const eventRoutes: FastifyPluginAsyncZod<Services> = async (app, { db, publicUrl }) => {
  app.get(
    '/events',
    {
      config: { scopes: ['events:read'], example: EXAMPLES.events, headers: ['Link'] },
      schema: {
        operationId: 'listEvents',
        tags,
        summary: 'Poll for events',
        description:
          'The events of your sessions in order, each with the session as it was then, after the last event that this token acknowledged. A new token begins with the oldest event that is kept. Poll, process the events, acknowledge `next_cursor`: events that were not acknowledged are returned again. Pass `cursor` to read from another position, or `cursor=latest` for the newest one. Events are kept for 30 days, up to 1 GiB per user. If the first `seq` is more than one above the cursor, older events are gone.',
        querystring: EventsQuery,
        response: { 200: EventList }
      }
    },
    async ({ actor, url, query: { cursor, limit } }, reply) => {
      if (cursor === 'latest') return { events: [], next_cursor: await findHead(db, actor.userId), has_more: false }
      const page = await findEvents(db, actor.userId, requireToken(actor).tokenId, cursor, limit)
      const last = page.events.at(-1)
      if (page.hasMore && last) reply.header('link', nextLink(publicUrl, url, last.seq))
      // The stored bodies are JSON; parsing and serializing them again would dominate the cost.
      return reply.type('application/json; charset=utf-8').send(written(page) as never)
    }
  )

  app.post(
    '/events/ack',
    {
      config: { request: REQUESTS.acknowledge, scopes: ['events:read'], example: EXAMPLES.acknowledged },
      schema: {
        operationId: 'acknowledgeEvents',
        tags,
        summary: 'Acknowledge events',
        description:
          'Later polls of this token begin after the cursor. A lower cursor changes nothing unless `rewind` is true: then the events after it are returned again. A cursor above the newest event is refused.',
        body: EventsAck,
        response: { 200: EventsAcknowledged }
      }
    },
    async ({ actor, body }) => {
      const { newest, acknowledged } = await acknowledgeEvents(db, actor.userId, requireToken(actor).tokenId, body)
      if (acknowledged === null)
        throw invalid({
          field: 'cursor',
          problem: `the newest event is ${newest}`,
          expected: `a whole number from 0 to ${newest}`
        })
      return { acknowledged_cursor: acknowledged }
    }
  )
}

function written({ events, hasMore }: EventsPage) {
  const items = events.map(({ seq, body }) => `{"seq":${seq},${body.slice(1)}`)
  return `{"events":[${items.join(',')}],"next_cursor":${events.at(-1)?.seq ?? null},"has_more":${hasMore}}`
}

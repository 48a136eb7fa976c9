import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { EventList, EventsAck, EventsAcknowledged, EventsQuery } from '../contract/event.ts'
import { EXAMPLES } from '../contract/examples.ts'
import { REQUESTS } from '../contract/request-examples.ts'
import { invalid } from '../core/api-error.ts'
import type { Deps } from '../deps.ts'
import { acknowledgeEvents, findEvents, type Page } from './queries.ts'

const tags = ['Events']

export const eventRoutes: FastifyPluginAsyncZod<Deps> = async (app, { db }) => {
  app.get(
    '/events',
    {
      config: { scopes: ['events:read'], errors: ['invalid_request'], example: EXAMPLES.events },
      schema: {
        operationId: 'listEvents',
        tags,
        summary: 'Poll for events',
        description:
          'What happened to your sessions, in order, after the last event this token has acknowledged. Poll, do the work, acknowledge `next_cursor`: what fails in between comes again. Pass `cursor` to read from any place. Events are kept for 30 days, of each user up to 1 GiB of them; a first `seq` more than one above the cursor says that some are gone.',
        querystring: EventsQuery,
        response: { 200: EventList }
      }
    },
    async ({ caller, query: { cursor, limit } }, reply) => {
      const page = await findEvents(db, caller.userId, caller.tokenId, cursor, limit)
      // The bodies are JSON already, as webhooks send them: parsing them to write them again would be the whole cost.
      return reply.type('application/json; charset=utf-8').send(written(page) as never)
    }
  )

  app.post(
    '/events/ack',
    {
      config: { request: REQUESTS.acknowledge, scopes: ['events:read'], errors: ['invalid_request'], example: EXAMPLES.acknowledged },
      schema: {
        operationId: 'acknowledgeEvents',
        tags,
        summary: 'Acknowledge events',
        description:
          'Later polls of this token begin after the cursor. A lower one than before changes nothing, unless `rewind` is true: then the events after it come again. A cursor above the newest event is refused.',
        body: EventsAck,
        response: { 200: EventsAcknowledged }
      }
    },
    async ({ caller, body }) => {
      const { newest, acknowledged } = await acknowledgeEvents(db, caller.userId, caller.tokenId, body)
      if (acknowledged === null) throw invalid(`cursor: the newest event is ${newest}; send a whole number from 0 to ${newest}`)
      return { acknowledged_cursor: acknowledged }
    }
  )
}

function written({ events, hasMore }: Page) {
  const items = events.map(({ seq, body }) => `{"seq":${seq},${body.slice(1)}`)
  return `{"events":[${items.join(',')}],"next_cursor":${events.at(-1)?.seq ?? null},"has_more":${hasMore}}`
}

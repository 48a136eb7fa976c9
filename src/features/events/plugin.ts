import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { EVENT_ROUTES as routes } from '../../contract/routes/events.ts'
import { nextLink } from '../../platform/net/links.ts'
import type { Services } from '../services.ts'
import { acknowledgeEvents, listEvents } from './operations.ts'
import type { EventsPage } from './queries.ts'

export const eventsPlugin: FastifyPluginAsyncZod<{ services: Services }> = async (app, { services }) => {
  app.addHook('preClose', async () => services.arrivals.close())

  app.route({
    ...routes.listEvents,
    handler: async (request, reply) => {
      const { actor, query, signal } = request
      const page = await listEvents(services, actor, query, signal)
      if (page.hasMore && page.nextCursor !== null)
        reply.header('link', nextLink(request, services.publicUrl, page.nextCursor))
      return reply.type('application/json; charset=utf-8').send(toJson(page) as never)
    }
  })

  app.route({
    ...routes.acknowledgeEvents,
    handler: ({ actor, body }) => acknowledgeEvents(services, actor, body)
  })
}

function toJson({ events, nextCursor, hasMore }: EventsPage) {
  const items = events.map(({ seq, body }) => `{"seq":${seq},${body.slice(1)}`)
  return `{"events":[${items.join(',')}],"next_cursor":${nextCursor},"has_more":${hasMore}}`
}

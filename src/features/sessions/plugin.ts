import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { LIMITS } from '../../contract/limits.ts'
import { ACTION_ITEM_ROUTES } from '../../contract/routes/action-items.ts'
import { SESSION_ROUTES, type SessionRoutes } from '../../contract/routes/sessions.ts'
import { preferredType } from '../../platform/net/accept.ts'
import { attachment } from '../../platform/net/attachment.ts'
import { holdUntilRead } from '../../platform/net/hold-until-read.ts'
import { nextLink } from '../../platform/net/links.ts'
import type { Services } from '../services.ts'
import { sessionPath } from './accepted.ts'
import { getActionItems, listActionItems, updateActionItem } from './action-item-operations.ts'
import { toCsv } from './action-items-csv.ts'
import {
  deleteSession,
  exportSessions,
  getSession,
  getStats,
  listSessions,
  restoreSession,
  updateSession
} from './operations.ts'
import { sessionTag } from './precondition.ts'

interface SessionPluginOptions {
  services: Services
  /** The routes as this door has them. Default: those of `/v1`. */
  routes?: SessionRoutes
}

/** Sessions and their action items over HTTP: for tokens below `/v1`, and for the operator below a user's path. */
export const sessionsPlugin: FastifyPluginAsyncZod<SessionPluginOptions> = async (
  app,
  { services, routes = SESSION_ROUTES }
) => {
  app.route({
    ...routes.listSessions,
    handler: ({ actor, query, log }) => listSessions({ ...services, log }, actor, query)
  })

  app.route({
    ...routes.getSession,
    handler: async ({ actor, params }, reply) => {
      const session = await getSession(services, actor, params.id)
      reply.header('etag', `"${sessionTag(session)}"`)
      return session
    }
  })

  app.route({
    ...routes.updateSession,
    handler: async ({ actor, params, headers, body }, reply) => {
      const precondition = headers['if-match']
      const { response, tag } = await updateSession(services, actor, params.id, body, { precondition })
      reply.header('etag', `"${tag}"`)
      return response
    }
  })

  app.route({
    ...routes.deleteSession,
    handler: ({ actor, params, query: { permanently } }) =>
      deleteSession(services, actor, params.id, permanently === 'false' ? 'trash' : 'gone', {
        inTrash: permanently === 'true'
      })
  })

  app.route({
    ...routes.restoreSession,
    handler: ({ actor, params: { id } }, reply) =>
      reply.answerOnce(undefined, async services => {
        const body = await restoreSession(services, actor, id)
        return { status: 200, location: sessionPath(app.prefix, actor, id), body }
      })
  })

  app.route({
    ...routes.getStats,
    handler: ({ actor, query }) => getStats(services, actor, query)
  })

  app.route({
    ...routes.exportSessions,
    handler: async ({ actor, body }, reply) => {
      const text = await exportSessions(services, actor, body)
      holdUntilRead(reply.raw, text, LIMITS.longReads.stallMs)
      // A stream bypasses the response schema: serializing a second time would double the cost.
      return sendAs(reply, 'application/json', Readable.from(text, { objectMode: false }))
    }
  })

  app.route({
    ...ACTION_ITEM_ROUTES.getActionItems,
    handler: async ({ actor, params }, reply) => {
      const items = await getActionItems(services, actor, params.id)
      reply.header('etag', `"${items.version}"`)
      return items
    }
  })

  app.route({
    ...ACTION_ITEM_ROUTES.listActionItems,
    handler: async (request, reply) => {
      const { actor, query, headers } = request
      const list = await listActionItems(services, actor, query)
      reply.header('vary', 'Accept')
      if (preferredType(headers.accept, ['application/json', 'text/csv']) === 'application/json') return list
      if (list.next_cursor !== null) reply.header('link', nextLink(request, services.publicUrl, list.next_cursor))
      reply.header('content-disposition', attachment('action-items.csv'))
      return sendAs(reply, 'text/csv', toCsv(list.action_items))
    }
  })

  app.route({
    ...ACTION_ITEM_ROUTES.updateActionItem,
    handler: async ({ actor, params, headers, body }, reply) => {
      const precondition = headers['if-match']
      const item = await updateActionItem(services, actor, params.id, body, { precondition })
      reply.header('etag', `"${item.version}"`)
      return item
    }
  })
}

/** Sends what is no JSON, or JSON already, past the response schema. */
function sendAs(reply: FastifyReply, type: string, text: string | Readable) {
  return reply.type(`${type}; charset=utf-8`).send(text)
}

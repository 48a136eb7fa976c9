import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { SEARCH_ROUTES as routes } from '../../contract/routes/search.ts'
import type { Services } from '../services.ts'
import { searchSessions } from './operations.ts'

/** Search over HTTP: for tokens below `/v1`, and for the operator below a user's path. */
export const searchPlugin: FastifyPluginAsyncZod<{ services: Services }> = async (app, { services }) => {
  app.route({
    ...routes.searchSessions,
    handler: async ({ actor, body }, reply) => {
      const { response, mode } = await searchSessions(services, actor, body)
      if (mode === 'lexical') reply.header('x-search-mode', mode)
      return response
    }
  })
}

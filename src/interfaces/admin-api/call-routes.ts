import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { CALL_ROUTES as routes } from '../../contract/admin/call-routes.ts'
import { startCall, updateCall } from '../../features/ingest/calls.ts'
import type { Services } from '../../features/services.ts'

/** Phone calls, whose sessions exist while they go on. */
export const callsPlugin: FastifyPluginAsyncZod<{ services: Services }> = async (app, { services }) => {
  app.route({
    ...routes.startCall,
    handler: async ({ actor, body }, reply) => {
      const { session, created } = await startCall(services, actor, body)
      return reply.code(created ? 201 : 200).send(session)
    }
  })

  app.route({
    ...routes.updateCall,
    handler: ({ actor, params, body }) => updateCall(services, actor, params.session_id, body)
  })
}

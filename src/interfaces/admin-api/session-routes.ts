import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { OPERATOR_ROUTES as routes } from '../../contract/admin/session-routes.ts'
import { deleteRecording } from '../../features/recordings/operations.ts'
import type { Services } from '../../features/services.ts'

/** Operations on a session that only the operator has. */
export const operatorSessionsPlugin: FastifyPluginAsyncZod<{ services: Services }> = async (app, { services }) => {
  app.route({
    ...routes.deleteRecording,
    handler: ({ actor, params }) => deleteRecording(services, actor, params.session_id)
  })
}

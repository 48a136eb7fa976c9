import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { SUMMARY_ROUTES as routes } from '../../contract/routes/summaries.ts'
import type { Services } from '../services.ts'
import { getSummary } from './operations.ts'

/** Summaries in parts over HTTP: for tokens below `/v1`, and for the operator below a user's path. */
export const summariesPlugin: FastifyPluginAsyncZod<{ services: Services }> = async (app, { services }) => {
  app.route({ ...routes.getSummary, handler: ({ actor, params }) => getSummary(services, actor, params.id) })
}

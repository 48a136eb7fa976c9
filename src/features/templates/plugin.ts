import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { SUMMARY_TEMPLATE_ROUTES as routes } from '../../contract/routes/summary-templates.ts'
import type { Services } from '../services.ts'
import {
  createSummaryTemplate,
  deleteSummaryTemplate,
  getSummaryTemplate,
  listSummaryTemplates,
  updateSummaryTemplate
} from './operations.ts'

/** Summary templates over HTTP: for tokens below `/v1`, and for the operator below a user's path. */
export const templatesPlugin: FastifyPluginAsyncZod<{ services: Services }> = async (app, { services }) => {
  app.route({
    ...routes.listSummaryTemplates,
    handler: ({ actor, query }) => listSummaryTemplates(services, actor, query)
  })

  app.route({
    ...routes.getSummaryTemplate,
    handler: ({ actor, params }) => getSummaryTemplate(services, actor, params.id)
  })

  app.route({
    ...routes.createSummaryTemplate,
    handler: ({ actor, body }, reply) =>
      reply.answerOnce(body, async services => ({
        status: 201,
        body: await createSummaryTemplate(services, actor, body)
      }))
  })

  app.route({
    ...routes.updateSummaryTemplate,
    handler: ({ actor, params, body }) => updateSummaryTemplate(services, actor, params.id, body)
  })

  app.route({
    ...routes.deleteSummaryTemplate,
    handler: async ({ actor, params }, reply) => {
      await deleteSummaryTemplate(services, actor, params.id)
      reply.code(204)
    }
  })
}

import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { WEBHOOK_ROUTES as routes } from '../../contract/routes/webhooks.ts'
import type { Services } from '../services.ts'
import { listDeliveries, replayEvents, retryDelivery } from './delivery/operations.ts'
import {
  deleteWebhook,
  listWebhooks,
  rotateWebhookSecret,
  stageWebhook,
  testWebhook,
  updateWebhook
} from './operations.ts'

export const webhooksPlugin: FastifyPluginAsyncZod<{ services: Services }> = async (app, { services }) => {
  app.route({
    ...routes.listWebhooks,
    handler: ({ actor }) => listWebhooks(services, actor)
  })

  app.route({
    ...routes.createWebhook,
    handler: async ({ actor, body }, reply) => {
      const staged = await stageWebhook(services, actor, body)
      return await reply.answerOnce(body, async within => ({ status: 201, body: await staged.insert(within) }))
    }
  })

  app.route({
    ...routes.updateWebhook,
    handler: ({ actor, params, body }) => updateWebhook(services, actor, params.id, body)
  })

  app.route({
    ...routes.deleteWebhook,
    handler: ({ actor, params }) => deleteWebhook(services, actor, params.id)
  })

  app.route({
    ...routes.rotateWebhookSecret,
    handler: ({ actor, params }, reply) =>
      reply.answerOnce(undefined, async services => ({
        status: 200,
        body: await rotateWebhookSecret(services, actor, params.id)
      }))
  })

  app.route({
    ...routes.testWebhook,
    handler: ({ actor, params }) => testWebhook(services, actor, params.id)
  })

  app.route({
    ...routes.listDeliveries,
    handler: ({ actor, params, query }) => listDeliveries(services, actor, params.id, query)
  })

  app.route({
    ...routes.retryDelivery,
    handler: ({ actor, params }, reply) =>
      reply.answerOnce(undefined, async services => ({
        status: 200,
        body: await retryDelivery(services, actor, params.id, params.delivery_id)
      }))
  })

  app.route({
    ...routes.replayEvents,
    handler: ({ actor, params, body }, reply) =>
      reply.answerOnce(body, async services => ({
        status: 200,
        body: await replayEvents(services, actor, params.id, body)
      }))
  })
}

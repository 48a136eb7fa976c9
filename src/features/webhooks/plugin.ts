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
  app.get('/webhooks', routes.listWebhooks, ({ actor }) => listWebhooks(services, actor))

  app.post('/webhooks', routes.createWebhook, async ({ actor, body }, reply) => {
    const staged = await stageWebhook(services, actor, body)
    return await reply.answerOnce(body, async within => ({ status: 201, body: await staged.insert(within) }))
  })

  app.patch('/webhooks/:id', routes.updateWebhook, ({ actor, params, body }) =>
    updateWebhook(services, actor, params.id, body)
  )

  app.delete('/webhooks/:id', routes.deleteWebhook, ({ actor, params }) => deleteWebhook(services, actor, params.id))

  app.post('/webhooks/:id/rotate-secret', routes.rotateWebhookSecret, ({ actor, params }, reply) =>
    reply.answerOnce(undefined, async services => ({
      status: 200,
      body: await rotateWebhookSecret(services, actor, params.id)
    }))
  )

  app.post('/webhooks/:id/test', routes.testWebhook, ({ actor, params }) => testWebhook(services, actor, params.id))

  app.get('/webhooks/:id/deliveries', routes.listDeliveries, ({ actor, params, query }) =>
    listDeliveries(services, actor, params.id, query)
  )

  app.post('/webhooks/:id/deliveries/:delivery_id/retry', routes.retryDelivery, ({ actor, params }, reply) =>
    reply.answerOnce(undefined, async services => ({
      status: 200,
      body: await retryDelivery(services, actor, params.id, params.delivery_id)
    }))
  )

  app.post('/webhooks/:id/replay', routes.replayEvents, ({ actor, params, body }, reply) =>
    reply.answerOnce(body, async services => ({
      status: 200,
      body: await replayEvents(services, actor, params.id, body)
    }))
  )
}

import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { DeliveriesQuery, Delivery, DeliveryList, Replayed, ReplayRequest } from '../../contract/delivery.ts'
import { EXAMPLES } from '../../contract/examples.ts'
import { IdempotencyHeaders } from '../../contract/idempotency.ts'
import { REQUESTS } from '../../contract/request-examples.ts'
import { webhookId } from '../../contract/webhook.ts'
import { invalid, throwNotFound } from '../../core/api-error.ts'
import { cutPage } from '../../core/page.ts'
import type { Db } from '../../db/open.ts'
import type { Services } from '../../services.ts'
import { findWebhook, lockWebhook } from '../queries.ts'
import { findDeliveries, findSeqSince, replayEvents, requeueDelivery } from './queries.ts'

const tags = ['Webhooks']
const scopes = ['webhooks:manage'] as const
const deliveryId = z
  .string()
  .meta({ description: 'The id of the event.', examples: ['evt_01m7x9h2v8e7ksp4d0f6t3yxqa'] })

export const deliveryRoutes: FastifyPluginAsyncZod<Services> = async (app, { db, clock }) => {
  app.get(
    '/webhooks/:id/deliveries',
    {
      config: { scopes, example: EXAMPLES.deliveries, headers: ['Link'] },
      schema: {
        operationId: 'listDeliveries',
        tags,
        summary: 'List deliveries',
        description:
          'The deliveries of this webhook, past and waiting, newest event first, with every attempt of the last 30 days.',
        params: z.object({ id: webhookId }),
        querystring: DeliveriesQuery,
        response: { 200: DeliveryList }
      }
    },
    async ({ actor, params, query: { limit, ...query } }) => {
      if (!(await findWebhook(db, actor.userId, params.id))) throwNotFound('Webhook')
      const found = await findDeliveries(db, actor.userId, params.id, query, limit + 1)
      const { page, next } = cutPage(found, limit, ({ position }) => position)
      return { deliveries: page.map(({ delivery }) => delivery), ...next }
    }
  )

  app.post(
    '/webhooks/:id/deliveries/:delivery_id/retry',
    {
      config: { scopes, example: EXAMPLES.delivery },
      schema: {
        operationId: 'retryDelivery',
        tags,
        summary: 'Retry a delivery',
        description:
          'Sends the event again at once. If that fails, the schedule of attempts starts again. A pause of the endpoint ends.',
        params: z.object({ id: webhookId, delivery_id: deliveryId }),
        headers: IdempotencyHeaders,
        response: { 200: Delivery }
      }
    },
    async ({ actor, params }, reply) => {
      const retry = async (tx: Db) => {
        await lockActive(tx, actor.userId, params.id)
        const queued = await requeueDelivery(tx, actor.userId, params.id, params.delivery_id, clock.now())
        return { status: 200, body: queued ?? throwNotFound('Delivery') }
      }
      return await reply.answerOnce(undefined, ({ db }) => db.transaction(retry))
    }
  )

  app.post(
    '/webhooks/:id/replay',
    {
      config: { request: REQUESTS.replay, scopes, example: EXAMPLES.replayed },
      schema: {
        operationId: 'replayEvents',
        tags,
        summary: 'Replay events',
        description:
          'Sends events of the feed again, from a sequence number or an instant on. Only the types that the webhook names are sent.',
        params: z.object({ id: webhookId }),
        headers: IdempotencyHeaders,
        body: ReplayRequest,
        response: { 200: Replayed }
      }
    },
    async ({ actor, params, body }, reply) => {
      const { from_seq, since } = body
      const replay = async (tx: Db) => {
        const { events } = await lockActive(tx, actor.userId, params.id)
        const from = since === undefined ? (from_seq ?? 1) : await findSeqSince(tx, actor.userId, since)
        const { queued, nextSeq } = await replayEvents(tx, actor.userId, params.id, events, from, clock.now())
        return { status: 200, body: { webhook_id: params.id, queued, next_seq: nextSeq } }
      }
      return await reply.answerOnce(body, ({ db }) => db.transaction(replay))
    }
  )
}

async function lockActive(tx: Db, userId: string, webhookId: string) {
  const webhook = await lockWebhook(tx, userId, webhookId)
  if (!webhook) throwNotFound('Webhook')
  if (!webhook.active) throw invalid({ problem: 'The webhook is turned off; set active to true first' })
  return webhook
}

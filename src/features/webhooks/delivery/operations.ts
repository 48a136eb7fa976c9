import type { DeliveriesQuery, Delivery, DeliveryList, Replayed, ReplayRequest } from '../../../contract/delivery.ts'
import { invalid, throwNotFound } from '../../../platform/core/api-error.ts'
import { cutPage } from '../../../platform/core/page.ts'
import type { Db } from '../../../platform/db/open.ts'
import { operation } from '../../access/operation.ts'
import type { Needs } from '../../services.ts'
import { findWebhook, lockWebhook } from '../queries.ts'
import { findExchange } from './exchange.ts'
import { findAttempts, findDeliveries, findSeqSince, requeueDelivery, requeueEvents } from './queries.ts'

/** Lists the deliveries of a webhook, past and waiting, newest event first, with their attempts. */
export const listDeliveries = operation(
  'listDeliveries',
  async (
    { db }: Needs<'db'>,
    actor,
    webhookId: string,
    { limit, ...filter }: DeliveriesQuery
  ): Promise<DeliveryList> => {
    if (!(await findWebhook(db, actor.userId, webhookId))) throwNotFound('Webhook')
    const found = await findDeliveries(db, actor.userId, webhookId, filter, limit + 1)
    const { page, next } = cutPage(found, limit, ({ position }) => position)
    return { deliveries: page.map(({ delivery }) => delivery), ...next }
  }
)

/** The number of attempts that an operator sees at once. */
const MAX_ATTEMPTS = 50

/** Lists the latest attempts of a webhook, newest first, with the beginning of each response. */
export const listAttempts = operation('listAttempts', async ({ db }: Needs<'db'>, actor, webhookId: string) => {
  if (!(await findWebhook(db, actor.userId, webhookId))) throwNotFound('Webhook')
  return await findAttempts(db, actor.userId, webhookId, MAX_ATTEMPTS)
})

/** Returns an event as it is sent to a webhook, and what the receiver answered, which no token reads. */
export const getExchange = operation(
  'getExchange',
  async ({ db }: Needs<'db'>, actor, webhookId: string, deliveryId: string) => {
    if (!(await findWebhook(db, actor.userId, webhookId))) throwNotFound('Webhook')
    return (await findExchange(db, actor.userId, webhookId, deliveryId)) ?? throwNotFound('Delivery')
  }
)

/** Sends an event again at once. If that fails, the schedule of attempts starts again. */
export const retryDelivery = operation(
  'retryDelivery',
  async ({ db, clock }: Needs<'db' | 'clock'>, actor, webhookId: string, deliveryId: string): Promise<Delivery> => {
    return await db.transaction(async tx => {
      await lockActiveWebhook(tx, actor.userId, webhookId)
      const queued = await requeueDelivery(tx, actor.userId, webhookId, deliveryId, clock.now())
      return queued ?? throwNotFound('Delivery')
    })
  }
)

/** Sends events of the feed again, from a sequence number or an instant on: those whose types the webhook names. */
export const replayEvents = operation(
  'replayEvents',
  async (
    { db, clock }: Needs<'db' | 'clock'>,
    actor,
    webhookId: string,
    { from_seq, since }: ReplayRequest
  ): Promise<Replayed> => {
    const { userId } = actor
    return await db.transaction(async tx => {
      const { events } = await lockActiveWebhook(tx, userId, webhookId)
      const from = since === undefined ? (from_seq ?? 1) : await findSeqSince(tx, userId, since)
      const { queued, nextSeq } = await requeueEvents(tx, userId, webhookId, events, from, clock.now())
      return { webhook_id: webhookId, queued, next_seq: nextSeq }
    })
  }
)

async function lockActiveWebhook(tx: Db, userId: string, webhookId: string) {
  const webhook = (await lockWebhook(tx, userId, webhookId)) ?? throwNotFound('Webhook')
  if (!webhook.active) throw invalid({ problem: 'The webhook is turned off; set active to true first' })
  return webhook
}

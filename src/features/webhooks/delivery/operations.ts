import type { DeliveriesQuery, Delivery, DeliveryList, Replayed, ReplayRequest } from '../../../contract/delivery.ts'
import { invalid, throwNotFound } from '../../../platform/core/api-error.ts'
import { cutPage } from '../../../platform/core/page.ts'
import type { Db } from '../../../platform/db/open.ts'
import type { Actor } from '../../../platform/ports/actor.ts'
import { requireOwner, requireScope } from '../../access/actor.ts'
import type { Needs } from '../../services.ts'
import { findWebhook, lockWebhook } from '../queries.ts'
import { findAttempts, findDeliveries, findExchange, findSeqSince, requeueDelivery, requeueEvents } from './queries.ts'

/** Lists the deliveries of a webhook, past and waiting, newest event first, with their attempts. */
export async function listDeliveries(
  { db }: Needs<'db'>,
  actor: Actor,
  webhookId: string,
  { limit, ...filter }: DeliveriesQuery
): Promise<DeliveryList> {
  requireScope(actor, 'webhooks:manage')
  if (!(await findWebhook(db, actor.userId, webhookId))) throwNotFound('Webhook')
  const found = await findDeliveries(db, actor.userId, webhookId, filter, limit + 1)
  const { page, next } = cutPage(found, limit, ({ position }) => position)
  return { deliveries: page.map(({ delivery }) => delivery), ...next }
}

/** The number of attempts that an operator sees at once. */
const MAX_ATTEMPTS = 50

/** Lists the latest attempts of a webhook, newest first, with the beginning of each response. */
export async function listAttempts({ db }: Needs<'db'>, actor: Actor, webhookId: string) {
  requireScope(actor, 'webhooks:manage')
  if (!(await findWebhook(db, actor.userId, webhookId))) throwNotFound('Webhook')
  return await findAttempts(db, actor.userId, webhookId, MAX_ATTEMPTS)
}

/** Returns an event as it is sent to a webhook, and what the receiver answered, which no token reads. */
export async function getExchange({ db }: Needs<'db'>, actor: Actor, webhookId: string, deliveryId: string) {
  requireScope(actor, 'webhooks:manage')
  requireOwner(actor)
  if (!(await findWebhook(db, actor.userId, webhookId))) throwNotFound('Webhook')
  return (await findExchange(db, actor.userId, webhookId, deliveryId)) ?? throwNotFound('Delivery')
}

/** Sends an event again at once. If that fails, the schedule of attempts starts again. */
export async function retryDelivery(
  { db, clock }: Needs<'db' | 'clock'>,
  actor: Actor,
  webhookId: string,
  deliveryId: string
): Promise<Delivery> {
  requireScope(actor, 'webhooks:manage')
  return await db.transaction(async tx => {
    await lockActiveWebhook(tx, actor.userId, webhookId)
    const queued = await requeueDelivery(tx, actor.userId, webhookId, deliveryId, clock.now())
    return queued ?? throwNotFound('Delivery')
  })
}

/** Sends events of the feed again, from a sequence number or an instant on: those whose types the webhook names. */
export async function replayEvents(
  { db, clock }: Needs<'db' | 'clock'>,
  actor: Actor,
  webhookId: string,
  { from_seq, since }: ReplayRequest
): Promise<Replayed> {
  requireScope(actor, 'webhooks:manage')
  const { userId } = actor
  return await db.transaction(async tx => {
    const { events } = await lockActiveWebhook(tx, userId, webhookId)
    const from = since === undefined ? (from_seq ?? 1) : await findSeqSince(tx, userId, since)
    const { queued, nextSeq } = await requeueEvents(tx, userId, webhookId, events, from, clock.now())
    return { webhook_id: webhookId, queued, next_seq: nextSeq }
  })
}

async function lockActiveWebhook(tx: Db, userId: string, webhookId: string) {
  const webhook = (await lockWebhook(tx, userId, webhookId)) ?? throwNotFound('Webhook')
  if (!webhook.active) throw invalid({ problem: 'The webhook is turned off; set active to true first' })
  return webhook
}

import { type EventType, TEST_EVENT } from '../../contract/event.ts'
import type { WebhookPayload } from '../../contract/webhook.ts'
import { and, asc, between, count, eq, gt, isNull, max, sql } from '../../platform/db/drizzle.ts'
import { matches } from '../../platform/db/matches.ts'
import type { Db } from '../../platform/db/open.ts'
import { webhookAttempts, webhookDeliveries, webhookQueue, webhooks } from '../../platform/db/schema/index.ts'
import type { Outcome } from '../../platform/ports/sender.ts'
import { lockUser } from '../library/queries.ts'
import { toWebhook, type WebhookRow } from './webhook-row.ts'

/** Oldest first. */
export async function selectWebhooks(db: Db, userId: string) {
  const rows = await db
    .select()
    .from(webhooks)
    .where(eq(webhooks.userId, userId))
    .orderBy(asc(webhooks.createdAt), asc(webhooks.webhookId))
  return rows.map(toWebhook)
}

/** The stored row, with the encrypted secrets. */
export async function findWebhook(db: Db, userId: string, webhookId: string): Promise<WebhookRow | undefined> {
  const [row] = await db.select().from(webhooks).where(isWebhook(userId, webhookId))
  return row
}

/** Locks the webhook until the transaction ends, so that nobody deletes it or turns it on or off. */
export async function lockWebhook(tx: Db, userId: string, webhookId: string) {
  tx.willLock('webhook')
  const [row] = await tx.select().from(webhooks).where(isWebhook(userId, webhookId)).for('no key update')
  return row
}

/** Counts the user's webhooks and locks the user, so that nobody adds one until the transaction ends. */
export async function lockAndCountWebhooks(tx: Db, userId: string) {
  await lockUser(tx, userId)
  const [counted] = await tx.select({ count: count() }).from(webhooks).where(eq(webhooks.userId, userId))
  return counted?.count ?? 0
}

/** Headers as they are stored: encrypted, with their names beside them. */
type StoredHeaders = Pick<WebhookRow, 'headers' | 'headerNames'>

export async function insertWebhook(
  tx: Db,
  userId: string,
  webhook: StoredHeaders & {
    webhookId: string
    url: string
    events: EventType[]
    payload: WebhookPayload
    secret: string
    now: Date
  }
) {
  const { now, ...given } = webhook
  const [row] = await tx
    .insert(webhooks)
    .values({ userId, ...given, active: true, failureCount: 0, createdAt: now, updatedAt: now })
    .returning()
  if (!row) throw new Error('The webhook was not added')
  return toWebhook(row)
}

interface WebhookChange extends Partial<StoredHeaders> {
  url?: string | undefined
  events?: EventType[] | undefined
  payload?: WebhookPayload | undefined
  active?: boolean | undefined
}

/** Changes a webhook. Returns undefined if it does not exist. */
export async function updateWebhookRow(tx: Db, userId: string, webhookId: string, change: WebhookChange, now: Date) {
  const reset = change.active === true ? { failureCount: 0, failingSince: null } : {}
  const [row] = await tx
    .update(webhooks)
    .set({ ...change, ...reset, updatedAt: now })
    .where(isWebhook(userId, webhookId))
    .returning()
  if (row?.active && (change.url !== undefined || change.active)) await forgetPast(tx, userId, webhookId, now)
  return row && toWebhook(row)
}

/** Replaces the secret; the previous one signs as well until then. Returns undefined if the webhook does not exist. */
export async function replaceSecret(
  tx: Db,
  userId: string,
  webhookId: string,
  secret: string,
  { until, now }: { until: Date; now: Date }
) {
  const [row] = await tx
    .update(webhooks)
    .set({ secret, previousSecret: webhooks.secret, previousSecretUntil: until, updatedAt: now })
    .where(isWebhook(userId, webhookId))
    .returning()
  return row && toWebhook(row)
}

/** Tests are numbered by webhook, below the events of the feed and above those outside of it. */
const FIRST_TEST = -(2 ** 52)

/** Records a test in the attempt log. It leaves failure_count as it is. */
export async function recordTest(
  tx: Db,
  userId: string,
  webhookId: string,
  test: Outcome & { eventId: string; at: Date }
) {
  const { eventId, at, status, error, durationMs, answer, answerHeaders } = test
  const updated = await tx
    .update(webhooks)
    .set({ lastDeliveryAt: at, lastDeliveryStatus: status })
    .where(isWebhook(userId, webhookId))
    .returning({ webhookId: webhooks.webhookId })
  if (updated.length === 0) return
  const isTest = and(matches(webhookAttempts, { userId, webhookId }), between(webhookAttempts.seq, FIRST_TEST, 0))
  const [last] = await tx
    .select({ seq: max(webhookAttempts.seq) })
    .from(webhookAttempts)
    .where(isTest)
  await tx.insert(webhookAttempts).values({
    userId,
    webhookId,
    seq: (last?.seq ?? FIRST_TEST) + 1,
    attempt: 1,
    eventId,
    type: TEST_EVENT,
    attemptedAt: at,
    durationMs: Math.round(durationMs),
    status,
    error,
    answer,
    answerHeaders,
    ended: error === null ? 'delivered' : 'failed'
  })
}

/** Deletes a webhook with its waiting deliveries. Returns whether it existed. */
export async function deleteWebhookRow(tx: Db, userId: string, webhookId: string) {
  tx.willLock('webhook')
  const found = await tx
    .select({ webhookId: webhooks.webhookId })
    .from(webhooks)
    .where(isWebhook(userId, webhookId))
    .for('update')
  if (found.length === 0) return false
  // The order in which the dispatcher locks the tables.
  await tx.delete(webhookDeliveries).where(matches(webhookDeliveries, { userId, webhookId }))
  await tx.delete(webhookQueue).where(matches(webhookQueue, { userId, webhookId }))
  await tx.delete(webhooks).where(isWebhook(userId, webhookId))
  return true
}

/** Makes waiting deliveries due at once: backoffs, pauses and slowness belong to the old URL, or are forgiven. */
async function forgetPast(tx: Db, userId: string, webhookId: string, now: Date) {
  const isWaiting = and(isNull(webhookDeliveries.claimId), gt(webhookDeliveries.nextAt, now))
  await tx
    .update(webhookDeliveries)
    .set({ nextAt: now })
    .where(and(matches(webhookDeliveries, { userId, webhookId }), isWaiting))
  await makeDue(tx, userId, webhookId, now)
  await tx.update(webhookQueue).set({ answerMs: null }).where(matches(webhookQueue, { userId, webhookId }))
}

/** Makes the webhook due now, in spite of any pause. */
export async function makeDue(tx: Db, userId: string, webhookId: string, now: Date) {
  tx.willLock('webhook queue')
  await tx
    .insert(webhookQueue)
    .values({ userId, webhookId, nextDue: now })
    .onConflictDoUpdate({
      target: [webhookQueue.userId, webhookQueue.webhookId],
      set: { nextDue: sql`least(${webhookQueue.nextDue}, excluded.next_due)`, pausedUntil: null }
    })
  tx.afterCommit('deliveries', userId)
}

function isWebhook(userId: string, webhookId: string) {
  return matches(webhooks, { userId, webhookId })
}

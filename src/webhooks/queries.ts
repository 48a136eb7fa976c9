import { type EventType, TEST_EVENT } from '../contract/event.ts'
import type { Webhook } from '../contract/webhook.ts'
import { afterCommit } from '../db/commits.ts'
import { and, asc, count, eq, gt, isNull, sql } from '../db/drizzle.ts'
import type { Db } from '../db/open.ts'
import { users, webhookAttempts, webhookDeliveries, webhookQueue, webhooks } from '../db/schema/index.ts'
import type { Outcome } from './client.ts'

type Row = typeof webhooks.$inferSelect

/** Oldest first. */
export async function listWebhooks(db: Db, userId: string) {
  const rows = await db.select().from(webhooks).where(eq(webhooks.userId, userId)).orderBy(asc(webhooks.createdAt), asc(webhooks.webhookId))
  return rows.map(toWebhook)
}

/** The row, for what the API does not show. */
export async function findWebhook(db: Db, userId: string, webhookId: string): Promise<Row | undefined> {
  const [row] = await db.select().from(webhooks).where(isWebhook(userId, webhookId))
  return row
}

/** How many the user has. Nobody adds one until the transaction ends. */
export async function countWebhooksLocked(tx: Db, userId: string) {
  // Not against those who refer to the user, which every import does.
  await tx.select({ userId: users.userId }).from(users).where(eq(users.userId, userId)).for('no key update')
  const [counted] = await tx.select({ count: count() }).from(webhooks).where(eq(webhooks.userId, userId))
  return counted?.count ?? 0
}

export async function addWebhook(
  tx: Db,
  userId: string,
  webhook: { webhookId: string; url: string; events: EventType[]; secret: string; now: Date }
) {
  const { now, ...given } = webhook
  const [row] = await tx
    .insert(webhooks)
    .values({ userId, ...given, active: true, failureCount: 0, createdAt: now, updatedAt: now })
    .returning()
  if (!row) throw new Error('The webhook was not added')
  return toWebhook(row)
}

export interface WebhookChange {
  url?: string | undefined
  events?: EventType[] | undefined
  active?: boolean | undefined
}

/** Undefined where there is no such webhook. */
export async function updateWebhook(tx: Db, userId: string, webhookId: string, change: WebhookChange, now: Date) {
  const forgiven = change.active === true ? { failureCount: 0, failingSince: null } : {}
  const [row] = await tx
    .update(webhooks)
    .set({ ...change, ...forgiven, updatedAt: now })
    .where(isWebhook(userId, webhookId))
    .returning()
  // Pauses, waiting times and slowness were earned at the old address, or are forgiven.
  if (row?.active && (change.url !== undefined || change.active)) await makeDue(tx, userId, webhookId, now)
  return row && toWebhook(row)
}

/** Undefined where there is no such webhook. The secret before signs beside the new one until then. */
export async function replaceSecret(tx: Db, userId: string, webhookId: string, secret: string, { until, now }: { until: Date; now: Date }) {
  const [row] = await tx
    .update(webhooks)
    .set({ secret, previousSecret: webhooks.secret, previousSecretUntil: until, updatedAt: now })
    .where(isWebhook(userId, webhookId))
    .returning()
  return row && toWebhook(row)
}

/** In the log tests stand below the events, which are numbered from 1. */
const TEST_SEQ = 0

/** A test is a delivery too, though none that counts as a failure. */
export async function noteTest(tx: Db, userId: string, webhookId: string, test: Outcome & { eventId: string; at: Date }) {
  const { eventId, at, status, error, durationMs, answer } = test
  const noted = await tx
    .update(webhooks)
    .set({ lastDeliveryAt: at, lastDeliveryStatus: status })
    .where(isWebhook(userId, webhookId))
    .returning({ webhookId: webhooks.webhookId })
  if (noted.length === 0) return
  const { attempt, seq, userId: owner, webhookId: webhook } = webhookAttempts
  const tests = and(eq(owner, userId), eq(webhook, webhookId), eq(seq, TEST_SEQ))
  const [last] = await tx
    .select({ attempt: sql<number | null>`max(${attempt})` })
    .from(webhookAttempts)
    .where(tests)
  await tx.insert(webhookAttempts).values({
    ...{ userId, webhookId, seq: TEST_SEQ, attempt: (last?.attempt ?? 0) + 1, eventId, type: TEST_EVENT },
    ...{ attemptedAt: at, durationMs: Math.round(durationMs), status, error, answer: answer.toWellFormed(), ended: null }
  })
}

/** With all that is still to be sent. Returns whether there was such a webhook. */
export async function deleteWebhook(tx: Db, userId: string, webhookId: string) {
  const found = await tx.select({ webhookId: webhooks.webhookId }).from(webhooks).where(isWebhook(userId, webhookId)).for('update')
  if (found.length === 0) return false
  // In the order in which the dispatcher locks them.
  await tx.delete(webhookDeliveries).where(and(eq(webhookDeliveries.userId, userId), eq(webhookDeliveries.webhookId, webhookId)))
  await tx.delete(webhookQueue).where(and(eq(webhookQueue.userId, userId), eq(webhookQueue.webhookId, webhookId)))
  await tx.delete(webhooks).where(isWebhook(userId, webhookId))
  return true
}

async function makeDue(tx: Db, userId: string, webhookId: string, now: Date) {
  const { claimId, nextAt, userId: owner, webhookId: webhook } = webhookDeliveries
  await tx
    .update(webhookDeliveries)
    .set({ nextAt: now })
    .where(and(eq(owner, userId), eq(webhook, webhookId), isNull(claimId), gt(nextAt, now)))
  await tx
    .insert(webhookQueue)
    .values({ userId, webhookId, nextDue: now })
    .onConflictDoUpdate({
      target: [webhookQueue.userId, webhookQueue.webhookId],
      set: { nextDue: sql`least(${webhookQueue.nextDue}, excluded.next_due)`, pausedUntil: null, answerMs: null }
    })
  afterCommit(tx, 'deliveries')
}

function isWebhook(userId: string, webhookId: string) {
  return and(eq(webhooks.userId, userId), eq(webhooks.webhookId, webhookId))
}

function toWebhook(row: Row): Webhook {
  return {
    id: row.webhookId,
    url: row.url,
    events: row.events,
    active: row.active,
    failure_count: row.failureCount,
    last_delivery_at: row.lastDeliveryAt?.toISOString() ?? null,
    last_delivery_status: row.lastDeliveryStatus,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString()
  }
}

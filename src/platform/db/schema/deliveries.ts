import type { EventType, TEST_EVENT } from '../../../contract/event.ts'
import { bigint, type Column, index, integer, pgTable, primaryKey, sql, text } from '../drizzle.ts'
import { instant, partOf } from './users.ts'
import { webhooks } from './webhooks.ts'

/** An endpoint is slow if its attempts usually take longer. Slow endpoints have slots of their own. */
export const SLOW_MS = 2_000

/** The next due time of each webhook. It has one row per webhook, so that a claim never reads backlogs. */
export const webhookQueue = pgTable(
  'webhook_queue',
  {
    userId: text().notNull(),
    webhookId: text().notNull(),
    /** Null if nothing waits, or only for an attempt in flight. It may be too early, never too late. */
    nextDue: instant(),
    /** Nothing is sent before this time: the receiver asked for it, or has failed too often. */
    pausedUntil: instant(),
    /** The moving average of the answer time. Null before the first attempt has ended. */
    answerMs: integer()
  },
  table => [
    primaryKey({ columns: [table.userId, table.webhookId] }),
    index('webhook_queue_due').on(table.nextDue),
    index('webhook_queue_slow_due')
      .on(table.nextDue)
      .where(sql.raw(`answer_ms > ${SLOW_MS}`)),
    ofWebhook('webhook_queue_webhook_fk', table)
  ]
)

/** Deliveries that are not done. A row is removed when its event is delivered or given up. */
export const webhookDeliveries = pgTable(
  'webhook_deliveries',
  {
    userId: text().notNull(),
    webhookId: text().notNull(),
    /** The number of the event. */
    seq: bigint({ mode: 'number' }).notNull(),
    eventId: text().notNull(),
    type: text().$type<EventType>().notNull(),
    /** The number of claims, in all rounds. */
    attempt: integer().notNull(),
    /** The number of claims before the current round. A manual retry begins another round. */
    attemptsBefore: integer().notNull(),
    nextAt: instant().notNull(),
    /** The fencing token of the attempt in flight, and the end of its lease. Null while the delivery waits. */
    claimId: text(),
    leaseUntil: instant()
  },
  table => [
    primaryKey({ columns: [table.userId, table.webhookId, table.seq] }),
    index('webhook_deliveries_waiting')
      .on(table.userId, table.webhookId, table.nextAt, table.seq)
      .where(sql`claim_id is null`),
    index('webhook_deliveries_claimed').on(table.userId, table.webhookId).where(sql`claim_id is not null`),
    index('webhook_deliveries_leased').on(table.leaseUntil).where(sql`claim_id is not null`),
    ofWebhook('webhook_deliveries_webhook_fk', table)
  ]
)

/** The attempts of the last thirty days. */
export const webhookAttempts = pgTable(
  'webhook_attempts',
  {
    userId: text().notNull(),
    webhookId: text().notNull(),
    /** The number of the event. Tests have numbers of their own. */
    seq: bigint({ mode: 'number' }).notNull(),
    attempt: integer().notNull(),
    eventId: text().notNull(),
    type: text().$type<EventType | typeof TEST_EVENT>().notNull(),
    attemptedAt: instant().notNull(),
    durationMs: integer().notNull(),
    /** The HTTP status of the answer. Null without an answer. */
    status: integer(),
    /** The class of the error. Null on success. */
    error: text(),
    /** The beginning of the answer's body, for the owner in the console and the operator. */
    answer: text().notNull(),
    /** Headers of the answer, a line each. */
    answerHeaders: text().notNull().default(''),
    /** The end of the delivery if this was its last attempt. Null if another attempt follows. */
    ended: text().$type<'delivered' | 'failed'>()
  },
  table => [
    primaryKey({ columns: [table.userId, table.webhookId, table.seq, table.attempt] }),
    index('webhook_attempts_ended')
      .on(table.userId, table.webhookId, table.type, table.ended, table.seq)
      .where(sql`ended is not null`),
    index('webhook_attempts_age').using('brin', table.attemptedAt),
    ofWebhook('webhook_attempts_webhook_fk', table)
  ]
)

function ofWebhook(name: string, table: { userId: Column; webhookId: Column }) {
  return partOf(name, [table.userId, table.webhookId], [webhooks.userId, webhooks.webhookId])
}

import type { EventType, TEST_EVENT } from '../../contract/event.ts'
import { bigint, type Column, foreignKey, index, integer, pgTable, primaryKey, sql, text } from '../drizzle.ts'
import { instant } from './users.ts'
import { webhooks } from './webhooks.ts'

/** An endpoint whose attempts usually take longer is slow: it gets slots apart from those of the others. */
export const SLOW_MS = 2_000

/** When each webhook next has something to send. One row each, so that a claim looks at endpoints, never at their backlogs. */
export const webhookQueue = pgTable(
  'webhook_queue',
  {
    userId: text().notNull(),
    webhookId: text().notNull(),
    /** Null when nothing waits, or only for an attempt in flight. May be too early, never too late. */
    nextDue: instant(),
    /** Nothing is sent before: its receiver asked for it, or has failed too often. */
    pausedUntil: instant(),
    /** How long its attempts usually take, smoothed; null before the first has ended. */
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

/** Events that a webhook still has to be sent. A row goes when it was delivered or given up. */
export const webhookDeliveries = pgTable(
  'webhook_deliveries',
  {
    userId: text().notNull(),
    webhookId: text().notNull(),
    /** Of the event. */
    seq: bigint({ mode: 'number' }).notNull(),
    eventId: text().notNull(),
    type: text().$type<EventType>().notNull(),
    /** How often it was claimed for sending, in all. */
    attempt: integer().notNull(),
    /** How many of those were before the current round: a retry by hand begins another. */
    attemptsBefore: integer().notNull(),
    nextAt: instant().notNull(),
    /** Who is sending it, until when at most; null while it waits. */
    claimId: text(),
    leaseUntil: instant()
  },
  table => [
    primaryKey({ columns: [table.userId, table.webhookId, table.seq] }),
    index('webhook_deliveries_waiting').on(table.userId, table.webhookId, table.nextAt, table.seq).where(sql`claim_id is null`),
    index('webhook_deliveries_claimed').on(table.userId, table.webhookId).where(sql`claim_id is not null`),
    index('webhook_deliveries_leased').on(table.leaseUntil).where(sql`claim_id is not null`),
    ofWebhook('webhook_deliveries_webhook_fk', table)
  ]
)

/** Every attempt of the last thirty days. */
export const webhookAttempts = pgTable(
  'webhook_attempts',
  {
    userId: text().notNull(),
    webhookId: text().notNull(),
    /** Of the event; 0 of a test. */
    seq: bigint({ mode: 'number' }).notNull(),
    attempt: integer().notNull(),
    eventId: text().notNull(),
    type: text().$type<EventType | typeof TEST_EVENT>().notNull(),
    attemptedAt: instant().notNull(),
    durationMs: integer().notNull(),
    /** The answer's HTTP status; null when there was none. */
    status: integer(),
    /** What went wrong; null when nothing did. */
    error: text(),
    /** The beginning of the answer's body, for the operator alone. */
    answer: text().notNull(),
    /** How the delivery ended with this attempt; null where another one follows. */
    ended: text().$type<'delivered' | 'failed'>()
  },
  table => [
    primaryKey({ columns: [table.userId, table.webhookId, table.seq, table.attempt] }),
    index('webhook_attempts_ended').on(table.userId, table.webhookId, table.ended, table.seq).where(sql`ended is not null`),
    index('webhook_attempts_age').using('brin', table.attemptedAt),
    ofWebhook('webhook_attempts_webhook_fk', table)
  ]
)

function ofWebhook(name: string, table: { userId: Column; webhookId: Column }) {
  return foreignKey({ name, columns: [table.userId, table.webhookId], foreignColumns: [webhooks.userId, webhooks.webhookId] }).onDelete(
    'cascade'
  )
}

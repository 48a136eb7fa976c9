import type { DeliveriesQuery, Delivery } from '../../../contract/delivery.ts'
import { EVENT_TYPES, type EventType, TEST_EVENT } from '../../../contract/event.ts'
import { LIMITS } from '../../../contract/limits.ts'
import { desc, type SQL, sql } from '../../../platform/db/drizzle.ts'
import { matches } from '../../../platform/db/matches.ts'
import type { Db } from '../../../platform/db/open.ts'
import { webhookAttempts } from '../../../platform/db/schema/index.ts'
import { reasonOf } from '../outcome.ts'
import { makeDue } from '../queries.ts'

interface DeliveryRow extends Record<string, unknown> {
  seq: number
  event_id: string
  type: EventType | typeof TEST_EVENT
  ended: 'delivered' | 'failed' | null
  next_at: string | null
  attempts: Omit<Delivery['attempts'][number], 'reason'>[]
}

/**
 * Lists deliveries with their positions for the cursor: those of the feed, newest event first, then those outside the feed. A delivery waits
 * in the queue, or its last attempt ended it: an attempt is logged before its delivery leaves the queue.
 */
export async function findDeliveries(
  db: Db,
  userId: string,
  webhookId: string,
  query: Omit<DeliveriesQuery, 'limit'>,
  limit: number
) {
  const { status, event, cursor = Number.MAX_SAFE_INTEGER } = query
  const asked = sql`webhook_id = ${webhookId} and seq < ${cursor}`
  const parts: SQL[] = []
  if (status === undefined || status === 'pending') {
    const paused = sql`(select paused_until from webhook_queue where user_id = ${userId} and webhook_id = ${webhookId})`
    parts.push(sql`select * from (
      select seq, event_id, type, null as ended, case when claim_id is null then greatest(next_at, ${paused}) end as next_at
      from webhook_deliveries
      where user_id = ${userId} and ${asked} and ${event ? sql`type = ${event}` : sql`true`} order by seq desc limit ${limit}) waiting`)
  }
  if (status !== 'pending') parts.push(endedDeliveries(userId, webhookId, { status, event, cursor }, limit))
  const { rows } = await db.execute<DeliveryRow>(sql`
    select d.*, ${attemptsOf(userId, webhookId)} as attempts
    from (${sql.join(parts, sql` union all `)} order by seq desc limit ${limit}) d
    order by seq desc`)
  return rows.map(row => ({ position: Number(row.seq), delivery: toDelivery(row) }))
}

/**
 * A page of the deliveries that have ended. With a filter, it pages through each type and end `r` of the index, because one may have none among
 * very many. End and number are compared and sorted together: by the number alone, the planner might search the log for them.
 */
function endedDeliveries(
  userId: string,
  webhookId: string,
  {
    status,
    event,
    cursor
  }: { status?: 'delivered' | 'failed' | undefined; event: DeliveriesQuery['event']; cursor: number },
  limit: number
) {
  const columns = sql`seq, event_id, a.type, a.ended, null::timestamptz as next_at`
  const isEnded = sql`a.webhook_id = ${webhookId} and a.ended is not null and not ${isQueued(userId, webhookId)}`
  if (status === undefined && event === undefined)
    return sql`select * from (
      select ${columns} from webhook_attempts a where a.user_id = ${userId} and ${isEnded} and seq < ${cursor} order by seq desc limit ${limit}) ended`
  const types = sql.param(event ? [event] : [...EVENT_TYPES, TEST_EVENT])
  const ends = sql.param(status ? [status] : ['delivered', 'failed'])
  return sql`select ended.* from unnest(${types}::text[]) as t(type) cross join unnest(${ends}::text[]) as e(ended) cross join lateral (
      select ${columns} from webhook_attempts a
      where a.user_id = ${userId} and ${isEnded} and a.type = t.type and (a.ended, seq) < (e.ended, ${cursor}::bigint)
        and (a.ended, seq) >= (e.ended, ${Number.MIN_SAFE_INTEGER}::bigint)
      order by a.ended desc, seq desc limit ${limit}) ended`
}

/** Lists the last attempts, tests included, newest first, with the answers of receivers: for the operator only. */
export async function findAttempts(db: Db, userId: string, webhookId: string, limit: number) {
  const rows = await db
    .select()
    .from(webhookAttempts)
    .where(matches(webhookAttempts, { userId, webhookId }))
    .orderBy(desc(webhookAttempts.attemptedAt), desc(webhookAttempts.seq))
    .limit(limit)
  return rows.map(row => ({
    attempted_at: row.attemptedAt.toISOString(),
    event: row.type,
    id: row.eventId,
    attempt: row.attempt,
    status: row.status,
    error: row.error,
    reason: reasonOf(row.error, row.status),
    duration_ms: row.durationMs,
    ended: row.ended,
    answer: row.answer
  }))
}

/**
 * Puts a delivery first in the queue with a new round of attempts, whether it waits, has failed or was delivered.
 * Null if the event was never sent to this webhook, or is no longer kept.
 */
export async function requeueDelivery(
  tx: Db,
  userId: string,
  webhookId: string,
  eventId: string,
  now: Date
): Promise<Delivery | null> {
  const event = sql`(select user_id, seq, event_id, type from events where user_id = ${userId} and event_id = ${eventId})`
  await tx.execute(sql`
    insert into webhook_deliveries as d (user_id, webhook_id, seq, event_id, type, attempt, attempts_before, next_at)
    select e.user_id, ${webhookId}, e.seq, e.event_id, e.type, a.attempt, a.attempt, ${now}::timestamptz
    from ${event} e cross join lateral (
      select attempt from webhook_attempts
      where user_id = ${userId} and webhook_id = ${webhookId} and seq = e.seq order by attempt desc limit 1
    ) a
    on conflict do nothing`)
  // A delivery in flight continues, and is due again at its end.
  const { rows } = await tx.execute<DeliveryRow>(sql`
    update webhook_deliveries d set attempts_before = d.attempt, next_at = ${now}
    from ${event} e
    where d.user_id = ${userId} and d.webhook_id = ${webhookId} and d.seq = e.seq
    returning d.seq, d.event_id, d.type, null as ended, case when d.claim_id is null then d.next_at end as next_at,
      ${attemptsOf(userId, webhookId)} as attempts`)
  const [row] = rows
  if (!row) return null
  await reopen(tx, userId, webhookId, row.seq, row.seq)
  await makeDue(tx, userId, webhookId, now)
  return toDelivery(row)
}

/** Queues the recorded events from a seq on once more. Returns how many, and the seq to continue from. */
export async function requeueEvents(
  tx: Db,
  userId: string,
  webhookId: string,
  types: EventType[],
  fromSeq: number,
  now: Date
) {
  const { rows } = await tx.execute<{ first: number | null; last: number | null; seen: number }>(sql`
    select min(seq) as first, max(seq) as last, count(*)::int as seen from (
      select seq from events where user_id = ${userId} and seq >= ${fromSeq} order by seq limit ${LIMITS.replay}
    ) seen`)
  const { first = null, last = null, seen = 0 } = rows[0] ?? {}
  if (first === null || last === null) return { queued: 0, nextSeq: null }
  const { rows: queued } = await tx.execute(sql`
    insert into webhook_deliveries (user_id, webhook_id, seq, event_id, type, attempt, attempts_before, next_at)
    select e.user_id, ${webhookId}, e.seq, e.event_id, e.type, coalesce(made, 0), coalesce(made, 0), ${now}::timestamptz
    from events e cross join lateral (
      select max(attempt) as made from webhook_attempts a
      where a.user_id = ${userId} and a.webhook_id = ${webhookId} and a.seq = e.seq
    ) before
    where e.user_id = ${userId} and e.seq between ${first} and ${last} and e.type = any(${sql.param(types)}::text[])
    on conflict do nothing returning seq`)
  await reopen(tx, userId, webhookId, first, last)
  if (queued.length > 0) await makeDue(tx, userId, webhookId, now)
  return { queued: queued.length, nextSeq: seen === LIMITS.replay ? last + 1 : null }
}

/** The seq of the first event recorded at that instant or later; past the end where there is none. */
export async function findSeqSince(db: Db, userId: string, since: string) {
  const { rows } = await db.execute<{ seq: number }>(sql`
    select seq from events where user_id = ${userId} and seq > 0 and created_at >= ${since} order by seq limit 1`)
  return rows[0]?.seq ?? Number.MAX_SAFE_INTEGER
}

/** Marks the queued deliveries as not ended, even if an earlier attempt ended them. */
async function reopen(tx: Db, userId: string, webhookId: string, first: number, last: number) {
  // As a value, for which the queue is hashed. A condition would become a join, which compares every attempt with every delivery.
  await tx.execute(sql`
    update webhook_attempts a set ended = null
    where a.user_id = ${userId} and a.webhook_id = ${webhookId} and a.seq between ${first} and ${last} and a.ended is not null
      and (a.seq in (
        select d.seq from webhook_deliveries d where d.user_id = ${userId} and d.webhook_id = ${webhookId} and d.seq between ${first} and ${last}
      )) is true`)
}

/** Returns whether the delivery of the attempt `a` waits or is in flight. */
function isQueued(userId: string, webhookId: string) {
  return sql`exists (select from webhook_deliveries d where d.user_id = ${userId} and d.webhook_id = ${webhookId} and d.seq = a.seq)`
}

function attemptsOf(userId: string, webhookId: string) {
  return sql`(
    select coalesce(json_agg(json_build_object('attempted_at', to_char(a.attempted_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
      'status', a.status, 'error', a.error, 'duration_ms', a.duration_ms) order by a.attempt), '[]')
    from webhook_attempts a where a.user_id = ${userId} and a.webhook_id = ${webhookId} and a.seq = d.seq)`
}

function toDelivery({ seq, event_id, type, ended, next_at, attempts }: DeliveryRow): Delivery {
  return {
    id: event_id,
    seq: seq > 0 ? Number(seq) : null,
    event: type,
    status: ended ?? 'pending',
    next_attempt_at: next_at && new Date(next_at).toISOString(),
    attempts: attempts.map(attempt => ({ ...attempt, reason: reasonOf(attempt.error, attempt.status) }))
  }
}

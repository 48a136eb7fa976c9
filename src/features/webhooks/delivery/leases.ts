import { type SQL, sql } from '../../../platform/db/drizzle.ts'
import type { Queryable } from '../../../platform/db/open.ts'
import type { ErrorClass } from '../../../platform/ports/sender.ts'
import { type Claim, claimKeys, HOLDS } from './claim.ts'

/** The claims or endpoints that one statement corrects. */
const MAX_CORRECTED = 500

/** Locks the endpoints of the deliveries in `freed`, in order, for `requeueEndpoints`. */
function lockEndpoints(userIds: SQL) {
  return sql`turn as materialized (
      select q.user_id, q.webhook_id from webhook_queue q
      where q.user_id = any(${userIds}::text[]) and (q.user_id, q.webhook_id) in (select user_id, webhook_id from freed)
      order by q.user_id, q.webhook_id for update
    )`
}

/** Puts the locked endpoints in the queue again. */
function requeueEndpoints(userIds: SQL, now: Date) {
  return sql`update webhook_queue q set next_due = least(q.next_due, greatest(${now}::timestamptz, q.paused_until))
    from turn where q.user_id = any(${userIds}::text[]) and q.user_id = turn.user_id and q.webhook_id = turn.webhook_id`
}

/** Releases claims whose attempt was not made or not finished. They are due at once and do not count as attempts. */
export async function releaseClaims(db: Queryable, claims: Claim[], now: Date) {
  if (claims.length === 0) return
  const userIds = sql`${sql.param([...new Set(claims.map(({ userId }) => userId))])}`
  await db.query(sql`
    with freed as (
      update webhook_deliveries d set claim_id = null, lease_until = null, attempt = d.attempt - 1, attempts_before = least(d.attempts_before, d.attempt - 1)
      from unnest(
        ${claimKeys(claims)}
      ) as r(user_id, webhook_id, seq, claim_id)
      where d.user_id = any(${userIds}::text[]) and ${HOLDS}
      returning d.user_id, d.webhook_id
    ),
    ${lockEndpoints(userIds)}
    ${requeueEndpoints(userIds, now)}`)
}

/** The error of an attempt whose process died, or lost the database for longer than the lease. */
const INTERRUPTED: ErrorClass = 'interrupted'

/** Returns owners with claims whose lease has ended. */
export async function listExpiredOwners(db: Queryable, now: Date) {
  const rows = await db.query<{ userId: string }>(sql`
    select distinct user_id as "userId" from (
      select user_id from webhook_deliveries where claim_id is not null and lease_until < ${now} order by lease_until limit ${MAX_CORRECTED}
    ) expired`)
  return rows.map(({ userId }) => userId)
}

/** Releases the claims of these owners whose lease has ended; an attempt in the log did not end its delivery. Returns whether there were any. */
export async function expireLeases(db: Queryable, owners: string[], now: Date) {
  const userIds = sql`${sql.param(owners)}`
  const freed = await db.query<Pick<Claim, 'userId' | 'webhookId' | 'seq' | 'attempt' | 'eventId' | 'type'>>(sql`
    with expired as materialized (
      select user_id, webhook_id, seq from webhook_deliveries
      where user_id = any(${userIds}::text[]) and claim_id is not null and lease_until < ${now}
      order by lease_until limit ${MAX_CORRECTED} for update skip locked
    ),
    freed as (
      update webhook_deliveries d set claim_id = null, lease_until = null, next_at = ${now}
      from expired e where d.user_id = any(${userIds}::text[]) and d.user_id = e.user_id and d.webhook_id = e.webhook_id and d.seq = e.seq
      returning d.user_id, d.webhook_id, d.seq, d.attempt, d.event_id, d.type
    ),
    ${lockEndpoints(userIds)},
    requeued as (${requeueEndpoints(userIds, now)})
    select user_id as "userId", webhook_id as "webhookId", seq, attempt, event_id as "eventId", type from freed`)
  for (const { userId, webhookId, seq, attempt, eventId, type } of freed) {
    await db.query(sql`
      insert into webhook_attempts (user_id, webhook_id, seq, attempt, event_id, type, attempted_at, duration_ms, status, error, answer, ended)
      select w.user_id, w.webhook_id, ${seq}::bigint, ${attempt}::int, ${eventId}, ${type}, ${now}::timestamptz, 0, null, ${INTERRUPTED}, '', null
      from webhooks w where w.user_id = ${userId} and w.webhook_id = ${webhookId} for key share
      on conflict (user_id, webhook_id, seq, attempt) do update set ended = null`)
  }
  return freed.length > 0
}

/** Returns owners of endpoints that are due later than their first delivery. */
export async function listLateOwners(db: Queryable, now: Date) {
  const rows = await db.query<{ userId: string }>(sql`
    select distinct q.user_id as "userId" from webhook_queue q
    join webhooks w on w.user_id = q.user_id and w.webhook_id = q.webhook_id and w.active
    cross join lateral (
      select d.next_at from webhook_deliveries d
      where d.user_id = q.user_id and d.webhook_id = q.webhook_id and d.claim_id is null order by d.next_at limit 1
    ) first
    where first.next_at <= ${now} and (q.next_due is null or q.next_due > greatest(first.next_at, q.paused_until))
    limit ${MAX_CORRECTED}`)
  return rows.map(({ userId }) => userId)
}

/** A safety net: corrects endpoints of these owners that are due later than their first delivery. */
export async function repairQueue(db: Queryable, owners: string[], now: Date) {
  const userIds = sql.param(owners)
  await db.query(sql`
    with late as materialized (
      select q.user_id, q.webhook_id, first.next_at
      from webhook_queue q
      join webhooks w on w.user_id = any(${userIds}::text[]) and w.user_id = q.user_id and w.webhook_id = q.webhook_id and w.active
      cross join lateral (
        select d.next_at from webhook_deliveries d
        where d.user_id = any(${userIds}::text[]) and d.user_id = q.user_id and d.webhook_id = q.webhook_id and d.claim_id is null
        order by d.next_at limit 1
      ) first
      where q.user_id = any(${userIds}::text[]) and first.next_at <= ${now}
        and (q.next_due is null or q.next_due > greatest(first.next_at, q.paused_until))
      order by q.user_id, q.webhook_id limit ${MAX_CORRECTED} for update of q skip locked
    )
    update webhook_queue q set next_due = greatest(late.next_at, q.paused_until)
    from late where q.user_id = any(${userIds}::text[]) and q.user_id = late.user_id and q.webhook_id = late.webhook_id`)
}

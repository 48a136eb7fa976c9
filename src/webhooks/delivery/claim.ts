import type { EventType } from '../../contract/event.ts'
import { type SQL, sql } from '../../db/drizzle.ts'
import type { Queryable } from '../../db/open.ts'
import { SLOW_MS } from '../../db/schema/deliveries.ts'

/** The kind of an endpoint by its average answer time; `new` before its first attempt has ended. */
export type Speed = 'prompt' | 'new' | 'slow'

/** A delivery that only this process may attempt until the lease ends. */
export interface Claim {
  /** The fencing token. */
  claimId: string
  userId: string
  webhookId: string
  seq: number
  eventId: string
  type: EventType
  /** Counted from 1, in all and in this round: a manual retry begins another round. */
  attempt: number
  attemptInRound: number
  /** The speed of the endpoint when it was claimed. */
  speed: Speed
  url: string
  /** Encrypted, as it is stored. */
  secret: string
  previousSecret: string | null
  /** The event as it is sent; null if it is no longer kept. */
  body: string | null
}

export interface ClaimOptions {
  claimId: string
  now: Date
  leaseUntil: Date
  /** The number of endpoints of each speed to look at. */
  endpoints: Record<Speed, number>
  /** The deliveries that an endpoint, and all endpoints of an owner, may have in flight over all processes. */
  perEndpoint: number
  perOwner: number
}

/** The identity of claims as arrays for `unnest`: user_id, webhook_id, seq, claim_id. */
export function claimKeys(claims: Claim[]) {
  return sql`${sql.param(claims.map(({ userId }) => userId))}::text[],
        ${sql.param(claims.map(({ webhookId }) => webhookId))}::text[],
        ${sql.param(claims.map(({ seq }) => seq))}::bigint[],
        ${sql.param(claims.map(({ claimId }) => claimId))}::text[]`
}

/** True if the claim `r` still holds the delivery `d`. */
export const HOLDS = sql.raw(
  'd.user_id = r.user_id and d.webhook_id = r.webhook_id and d.seq = r.seq and d.claim_id = r.claim_id'
)

/** Conditions as text: the index of each speed has its own as predicate. */
const IS_SPEED: Record<Speed, SQL> = {
  prompt: sql.raw(`answer_ms <= ${SLOW_MS}`),
  new: sql.raw('answer_ms is null'),
  slow: sql.raw(`answer_ms > ${SLOW_MS}`)
}

/** An endpoint that has failed so often in a row gets one delivery at a time. */
export const BREAKER_FAILURES = 5

/** Returns whether any endpoint is due. */
export async function isAnyDue(db: Queryable, now: Date) {
  return (await db.query(sql`select next_due from webhook_queue where next_due <= ${now} limit 1`)).length > 0
}

/** Returns owners with due endpoints, the longest due of each speed first. */
export async function listDueOwners(db: Queryable, now: Date, endpoints: ClaimOptions['endpoints']): Promise<string[]> {
  const due = (speed: Speed) => sql`(
    select user_id from webhook_queue where next_due <= ${now} and ${IS_SPEED[speed]} order by next_due limit ${endpoints[speed]})`
  const rows = await db.query<{ userId: string }>(sql`
    select user_id as "userId" from (${due('prompt')} union all ${due('new')} union all ${due('slow')}) due`)
  return [...new Set(rows.map(({ userId }) => userId))]
}

/**
 * Claims due deliveries of these owners for this process. Empty where nothing is due, or other processes have claimed it.
 *
 * Picks due endpoints first, then a few deliveries of each, so that a long backlog blocks no other endpoint. Rows that other
 * processes have locked are skipped.
 *
 * Every endpoint may have one delivery in flight. A prompt endpoint gets more while its owner is below the owner's limit.
 *
 * A commit may queue a delivery after this statement took its snapshot and before it locked the endpoint's row. The row then has
 * another version (xmin) than in the snapshot, and the endpoint stays due.
 */
export async function claimDeliveries(db: Queryable, owners: string[], options: ClaimOptions): Promise<Claim[]> {
  const { claimId, now, leaseUntil, endpoints, perEndpoint, perOwner } = options
  const userIds = sql.param(owners)
  const dueEndpoints = (speed: Speed) => sql`select * from (
        select user_id, webhook_id, paused_until, xmin as version, ${sql.raw(`'${speed}'`)} as speed
        from webhook_queue where user_id = any(${userIds}::text[]) and next_due <= ${now} and ${IS_SPEED[speed]}
        order by next_due limit ${endpoints[speed]} for update skip locked
      ) ${sql.raw(`${speed}_due`)}`
  const rows = await db.query<Omit<Claim, 'claimId'>>(sql`
    with due as materialized (
      ${dueEndpoints('prompt')} union all ${dueEndpoints('new')} union all ${dueEndpoints('slow')}
    ),
    endpoint as materialized (
      select due.user_id, due.webhook_id, due.paused_until, due.speed, due.version = seen.xmin as unchanged, w.active, w.url, w.secret,
        case when w.previous_secret_until > ${now} then w.previous_secret end as previous_secret,
        case when not w.active or due.paused_until > ${now} then 0
          when due.speed <> 'prompt' or w.failure_count >= ${BREAKER_FAILURES} then greatest(0, 1 - in_flight.of_endpoint)
          else greatest(0, least(${perEndpoint}::int - in_flight.of_endpoint, greatest(
            1 - in_flight.of_endpoint, (${perOwner}::int - in_flight.of_owner) / count(*) over (partition by due.user_id)))) end as room
      from due
      join webhook_queue seen on seen.user_id = any(${userIds}::text[]) and seen.user_id = due.user_id and seen.webhook_id = due.webhook_id
      join webhooks w on w.user_id = any(${userIds}::text[]) and w.user_id = due.user_id and w.webhook_id = due.webhook_id
      cross join lateral (
        select count(*)::int as of_owner, (count(*) filter (where d.webhook_id = due.webhook_id))::int as of_endpoint
        from webhook_deliveries d where d.user_id = any(${userIds}::text[]) and d.user_id = due.user_id and d.claim_id is not null
      ) in_flight
    ),
    picked as materialized (
      select endpoint.user_id, endpoint.webhook_id, d.seq
      from endpoint cross join lateral (
        select seq from webhook_deliveries
        where user_id = any(${userIds}::text[]) and user_id = endpoint.user_id and webhook_id = endpoint.webhook_id and claim_id is null and next_at <= ${now}
        order by next_at, seq limit endpoint.room for update skip locked
      ) d
    ),
    claimed as (
      update webhook_deliveries d set claim_id = ${claimId}, lease_until = ${leaseUntil}, attempt = d.attempt + 1
      from picked
      where d.user_id = any(${userIds}::text[]) and d.user_id = picked.user_id and d.webhook_id = picked.webhook_id and d.seq = picked.seq
      returning d.user_id, d.webhook_id, d.seq, d.event_id, d.type, d.attempt, d.attempts_before
    ),
    rescheduled as (
      update webhook_queue q set next_due = case
        when endpoint.paused_until > ${now} then endpoint.paused_until
        when not endpoint.unchanged then ${now}
        when not endpoint.active or endpoint.room <= (
          select count(*) from picked where picked.user_id = q.user_id and picked.webhook_id = q.webhook_id) then null
        else (
          select d.next_at from webhook_deliveries d
          where d.user_id = any(${userIds}::text[]) and d.user_id = q.user_id and d.webhook_id = q.webhook_id and d.claim_id is null and d.seq not in (
            select picked.seq from picked where picked.user_id = q.user_id and picked.webhook_id = q.webhook_id)
          order by d.next_at, d.seq limit 1)
        end
      from endpoint
      where q.user_id = any(${userIds}::text[]) and q.user_id = endpoint.user_id and q.webhook_id = endpoint.webhook_id
    )
    select claimed.user_id as "userId", claimed.webhook_id as "webhookId", claimed.seq, claimed.event_id as "eventId", claimed.type, claimed.attempt,
      claimed.attempt - claimed.attempts_before as "attemptInRound", endpoint.speed, endpoint.url, endpoint.secret,
      endpoint.previous_secret as "previousSecret", e.body
    from claimed
    join endpoint on endpoint.user_id = claimed.user_id and endpoint.webhook_id = claimed.webhook_id
    left join events e on e.user_id = any(${userIds}::text[]) and e.user_id = claimed.user_id and e.seq = claimed.seq`)
  return rows.map(row => ({ claimId, ...row }))
}

import { randomUUID } from 'node:crypto'
import { DELIVERY } from '../../../contract/delivery.ts'
import type { EventType } from '../../../contract/event.ts'
import { type Param, type SQL, sql } from '../../../platform/db/drizzle.ts'
import type { Queryable } from '../../../platform/db/open.ts'
import { SLOW_MS } from '../../../platform/db/schema/deliveries.ts'
import { sentBody } from '../../events/whole-body.ts'

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
  headers: string | null
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

/** Inlined: Postgres can't match the partial index of a speed against a parameter. */
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
 * One statement: due endpoints are locked first, then a few deliveries of each, so that a long backlog blocks no other endpoint. Rows that
 * other processes have locked are skipped. An endpoint with a free place and more deliveries stays in the queue.
 */
export async function claimDeliveries(db: Queryable, owners: string[], options: ClaimOptions): Promise<Claim[]> {
  const userIds = sql.param(owners)
  const claiming = { ...options, userIds }
  const rows = await db.query<Omit<Claim, 'claimId'>>(sql`
    with due as materialized (
      ${dueEndpoints('prompt', claiming)} union all ${dueEndpoints('new', claiming)} union all ${dueEndpoints('slow', claiming)}
    ),
    endpoint as materialized (${withRoom(claiming)}),
    picked as materialized (${pickedDeliveries(claiming)}),
    claimed as (${claimPicked(claiming)}),
    rescheduled as (${rescheduleEndpoints(claiming)})
    select c.user_id as "userId", c.webhook_id as "webhookId", c.seq, c.event_id as "eventId", c.type, c.attempt,
      c.attempt - c.attempts_before as "attemptInRound", endpoint.speed, endpoint.url, endpoint.secret,
      endpoint.previous_secret as "previousSecret", endpoint.headers,
      ${sentBody(userIds, sql`endpoint.payload`)} as body
    from claimed c
    join endpoint on endpoint.user_id = c.user_id and endpoint.webhook_id = c.webhook_id
    left join events e on e.user_id = any(${userIds}::text[]) and e.user_id = c.user_id and e.seq = c.seq`)
  return rows.map(row => ({ claimId: options.claimId, ...row }))
}

interface Claiming extends ClaimOptions {
  /** The owners, as a parameter. */
  userIds: Param
}

/** Locks endpoints of one speed, the longest due first. The index of that speed is read in order, up to the limit. */
function dueEndpoints(speed: Speed, { userIds, now, endpoints }: Claiming) {
  return sql`select * from (
        select q.user_id, q.webhook_id, q.paused_until, q.xmin as version, ${sql.raw(`'${speed}'`)} as speed
        from webhook_queue q where q.user_id = any(${userIds}::text[]) and q.next_due <= ${now} and ${IS_SPEED[speed]}
        order by q.next_due limit ${endpoints[speed]} for update skip locked
      ) ${sql.raw(`${speed}_due`)}`
}

/**
 * Adds the webhook and the room for further deliveries. Every endpoint may have one in flight. A prompt one gets an equal part of what its
 * owner has left, up to its own limit.
 *
 * A commit may queue a delivery after this statement took its snapshot and before it locked the endpoint's row. The row then has another
 * version (xmin) than in the snapshot, and the endpoint stays due.
 */
function withRoom({ userIds, now, perEndpoint, perOwner }: Claiming) {
  const ownersPart = sql`(${perOwner}::int - in_flight.of_owner) / count(*) over (partition by due.user_id)`
  return sql`
      select due.user_id, due.webhook_id, due.paused_until, due.speed, due.version = seen.xmin as unchanged,
        w.active, w.url, w.payload, w.secret, w.headers, case when w.previous_secret_until > ${now} then w.previous_secret end as previous_secret,
        case when not w.active or due.paused_until > ${now} then 0
          when due.speed <> 'prompt' or w.failure_count >= ${BREAKER_FAILURES} then greatest(0, 1 - in_flight.of_endpoint)
          else greatest(0, least(${perEndpoint}::int - in_flight.of_endpoint,
            greatest(1 - in_flight.of_endpoint, ${ownersPart}))) end as room
      from due
      join webhook_queue seen on seen.user_id = any(${userIds}::text[]) and seen.user_id = due.user_id and seen.webhook_id = due.webhook_id
      join webhooks w on w.user_id = any(${userIds}::text[]) and w.user_id = due.user_id and w.webhook_id = due.webhook_id
      cross join lateral (
        select count(*)::int as of_owner, (count(*) filter (where d.webhook_id = due.webhook_id))::int as of_endpoint
        from webhook_deliveries d where d.user_id = any(${userIds}::text[]) and d.user_id = due.user_id and d.claim_id is not null
      ) in_flight`
}

/** Locks due deliveries of each endpoint in order, as many as it has room for. */
function pickedDeliveries({ userIds, now }: Claiming) {
  return sql`
      select endpoint.user_id, endpoint.webhook_id, d.seq
      from endpoint cross join lateral (
        select w.seq from webhook_deliveries w
        where w.user_id = any(${userIds}::text[]) and w.user_id = endpoint.user_id and w.webhook_id = endpoint.webhook_id
          and w.claim_id is null and w.next_at <= ${now}
        order by w.next_at, w.seq limit endpoint.room for update skip locked
      ) d`
}

/** Leases the picked deliveries, each with the fencing token. */
function claimPicked({ userIds, claimId, leaseUntil }: Claiming) {
  return sql`
      update webhook_deliveries d set claim_id = ${claimId}, lease_until = ${leaseUntil}, attempt = d.attempt + 1
      from picked p
      where d.user_id = any(${userIds}::text[]) and d.user_id = p.user_id and d.webhook_id = p.webhook_id and d.seq = p.seq
      returning d.user_id, d.webhook_id, d.seq, d.event_id, d.type, d.attempt, d.attempts_before`
}

/** Sets when an endpoint is due next: after its pause, when its next delivery is, or not before one of its attempts has ended. */
function rescheduleEndpoints({ userIds, now }: Claiming) {
  const isOfQueue = (alias: SQL) => sql`${alias}.user_id = q.user_id and ${alias}.webhook_id = q.webhook_id`
  return sql`
      update webhook_queue q set next_due = case
        when endpoint.paused_until > ${now} then endpoint.paused_until
        when not endpoint.unchanged then ${now}
        when not endpoint.active or endpoint.room <= (select count(*) from picked p where ${isOfQueue(sql`p`)}) then null
        else (
          select d.next_at from webhook_deliveries d
          where d.user_id = any(${userIds}::text[]) and ${isOfQueue(sql`d`)} and d.claim_id is null
            and d.seq not in (select p.seq from picked p where ${isOfQueue(sql`p`)})
          order by d.next_at, d.seq limit 1)
        end
      from endpoint
      where q.user_id = any(${userIds}::text[]) and ${isOfQueue(sql`endpoint`)}`
}

/** Attempts in flight in this process. Each speed has slots of its own, so that none waits for the slowness of another. */
const MAX_IN_FLIGHT: Record<Speed, number> = { prompt: 256, new: 256, slow: 64 }
/** The attempts that one claim starts at new and slow endpoints, so that prompt endpoints get theirs between two claims. */
const MAX_PER_CLAIM = 16
/** Attempts in flight over all processes. An owner may also take this share of the free slots at most. */
const MAX_PER_ENDPOINT = 4
const MAX_PER_OWNER = 8
const OWNER_SHARE = 1 / 32

export const ATTEMPT_TIMEOUT_MS = DELIVERY.answerSeconds * 1_000
/** Four times the timeout, so that no attempt outlives its lease. */
export const LEASE_MS = 60_000

/** Returns what the next claim may take while these are in flight; undefined if no slot is free. */
export function decideClaim(inFlight: Iterable<Claim>, now: Date): ClaimOptions | undefined {
  const free = countFreeSlots(inFlight)
  if (free.prompt + free.new + free.slow === 0) return undefined
  const perEndpoint = Math.max(1, Math.min(MAX_PER_ENDPOINT, free.prompt))
  return {
    claimId: randomUUID(),
    now,
    leaseUntil: new Date(now.getTime() + LEASE_MS),
    endpoints: {
      prompt: Math.floor(free.prompt / perEndpoint),
      new: Math.min(free.new, MAX_PER_CLAIM),
      slow: Math.min(free.slow, MAX_PER_CLAIM)
    },
    perEndpoint,
    perOwner: Math.min(MAX_PER_OWNER, Math.ceil(free.prompt * OWNER_SHARE))
  }
}

/** Returns whether most slots of prompt endpoints are free, so that owners of whom we heard may precede those that wait for a poll. */
export function isMostlyFree(inFlight: Iterable<Claim>) {
  return countFreeSlots(inFlight).prompt > MAX_IN_FLIGHT.prompt / 2
}

function countFreeSlots(inFlight: Iterable<Claim>) {
  const free = { ...MAX_IN_FLIGHT }
  for (const { speed } of inFlight) free[speed]--
  return free
}

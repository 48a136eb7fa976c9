import type { EventType } from '../contract/event.ts'
import type { Reader } from '../db/open.ts'
import { SLOW_MS } from '../db/schema/deliveries.ts'

/** A delivery that this process alone may attempt until its lease ends. */
export interface Claim {
  claimId: string
  userId: string
  webhookId: string
  seq: number
  eventId: string
  type: EventType
  /** 1 for the first of all, and for the first of the round: a retry by hand begins another round. */
  attempt: number
  attemptInRound: number
  /** Whether its endpoint was slow when it was claimed. */
  slow: boolean
  url: string
  /** As they are stored: sealed. */
  secret: string
  previousSecret: string | null
  /** What is sent; null where the event is no longer kept. */
  body: string | null
}

export interface ClaimOptions {
  claimId: string
  now: Date
  leaseUntil: Date
  /** How many endpoints to look at: those that are not slow, and slow ones. */
  endpoints: number
  slowEndpoints: number
  /** How many deliveries an endpoint, and all endpoints of an owner together, may have in flight over all processes. */
  perEndpoint: number
  perOwner: number
}

/** An endpoint that has failed so often in a row is tried with one delivery at a time. */
export const BREAKER_FAILURES = 5

/**
 * Endpoints first, each with a few of its deliveries, so that one with a long backlog is no more in the way than one with a
 * short one. What other processes look at is passed over, never waited for.
 *
 * Every endpoint may have one delivery in flight. It gets more only once an attempt has shown that it is prompt, and only while
 * its owner is below the owner's share.
 *
 * A commit may put a delivery in the queue after this statement took its snapshot and before it locked the endpoint's row.
 * Such a row is another version than the snapshot has (xmin), and then the endpoint stays due: it is looked at again.
 */
const CLAIM = {
  name: 'claim_deliveries',
  text: `
    with prompt as materialized (
      select user_id, webhook_id, paused_until, answer_ms is not null as proven, false as slow, xmin as version
      from webhook_queue where next_due <= $1 and (answer_ms > ${SLOW_MS}) is not true order by next_due limit $2 for update skip locked
    ),
    slow as materialized (
      select user_id, webhook_id, paused_until, false as proven, true as slow, xmin as version
      from webhook_queue where next_due <= $1 and answer_ms > ${SLOW_MS} order by next_due limit $3 for update skip locked
    ),
    hook as materialized (
      select due.user_id, due.webhook_id, due.paused_until, due.slow, due.version = seen.xmin as unchanged, w.active, w.url, w.secret,
        case when w.previous_secret_until > $1 then w.previous_secret end as previous_secret,
        case when not w.active or due.paused_until > $1 then 0
          when not due.proven or w.failure_count >= ${BREAKER_FAILURES} then greatest(0, 1 - in_flight.here)
          else greatest(0, least($4::int - in_flight.here, greatest(
            1 - in_flight.here, ($5::int - in_flight.of_owner) / count(*) over (partition by due.user_id)))) end as room
      from (select * from prompt union all select * from slow) due
      join webhook_queue seen on seen.user_id = due.user_id and seen.webhook_id = due.webhook_id
      join webhooks w on w.user_id = due.user_id and w.webhook_id = due.webhook_id
      cross join lateral (
        select count(*)::int as of_owner, (count(*) filter (where d.webhook_id = due.webhook_id))::int as here
        from webhook_deliveries d where d.user_id = due.user_id and d.claim_id is not null
      ) in_flight
    ),
    pick as materialized (
      select hook.user_id, hook.webhook_id, d.seq
      from hook cross join lateral (
        select seq from webhook_deliveries
        where user_id = hook.user_id and webhook_id = hook.webhook_id and claim_id is null and next_at <= $1
        order by next_at, seq limit hook.room for update skip locked
      ) d
    ),
    claimed as (
      update webhook_deliveries d set claim_id = $6, lease_until = $7, attempt = d.attempt + 1
      from pick where d.user_id = pick.user_id and d.webhook_id = pick.webhook_id and d.seq = pick.seq
      returning d.user_id, d.webhook_id, d.seq, d.event_id, d.type, d.attempt, d.attempts_before
    ),
    moved as (
      update webhook_queue q set next_due = case
        when hook.paused_until > $1 then hook.paused_until
        when not hook.unchanged then $1
        when not hook.active or hook.room <= (
          select count(*) from pick where pick.user_id = q.user_id and pick.webhook_id = q.webhook_id) then null
        else (
          select d.next_at from webhook_deliveries d
          where d.user_id = q.user_id and d.webhook_id = q.webhook_id and d.claim_id is null and d.seq not in (
            select pick.seq from pick where pick.user_id = q.user_id and pick.webhook_id = q.webhook_id)
          order by d.next_at, d.seq limit 1)
        end
      from hook where q.user_id = hook.user_id and q.webhook_id = hook.webhook_id
    )
    select claimed.user_id, claimed.webhook_id, claimed.seq, claimed.event_id, claimed.type, claimed.attempt,
      claimed.attempt - claimed.attempts_before, hook.slow, hook.url, hook.secret, hook.previous_secret, e.body
    from claimed
    join hook on hook.user_id = claimed.user_id and hook.webhook_id = claimed.webhook_id
    left join events e on e.user_id = claimed.user_id and e.seq = claimed.seq`
}

type Row = [string, string, number, string, EventType, number, number, boolean, string, string, string | null, string | null]

/** Takes what is due, each delivery for this process alone. An empty list: nothing is due now, or others have it. */
export async function claimDeliveries(db: Reader, options: ClaimOptions): Promise<Claim[]> {
  const { claimId, now, leaseUntil, endpoints, slowEndpoints, perEndpoint, perOwner } = options
  const rows = await db.run<Row>(CLAIM, [now, endpoints, slowEndpoints, perEndpoint, perOwner, claimId, leaseUntil])
  return rows.map(([userId, webhookId, seq, eventId, type, attempt, attemptInRound, slow, url, secret, previousSecret, body]) => ({
    claimId,
    userId,
    webhookId,
    seq,
    eventId,
    type,
    attempt,
    attemptInRound,
    slow,
    url,
    secret,
    previousSecret,
    body
  }))
}

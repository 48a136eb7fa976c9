import type { Reader } from '../db/open.ts'
import type { Claim } from './claim.ts'

const QUEUED_AGAIN = `
    turn as materialized (
      select q.user_id, q.webhook_id from webhook_queue q
      where (q.user_id, q.webhook_id) in (select user_id, webhook_id from freed) order by q.user_id, q.webhook_id for update
    )
    update webhook_queue q set next_due = least(q.next_due, greatest($1, q.paused_until))
    from turn where q.user_id = turn.user_id and q.webhook_id = turn.webhook_id
    returning q.webhook_id`

const RETURN = {
  name: 'return_claims',
  text: `
    with freed as (
      update webhook_deliveries d set claim_id = null, lease_until = null, attempt = d.attempt - 1
      from unnest($2::text[], $3::text[], $4::bigint[], $5::text[]) as r(user_id, webhook_id, seq, claim_id)
      where d.user_id = r.user_id and d.webhook_id = r.webhook_id and d.seq = r.seq and d.claim_id = r.claim_id
      returning d.user_id, d.webhook_id
    ),${QUEUED_AGAIN}`
}

/** Hands claims back that were not attempted, or not to the end. They are due at once and do not count as attempts. */
export async function returnClaims(db: Reader, claims: Claim[], now: Date) {
  if (claims.length === 0) return
  await db.run(RETURN, [
    now,
    claims.map(({ userId }) => userId),
    claims.map(({ webhookId }) => webhookId),
    claims.map(({ seq }) => seq),
    claims.map(({ claimId }) => claimId)
  ])
}

/** What the log says of an attempt that nobody ended: its process died, or lost the database for longer than a lease. */
const INTERRUPTED = 'interrupted'

const EXPIRE = {
  name: 'expire_claims',
  text: `
    with expired as materialized (
      select user_id, webhook_id, seq from webhook_deliveries
      where claim_id is not null and lease_until < $1 order by lease_until limit 500 for update skip locked
    ),
    freed as (
      update webhook_deliveries d set claim_id = null, lease_until = null, next_at = $1
      from expired e where d.user_id = e.user_id and d.webhook_id = e.webhook_id and d.seq = e.seq
      returning d.user_id, d.webhook_id, d.seq, d.attempt, d.event_id, d.type
    ),
    logged as (
      insert into webhook_attempts (user_id, webhook_id, seq, attempt, event_id, type, attempted_at, duration_ms, status, error, answer, ended)
      select user_id, webhook_id, seq, attempt, event_id, type, $1, 0, null, '${INTERRUPTED}', '', null from freed
      on conflict do nothing
    ),${QUEUED_AGAIN}`
}

/** Frees what other processes have held beyond their leases. Returns whether there was any. */
export async function expireClaims(db: Reader, now: Date) {
  return (await db.run(EXPIRE, [now])).length > 0
}

const REVISE = {
  name: 'revise_queue',
  text: `
    with late as materialized (
      select q.user_id, q.webhook_id, first.next_at
      from webhook_queue q
      join webhooks w on w.user_id = q.user_id and w.webhook_id = q.webhook_id and w.active
      cross join lateral (
        select d.next_at from webhook_deliveries d
        where d.user_id = q.user_id and d.webhook_id = q.webhook_id and d.claim_id is null order by d.next_at limit 1
      ) first
      where first.next_at <= $1 and (q.next_due is null or q.next_due > greatest(first.next_at, q.paused_until))
      order by q.user_id, q.webhook_id limit 500 for update of q skip locked
    )
    update webhook_queue q set next_due = greatest(late.next_at, q.paused_until)
    from late where q.user_id = late.user_id and q.webhook_id = late.webhook_id`
}

/** A net below the queue: an endpoint that waits longer than its deliveries do is put where it belongs. */
export async function reviseQueue(db: Reader, now: Date) {
  await db.run(REVISE, [now])
}

const EARLIER = (column: string) =>
  `${column} = case when ${column} > $1 then greatest($1, ${column} - $2::int * interval '1 millisecond') else ${column} end`

const SHIFT = {
  name: 'shift_deliveries',
  text: `
    with waiting as (
      update webhook_deliveries set ${EARLIER('next_at')}, ${EARLIER('lease_until')} where next_at > $1 or lease_until > $1
    )
    update webhook_queue set ${EARLIER('next_due')}, ${EARLIER('paused_until')} where next_due > $1 or paused_until > $1`
}

/** The clock was set back by so much: what waits for a time of before would wait that much longer. */
export async function shiftQueue(db: Reader, now: Date, setBackMs: number) {
  await db.run(SHIFT, [now, Math.min(Math.round(setBackMs), MOST_MS)])
}

/** Nothing waits for longer, and more is no integer of the database. */
const MOST_MS = 7 * 86_400_000

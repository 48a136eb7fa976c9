import { DELIVERY } from '../../contract/delivery.ts'
import { sql } from '../../db/drizzle.ts'
import type { Queryable } from '../../db/open.ts'
import type { Outcome } from '../outcome.ts'
import type { Verdict } from './backoff.ts'
import { BREAKER_FAILURES, type Claim, claimKeys, HOLDS } from './claim.ts'

/** An attempt that has ended, and its consequence. */
export interface Attempt {
  claim: Claim
  at: Date
  outcome: Outcome
  verdict: Verdict
}

/** The pause of an endpoint that keeps failing doubles from the first to the last. */
const PAUSE_SECONDS = { first: 30, last: 900 }
/** True if a claimed delivery was retried by hand since: the attempt then ends nothing, and the retry is due. */
const RETRIED = sql.raw('d.attempts_before >= d.attempt')
/** The weight of a batch in the moving average of an endpoint's answer time. */
const SMOOTHING = 0.25

/**
 * Records a batch of attempts. Each delivery ends or waits for its next attempt, the attempt log gets a row, and the
 * webhook its counts. The endpoint is due now at the earliest, so that one with a backlog takes turns with the others.
 * An attempt counts only while its claim holds: the claim is the fencing token, and after its lease another process's attempt counts.
 * Webhooks are locked first and in order, as everywhere. An event that is no longer kept is not sent, so it says nothing of its endpoint.
 *
 * The answer time is rounded to 100 ms: it is in the predicate of an index, and a row whose time stays costs less to update.
 * Each claim is in the batch at most once.
 */
export async function recordAttempts(db: Queryable, attempts: Attempt[], now: Date) {
  const claims = attempts.map(({ claim }) => claim)
  const outcomes = attempts.map(({ outcome }) => outcome)
  const userIds = sql.param([...new Set(claims.map(({ userId }) => userId))])
  await logAttempts(db, attempts)
  const verdicts = attempts.map(({ verdict }) => verdict)
  await db.query(sql`
    with result as materialized (
      select * from unnest(
        ${claimKeys(claims)},
        ${sql.param(attempts.map(({ at }) => at))}::timestamptz[],
        ${sql.param(outcomes.map(({ durationMs }) => Math.round(durationMs)))}::int[],
        ${sql.param(outcomes.map(({ status }) => status))}::int[],
        ${sql.param(outcomes.map(({ error }) => error))}::text[],
        ${sql.param(verdicts.map(({ ended }) => ended))}::text[],
        ${sql.param(verdicts.map(verdict => (verdict.ended === null ? verdict.nextAt : null)))}::timestamptz[],
        ${sql.param(verdicts.map(verdict => (verdict.ended === 'delivered' ? null : (verdict.pausedUntil ?? null))))}::timestamptz[],
        ${sql.param(verdicts.map(verdict => verdict.ended === 'failed' && verdict.gone))}::bool[]
      ) as r(user_id, webhook_id, seq, claim_id, at, duration_ms, status, error, ended, next_at, paused_until, gone)
    ),
    hook as materialized (
      select user_id, webhook_id, failure_count, failing_since from webhooks
      where user_id = any(${userIds}::text[]) and (user_id, webhook_id) in (select user_id, webhook_id from result)
      order by user_id, webhook_id for no key update
    ),
    done as (
      delete from webhook_deliveries d using result r, hook h
      where r.ended is not null and not ${RETRIED} and h.user_id = r.user_id and h.webhook_id = r.webhook_id
        and d.user_id = any(${userIds}::text[]) and ${HOLDS}
      returning d.user_id, d.webhook_id, d.seq, null::timestamptz as next_at
    ),
    again as (
      update webhook_deliveries d set claim_id = null, lease_until = null, next_at = case when ${RETRIED} then d.next_at else r.next_at end
      from result r, hook h
      where (r.ended is null or ${RETRIED}) and h.user_id = r.user_id and h.webhook_id = r.webhook_id
        and d.user_id = any(${userIds}::text[]) and ${HOLDS}
      returning d.user_id, d.webhook_id, d.seq, d.next_at
    ),
    kept as materialized (
      select k.*, r.at, r.duration_ms, r.status, r.error, r.ended, r.paused_until, r.gone
      from (select * from done union all select * from again) k
      join result r on r.user_id = k.user_id and r.webhook_id = k.webhook_id and r.seq = k.seq
    ),
    tally as (
      select user_id, webhook_id, max(succeeded_at) as succeeded_at, max(at) filter (where sent) as last_at,
        (array_agg(status order by at desc, seq desc) filter (where sent))[1] as last_status,
        count(*) filter (where failed)::int as failures, min(at) filter (where failed) as failing_since,
        bool_or(gone) as gone, max(paused_until) as paused_until, min(next_at) as next_at,
        avg(duration_ms) filter (where sent and error is distinct from 'internal') as took_ms
      from (
        select *, sent and ended is distinct from 'delivered' and at >= coalesce(succeeded_at, at) as failed
        from (select *, error is distinct from 'expired' as sent, max(at) filter (where ended = 'delivered') over (partition by user_id, webhook_id) as succeeded_at from kept) k
      ) k
      group by user_id, webhook_id
    ),
    counted as (
      select t.*, t.failures + case when t.succeeded_at is null then h.failure_count else 0 end as failure_count,
        case when t.succeeded_at is null then coalesce(h.failing_since, t.failing_since) else t.failing_since end as failing_from,
        t.succeeded_at is not null and t.failures = 0 and h.failure_count >= ${BREAKER_FAILURES} as recovered
      from tally t join hook h on h.user_id = t.user_id and h.webhook_id = t.webhook_id
    ),
    judged as materialized (
      select *, gone or (failure_count >= ${DELIVERY.turnOff.failures} and failing_from <= ${now}::timestamptz - ${DELIVERY.turnOff.days}::int * interval '1 day') as given_up,
        greatest(paused_until, case when failures > 0 and failure_count >= ${BREAKER_FAILURES} then ${now}::timestamptz + interval '1 second'
          * least(${PAUSE_SECONDS.last}::int, ${PAUSE_SECONDS.first}::int * 2 ^ least(failure_count - ${BREAKER_FAILURES}::int, 10)) end) as pause
      from counted
    ),
    noted as (
      update webhooks w set failure_count = j.failure_count, failing_since = j.failing_from,
        last_delivery_at = coalesce(j.last_at, w.last_delivery_at),
        last_delivery_status = case when j.last_at is null then w.last_delivery_status else j.last_status end,
        active = w.active and not j.given_up, updated_at = case when w.active and j.given_up then ${now}::timestamptz else w.updated_at end
      from judged j where w.user_id = any(${userIds}::text[]) and w.user_id = j.user_id and w.webhook_id = j.webhook_id
    ),
    turn as materialized (
      select q.user_id, q.webhook_id, j.took_ms, q.answer_ms + (j.took_ms - q.answer_ms) * ${SMOOTHING}::numeric as smoothed_ms,
        case when j.recovered then j.pause else greatest(q.paused_until, j.pause) end as paused_until,
        least(j.next_at, (
          select d.next_at from webhook_deliveries d
          where d.user_id = any(${userIds}::text[]) and d.user_id = q.user_id and d.webhook_id = q.webhook_id and d.claim_id is null order by d.next_at limit 1)) as next_at
      from webhook_queue q join judged j on q.user_id = any(${userIds}::text[]) and j.user_id = q.user_id and j.webhook_id = q.webhook_id
      order by q.user_id, q.webhook_id for update of q
    )
    update webhook_queue q
    set paused_until = turn.paused_until, answer_ms = coalesce(round(coalesce(turn.smoothed_ms, turn.took_ms), -2), q.answer_ms),
      next_due = case when turn.next_at is null then q.next_due else least(q.next_due, greatest(turn.next_at, turn.paused_until, ${now}::timestamptz)) end
    from turn where q.user_id = any(${userIds}::text[]) and q.user_id = turn.user_id and q.webhook_id = turn.webhook_id`)
}

/** Writes the attempts whose claim holds into the log. Comes first: an attempt that is recorded again is in the log already. */
async function logAttempts(db: Queryable, attempts: Attempt[]) {
  const claims = attempts.map(({ claim }) => claim)
  const outcomes = attempts.map(({ outcome }) => outcome)
  const userIds = sql.param([...new Set(claims.map(({ userId }) => userId))])
  await db.query(sql`
    insert into webhook_attempts (user_id, webhook_id, seq, attempt, event_id, type, attempted_at, duration_ms, status, error, answer, ended)
    select d.user_id, d.webhook_id, d.seq, d.attempt, d.event_id, d.type, r.at, r.duration_ms, r.status, r.error, r.answer,
      case when not ${RETRIED} then r.ended end
    from unnest(
      ${claimKeys(claims)},
      ${sql.param(attempts.map(({ at }) => at))}::timestamptz[],
      ${sql.param(outcomes.map(({ durationMs }) => Math.round(durationMs)))}::int[],
      ${sql.param(outcomes.map(({ status }) => status))}::int[],
      ${sql.param(outcomes.map(({ error }) => error))}::text[],
      ${sql.param(outcomes.map(({ answer }) => answer))}::text[],
      ${sql.param(attempts.map(({ verdict }) => verdict.ended))}::text[]
    ) as r(user_id, webhook_id, seq, claim_id, at, duration_ms, status, error, answer, ended)
    join webhook_deliveries d on d.user_id = any(${userIds}::text[]) and ${HOLDS}
    join webhooks w on w.user_id = any(${userIds}::text[]) and w.user_id = d.user_id and w.webhook_id = d.webhook_id
    order by d.user_id, d.webhook_id for key share of w
    on conflict do nothing`)
}

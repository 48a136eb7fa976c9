import type { Reader } from '../db/open.ts'
import type { Outcome as Sent } from '../webhooks/client.ts'
import { BREAKER_FAILURES, type Claim } from './claim.ts'
import type { Verdict } from './schedule.ts'

/** Besides what can go wrong on the way: the event is no longer kept, or this server failed. */
export type Outcome = Omit<Sent, 'error'> & { error: Sent['error'] | 'expired' | 'internal' }

/** An attempt that was made, and what follows from it. */
export interface Attempt {
  claim: Claim
  at: Date
  outcome: Outcome
  verdict: Verdict
}

/** After so many failures, over so long, an endpoint is taken for given up by its owner. */
const DEACTIVATE = { failures: 20, days: 5 }
/** How long an endpoint that keeps failing is left alone: doubling from the first to the last. */
const PAUSE_SECONDS = { first: 30, last: 900 }
/** What a batch of attempts counts against all before it, in how long the endpoint usually takes. */
const WEIGHT = 0.25

/**
 * Notes what a batch of attempts came to, all at once: the delivery ends or waits for its next attempt, the log gets its
 * line, the webhook its figures, the queue its time: now at the earliest, so that an endpoint with a backlog takes turns with the others.
 * An attempt counts only while its claim holds: after the lease has ended, another process's attempt is the one that counts. Webhooks
 * are locked first and in order, as everywhere.
 *
 * The usual time is kept in steps of 100 ms: it is in the predicate of an index, and a row whose time stays costs less to update.
 */
const SETTLE = {
  name: 'settle_attempts',
  text: `
    with result as materialized (
      select * from unnest($2::text[], $3::text[], $4::bigint[], $5::text[], $6::timestamptz[], $7::int[], $8::int[], $9::text[], $10::text[],
        $11::text[], $12::timestamptz[], $13::timestamptz[], $14::bool[])
        as r(user_id, webhook_id, seq, claim_id, at, duration_ms, status, error, answer, ended, next_at, paused_until, gone)
    ),
    hook as materialized (
      select user_id, webhook_id, failure_count, failing_since from webhooks
      where (user_id, webhook_id) in (select user_id, webhook_id from result) order by user_id, webhook_id for no key update
    ),
    done as (
      delete from webhook_deliveries d using result r, hook h
      where r.ended is not null and h.user_id = r.user_id and h.webhook_id = r.webhook_id
        and d.user_id = r.user_id and d.webhook_id = r.webhook_id and d.seq = r.seq and d.claim_id = r.claim_id
      returning d.user_id, d.webhook_id, d.seq, d.attempt, d.event_id, d.type
    ),
    again as (
      update webhook_deliveries d set claim_id = null, lease_until = null, next_at = r.next_at from result r, hook h
      where r.ended is null and h.user_id = r.user_id and h.webhook_id = r.webhook_id
        and d.user_id = r.user_id and d.webhook_id = r.webhook_id and d.seq = r.seq and d.claim_id = r.claim_id
      returning d.user_id, d.webhook_id, d.seq, d.attempt, d.event_id, d.type
    ),
    kept as materialized (
      select k.attempt, k.event_id, k.type, r.* from (select * from done union all select * from again) k
      join result r on r.user_id = k.user_id and r.webhook_id = k.webhook_id and r.seq = k.seq
    ),
    logged as (
      insert into webhook_attempts (user_id, webhook_id, seq, attempt, event_id, type, attempted_at, duration_ms, status, error, answer, ended)
      select user_id, webhook_id, seq, attempt, event_id, type, at, duration_ms, status, error, answer, ended from kept
      on conflict do nothing
    ),
    tally as (
      select user_id, webhook_id, max(succeeded_at) as succeeded_at, max(at) as last_at,
        (array_agg(status order by at desc, seq desc))[1] as last_status,
        count(*) filter (where failed)::int as failures, min(at) filter (where failed) as failing_since,
        bool_or(gone) as gone, max(paused_until) as paused_until, min(next_at) as next_at,
        avg(duration_ms) filter (where error is null or error not in ('expired', 'internal')) as took_ms
      from (
        select *, ended is distinct from 'delivered' and at >= coalesce(succeeded_at, at) as failed
        from (select *, max(at) filter (where ended = 'delivered') over (partition by user_id, webhook_id) as succeeded_at from kept) k
      ) k
      group by user_id, webhook_id
    ),
    counted as (
      select t.*, t.failures + case when t.succeeded_at is null then h.failure_count else 0 end as failure_count,
        case when t.succeeded_at is null then coalesce(h.failing_since, t.failing_since) else t.failing_since end as failing_from,
        t.failures = 0 and h.failure_count >= ${BREAKER_FAILURES} as recovered
      from tally t join hook h on h.user_id = t.user_id and h.webhook_id = t.webhook_id
    ),
    judged as materialized (
      select *, gone or (failure_count >= ${DEACTIVATE.failures} and failing_from <= $1::timestamptz - interval '${DEACTIVATE.days} days') as given_up,
        greatest(paused_until, case when failures > 0 and failure_count >= ${BREAKER_FAILURES} then $1::timestamptz + interval '1 second'
          * least(${PAUSE_SECONDS.last}, ${PAUSE_SECONDS.first} * 2 ^ least(failure_count - ${BREAKER_FAILURES}, 10)) end) as pause
      from counted
    ),
    noted as (
      update webhooks w set failure_count = j.failure_count, failing_since = j.failing_from,
        last_delivery_at = j.last_at, last_delivery_status = j.last_status,
        active = w.active and not j.given_up, updated_at = case when w.active and j.given_up then $1 else w.updated_at end
      from judged j where w.user_id = j.user_id and w.webhook_id = j.webhook_id
    ),
    turn as materialized (
      select q.user_id, q.webhook_id, j.took_ms, q.answer_ms + (j.took_ms - q.answer_ms) * ${WEIGHT} as smoothed_ms,
        case when j.recovered then j.pause else greatest(q.paused_until, j.pause) end as paused_until,
        least(j.next_at, (
          select d.next_at from webhook_deliveries d
          where d.user_id = q.user_id and d.webhook_id = q.webhook_id and d.claim_id is null order by d.next_at limit 1)) as next_at
      from webhook_queue q join judged j on j.user_id = q.user_id and j.webhook_id = q.webhook_id
      order by q.user_id, q.webhook_id for update of q
    )
    update webhook_queue q
    set paused_until = turn.paused_until, answer_ms = coalesce(round(coalesce(turn.smoothed_ms, turn.took_ms), -2), q.answer_ms),
      next_due = case when turn.next_at is null then q.next_due else least(q.next_due, greatest(turn.next_at, turn.paused_until, $1)) end
    from turn where q.user_id = turn.user_id and q.webhook_id = turn.webhook_id`
}

/** Attempts of one batch. Each claim at most once in it. */
export async function settleAttempts(db: Reader, attempts: Attempt[], now: Date) {
  const claims = attempts.map(({ claim }) => claim)
  const outcomes = attempts.map(({ outcome }) => outcome)
  const verdicts = attempts.map(({ verdict }) => verdict)
  await db.run(SETTLE, [
    now,
    claims.map(({ userId }) => userId),
    claims.map(({ webhookId }) => webhookId),
    claims.map(({ seq }) => seq),
    claims.map(({ claimId }) => claimId),
    attempts.map(({ at }) => at),
    outcomes.map(({ durationMs }) => Math.round(durationMs)),
    outcomes.map(({ status }) => status),
    outcomes.map(({ error }) => error),
    // What Postgres cannot store as text.
    outcomes.map(({ answer }) => answer.replaceAll('\0', '').toWellFormed()),
    verdicts.map(({ ended }) => ended),
    verdicts.map(verdict => (verdict.ended === null ? verdict.nextAt : null)),
    verdicts.map(verdict => (verdict.ended === 'delivered' ? null : (verdict.pausedUntil ?? null))),
    verdicts.map(verdict => verdict.ended === 'failed' && verdict.gone)
  ])
}

import { type Param, type SQL, sql } from '../../../platform/db/drizzle.ts'
import type { Db } from '../../../platform/db/open.ts'
import { type Claim, claimKeys, HOLDS } from './claim.ts'
import { type Attempt, type Failures, type Judgement, judgeAttempts, type Settled } from './judge-attempts.ts'

/** True if a claimed delivery was retried by hand since: the attempt then ends nothing, and the retry is due. */
const RETRIED = sql.raw('d.attempts_before >= d.attempt')
/** The weight of a batch in the moving average of an endpoint's answer time. */
const SMOOTHING = 0.25

/**
 * Records a batch of attempts, in which each claim is at most once. Each delivery ends or waits for its next attempt, the attempt log gets a
 * row, and the webhook its counts. The endpoint is due now at the earliest, so that one with a backlog takes turns with the others.
 *
 * An attempt counts only while its claim holds: the claim is the fencing token, and after its lease another process's attempt counts. The log
 * comes first, because the claims end with the deliveries.
 */
export async function recordAttempts(db: Pick<Db, 'transaction'>, attempts: Attempt[], now: Date) {
  await db.transaction(async tx => {
    tx.willLock('webhook')
    await logAttempts(tx, attempts)
    const endpoints = await settle(tx, attempts)
    const judgements = endpoints.map(({ settled, before }) => judgeAttempts(settled, before, now))
    if (endpoints.length > 0) await writeJudgements(tx, endpoints, judgements, now)
  })
}

/** An endpoint with attempts that count. */
interface Endpoint {
  userId: string
  webhookId: string
  before: Failures
  settled: Settled[]
}

/** Ends the deliveries, or lets them wait for their next attempt, if their claim holds. Returns what has happened by endpoint. */
async function settle(tx: Db, attempts: Attempt[]): Promise<Endpoint[]> {
  const { rows } = await tx.execute<SettledRow>(settleStatement(attempts))
  const byClaim = new Map(attempts.map(attempt => [keyOf(attempt.claim), attempt]))
  const byEndpoint = Map.groupBy(rows, ({ userId, webhookId }) => `${userId} ${webhookId}`)
  return [...byEndpoint.values()].flatMap(([first, ...others]) => {
    if (!first) return []
    const { userId, webhookId, failureCount, failingSince } = first
    const settled = [first, ...others].flatMap(row => {
      const attempt = byClaim.get(keyOf(row))
      return attempt ? [{ attempt, nextAt: toInstant(row.nextAt) }] : []
    })
    return [{ userId, webhookId, settled, before: { failureCount, failingSince: toInstant(failingSince) } }]
  })
}

type Key = Pick<Claim, 'userId' | 'webhookId' | 'seq'>

function keyOf({ userId, webhookId, seq }: Key) {
  return `${userId} ${webhookId} ${seq}`
}

function toInstant(text: string | null) {
  return text === null ? null : new Date(text)
}

interface SettledRow extends Key, Record<string, unknown> {
  nextAt: string | null
  failureCount: number
  failingSince: string | null
}

/**
 * Locks the webhooks in order, so that none is deleted meanwhile. Deliveries that have ended are deleted, and the others lose their claim;
 * both return the rows whose claim held.
 */
function settleStatement(attempts: Attempt[]) {
  const userIds = ownersOf(attempts)
  const verdicts = attempts.map(({ verdict }) => verdict)
  const isOfHook = sql.raw('h.user_id = r.user_id and h.webhook_id = r.webhook_id')
  return sql`
    with result as materialized (
      select * from unnest(
        ${claimKeys(attempts.map(({ claim }) => claim))},
        ${arrayOf('text', verdicts, ({ ended }) => ended)},
        ${arrayOf('timestamptz', verdicts, verdict => (verdict.ended === null ? verdict.nextAt : null))}
      ) as r(user_id, webhook_id, seq, claim_id, ended, next_at)
    ),
    hook as materialized (
      select user_id, webhook_id, failure_count, failing_since from webhooks
      where user_id = any(${userIds}::text[]) and (user_id, webhook_id) in (select user_id, webhook_id from result)
      order by user_id, webhook_id for no key update
    ),
    done as (
      delete from webhook_deliveries d using result r, hook h
      where d.user_id = any(${userIds}::text[]) and ${HOLDS} and ${isOfHook} and r.ended is not null and not ${RETRIED}
      returning d.user_id, d.webhook_id, d.seq, null::timestamptz as next_at
    ),
    again as (${waitAgain(userIds, isOfHook)})
    select k.user_id as "userId", k.webhook_id as "webhookId", k.seq, k.next_at as "nextAt",
      h.failure_count as "failureCount", h.failing_since as "failingSince"
    from (select * from done union all select * from again) k
    join hook h on h.user_id = k.user_id and h.webhook_id = k.webhook_id`
}

function waitAgain(userIds: Param, isOfHook: SQL) {
  return sql`update webhook_deliveries d
      set claim_id = null, lease_until = null, next_at = case when ${RETRIED} then d.next_at else r.next_at end
      from result r, hook h
      where d.user_id = any(${userIds}::text[]) and ${HOLDS} and ${isOfHook} and (r.ended is null or ${RETRIED})
      returning d.user_id, d.webhook_id, d.seq, d.next_at`
}

/**
 * Writes the counts of the webhooks, then when their endpoints are due, which are locked in order. The answer time is rounded to 100 ms: it
 * is in the predicate of an index, and a row whose time stays costs less to update.
 */
async function writeJudgements(tx: Db, endpoints: Endpoint[], judgements: Judgement[], now: Date) {
  const userIds = sql.param([...new Set(endpoints.map(({ userId }) => userId))])
  tx.willLock('webhook queue')
  await tx.execute(sql`
    with judged as materialized (${unnestJudgements(endpoints, judgements)}),
    noted as (
      update webhooks w set failure_count = j.failure_count, failing_since = j.failing_since,
        last_delivery_at = coalesce(j.last_at, w.last_delivery_at),
        last_delivery_status = case when j.last_at is null then w.last_delivery_status else j.last_status end,
        active = w.active and not j.given_up,
        updated_at = case when w.active and j.given_up then ${now}::timestamptz else w.updated_at end
      from judged j where w.user_id = any(${userIds}::text[]) and w.user_id = j.user_id and w.webhook_id = j.webhook_id
    ),
    turn as materialized (
      select q.user_id, q.webhook_id, ${movingAverage(sql`q.answer_ms`, sql`j.took_ms`)} as took_ms,
        case when j.recovered then j.paused_until else greatest(q.paused_until, j.paused_until) end as paused_until,
        least(j.next_at, ${firstWaiting(userIds, sql`q`)}) as next_at
      from webhook_queue q join judged j on j.user_id = q.user_id and j.webhook_id = q.webhook_id
      where q.user_id = any(${userIds}::text[]) order by q.user_id, q.webhook_id for update of q
    )
    update webhook_queue q set paused_until = turn.paused_until, answer_ms = round(turn.took_ms, -2), next_due =
      case when turn.next_at is null then q.next_due
        else least(q.next_due, greatest(turn.next_at, turn.paused_until, ${now}::timestamptz)) end
    from turn where q.user_id = any(${userIds}::text[]) and q.user_id = turn.user_id and q.webhook_id = turn.webhook_id`)
}

function movingAverage(average: SQL, latest: SQL) {
  return sql`coalesce(${average} + (${latest} - ${average}) * ${SMOOTHING}::numeric, ${latest}, ${average})`
}

/** The time at which the first delivery of an endpoint is due that nobody has claimed. */
function firstWaiting(userIds: Param, endpoint: SQL) {
  return sql`(
          select d.next_at from webhook_deliveries d
          where d.user_id = any(${userIds}::text[]) and d.user_id = ${endpoint}.user_id
            and d.webhook_id = ${endpoint}.webhook_id and d.claim_id is null
          order by d.next_at limit 1)`
}

function unnestJudgements(endpoints: Endpoint[], judgements: Judgement[]) {
  return sql`
      select * from unnest(
        ${arrayOf('text', endpoints, ({ userId }) => userId)}, ${arrayOf('text', endpoints, ({ webhookId }) => webhookId)},
        ${arrayOf('int', judgements, ({ failureCount }) => failureCount)},
        ${arrayOf('timestamptz', judgements, ({ failingSince }) => failingSince)},
        ${arrayOf('timestamptz', judgements, ({ last }) => last?.at ?? null)},
        ${arrayOf('int', judgements, ({ last }) => last?.status ?? null)},
        ${arrayOf('bool', judgements, ({ givenUp }) => givenUp)}, ${arrayOf('bool', judgements, ({ recovered }) => recovered)},
        ${arrayOf('timestamptz', judgements, ({ pausedUntil }) => pausedUntil)},
        ${arrayOf('timestamptz', judgements, ({ nextAt }) => nextAt)},
        ${arrayOf('numeric', judgements, ({ tookMs }) => tookMs)}
      ) as j(user_id, webhook_id, failure_count, failing_since, last_at, last_status, given_up, recovered, paused_until, next_at, took_ms)`
}

/** Writes the attempts whose claim holds into the log. */
async function logAttempts(tx: Db, attempts: Attempt[]) {
  const outcomes = attempts.map(({ outcome }) => outcome)
  const userIds = ownersOf(attempts)
  await tx.execute(sql`
    insert into webhook_attempts (user_id, webhook_id, seq, attempt, event_id, type, attempted_at, duration_ms, status, error, answer,
      answer_headers, ended)
    select d.user_id, d.webhook_id, d.seq, d.attempt, d.event_id, d.type, r.at, r.duration_ms, r.status, r.error, r.answer,
      r.answer_headers, case when not ${RETRIED} then r.ended end
    from unnest(
      ${claimKeys(attempts.map(({ claim }) => claim))},
      ${arrayOf('timestamptz', attempts, ({ at }) => at)},
      ${arrayOf('int', outcomes, ({ durationMs }) => Math.round(durationMs))},
      ${arrayOf('int', outcomes, ({ status }) => status)},
      ${arrayOf('text', outcomes, ({ error }) => error)},
      ${arrayOf('text', outcomes, ({ answer }) => answer)},
      ${arrayOf('text', outcomes, ({ answerHeaders }) => answerHeaders)},
      ${arrayOf('text', attempts, ({ verdict }) => verdict.ended)}
    ) as r(user_id, webhook_id, seq, claim_id, at, duration_ms, status, error, answer, answer_headers, ended)
    join webhook_deliveries d on d.user_id = any(${userIds}::text[]) and ${HOLDS}
    join webhooks w on w.user_id = any(${userIds}::text[]) and w.user_id = d.user_id and w.webhook_id = d.webhook_id
    order by d.user_id, d.webhook_id for key share of w
    on conflict do nothing`)
}

function ownersOf(attempts: Attempt[]) {
  return sql.param([...new Set(attempts.map(({ claim }) => claim.userId))])
}

/** The values of the rows as one parameter. */
function arrayOf<Row>(
  type: 'text' | 'int' | 'bool' | 'numeric' | 'timestamptz',
  rows: Row[],
  toValue: (row: Row) => unknown
) {
  return sql`${sql.param(rows.map(toValue))}::${sql.raw(type)}[]`
}

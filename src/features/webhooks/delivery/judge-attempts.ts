import { DELIVERY } from '../../../contract/delivery.ts'
import type { Outcome } from '../../../platform/ports/sender.ts'
import { BREAKER_FAILURES, type Claim } from './claim.ts'

/** An attempt that has ended, and its consequence. */
export interface Attempt {
  claim: Claim
  at: Date
  outcome: Outcome
  verdict: Verdict
}

/** An attempt that counts, because its claim held. */
export interface Settled {
  attempt: Attempt
  /** The time of the next attempt; null if the delivery has ended. */
  nextAt: Date | null
}

/** The failures of an endpoint since its last success. */
export interface Failures {
  failureCount: number
  failingSince: Date | null
}

/** The verdict of a batch of attempts on their endpoint. */
export interface Judgement extends Failures {
  /** The latest attempt that was sent, with its status; null if none was. */
  last: { at: Date; status: number | null } | null
  /** True if the webhook is turned off. */
  givenUp: boolean
  /** True if the endpoint works again, which ends its pause. */
  recovered: boolean
  /** Nothing is sent before. */
  pausedUntil: Date | null
  /** The next attempt of these deliveries. */
  nextAt: Date | null
  /** The average time of the answers; null without any. */
  tookMs: number | null
}

/** The pause of an endpoint that keeps failing doubles from the first to the last. */
const PAUSE_SECONDS = { first: 30, last: 900 }
const DAY_MS = 86_400_000

/**
 * Judges an endpoint by attempts that count. A success forgets all failures that began before it. An event that is no longer kept is not
 * sent, so it says nothing of its endpoint; an error of this server says nothing of the time that the endpoint takes.
 */
export function judgeAttempts(settled: Settled[], before: Failures, now: Date): Judgement {
  const attempts = settled.map(({ attempt }) => attempt)
  const sent = attempts.filter(({ outcome }) => outcome.error !== 'expired')
  const succeededAt = latest(attempts.filter(({ verdict }) => verdict.ended === 'delivered').map(({ at }) => at))
  const failedAt = sent
    .filter(({ at, verdict }) => verdict.ended !== 'delivered' && (succeededAt === null || at >= succeededAt))
    .map(({ at }) => at)
  const known = succeededAt === null ? before : { failureCount: 0, failingSince: null }
  const failureCount = known.failureCount + failedAt.length
  const failingSince = known.failingSince ?? earliest(failedAt)
  const last = sent.toSorted((a, b) => b.at.getTime() - a.at.getTime() || b.claim.seq - a.claim.seq)[0]
  return {
    failureCount,
    failingSince,
    last: last ? { at: last.at, status: last.outcome.status } : null,
    givenUp: attempts.some(isGone) || isTurnedOff({ failureCount, failingSince }, now),
    recovered: succeededAt !== null && failedAt.length === 0 && before.failureCount >= BREAKER_FAILURES,
    pausedUntil: latest([...attempts.map(pauseOf), failedAt.length > 0 ? breakerPause(failureCount, now) : null]),
    nextAt: earliest(settled.map(({ nextAt }) => nextAt)),
    tookMs: average(sent.filter(({ outcome }) => outcome.error !== 'internal').map(({ outcome }) => outcome.durationMs))
  }
}

function isGone({ verdict }: Attempt) {
  return verdict.ended === 'failed' && verdict.gone
}

function pauseOf({ verdict }: Attempt) {
  return verdict.ended === 'delivered' ? null : (verdict.pausedUntil ?? null)
}

function isTurnedOff({ failureCount, failingSince }: Failures, now: Date) {
  const { failures, days } = DELIVERY.turnOff
  return failureCount >= failures && failingSince !== null && failingSince.getTime() <= now.getTime() - days * DAY_MS
}

function breakerPause(failureCount: number, now: Date) {
  if (failureCount < BREAKER_FAILURES) return null
  const { first, last } = PAUSE_SECONDS
  return new Date(now.getTime() + 1_000 * Math.min(last, first * 2 ** (failureCount - BREAKER_FAILURES)))
}

function latest(instants: (Date | null)[]) {
  return instants.reduce((late, at) => (at && (!late || at > late) ? at : late), null)
}

function earliest(instants: (Date | null)[]) {
  return instants.reduce((early, at) => (at && (!early || at < early) ? at : early), null)
}

function average(numbers: number[]) {
  return numbers.length > 0 ? numbers.reduce((sum, number) => sum + number, 0) / numbers.length : null
}

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** The delays between the attempts of a round. */
const DELAYS_MS = DELIVERY.delaysSeconds.map(seconds => seconds * SECOND)
const JITTER = DELIVERY.jitter
/** The minimum delay after a sign of overload. */
const MIN_OVERLOAD_DELAY_MS = MINUTE
const OVERLOAD_STATUSES = new Set([429, 502, 503, 504])
const RETRY_AFTER_STATUSES = new Set([429, 503])
const MAX_RETRY_AFTER_MS = 24 * HOUR

/** The consequence of an attempt's outcome. */
export type Verdict =
  | { ended: 'delivered' }
  /** `gone`: the receiver asked for the end of all deliveries (410). */
  | { ended: 'failed'; gone: boolean; pausedUntil?: Date }
  /** `pausedUntil`: nothing is sent to the endpoint before. */
  | { ended: null; nextAt: Date; pausedUntil?: Date }

/** Decides the consequence of an attempt, numbered from 1 in its round. `random` returns a number from 0 to 1. */
export function decideNext(outcome: Outcome, attemptInRound: number, now: Date, random = Math.random): Verdict {
  const { status } = outcome
  if (status !== null && status >= 200 && status < 300) return { ended: 'delivered' }
  if (status === 410) return { ended: 'failed', gone: true }
  const asked = Math.min(parseRetryAfter(outcome.retryAfter, now) ?? 0, MAX_RETRY_AFTER_MS)
  const paused =
    asked > 0 && status !== null && RETRY_AFTER_STATUSES.has(status) ? { pausedUntil: after(now, asked) } : {}
  const delay = DELAYS_MS[attemptInRound - 1]
  if (delay === undefined) return { ended: 'failed', gone: false, ...paused }
  const least =
    outcome.error === 'timeout' || (status !== null && OVERLOAD_STATUSES.has(status)) ? MIN_OVERLOAD_DELAY_MS : 0
  const jittered = delay * (1 - JITTER + 2 * JITTER * random())
  return { ended: null, nextAt: after(now, Math.max(jittered, least, asked)), ...paused }
}

/** The milliseconds of a Retry-After header, which holds seconds or an HTTP date. Undefined where it is neither. */
export function parseRetryAfter(header: string | null, now: Date): number | undefined {
  const text = header?.trim() ?? ''
  if (/^\d{1,9}(\.\d+)?$/.test(text)) return Math.ceil(Number(text)) * SECOND
  // Date.parse accepts more than HTTP dates, which begin with the name of a day.
  const at = /^[a-z]{3,9},? /i.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? undefined : Math.max(0, at - now.getTime())
}

function after(now: Date, ms: number) {
  return new Date(now.getTime() + ms)
}

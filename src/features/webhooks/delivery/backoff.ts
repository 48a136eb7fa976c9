import { DELIVERY } from '../../../contract/delivery.ts'
import type { Outcome } from '../../../platform/ports/sender.ts'

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

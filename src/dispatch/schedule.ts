import type { Outcome } from './settle.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** How long after each failed attempt of a round the next one follows; after the last of them there is none. */
const DELAYS = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR]
export const ATTEMPTS = DELAYS.length + 1
const JITTER = 0.2
/** A receiver that is overloaded gets at least so long to recover. */
const OVERLOADED_DELAY = MINUTE
const OVERLOADED = new Set([429, 502, 503, 504])
const ASKS_TO_WAIT = new Set([429, 503])
const LONGEST_WAIT = 24 * HOUR

/** What follows from an attempt. */
export type Verdict =
  | { ended: 'delivered' }
  /** `gone`: the receiver wants no more of anything. */
  | { ended: 'failed'; gone: boolean; pausedUntil?: Date }
  /** `pausedUntil`: until then the whole endpoint is left alone. */
  | { ended: null; nextAt: Date; pausedUntil?: Date }

/** Decides on the attempt of that number in its round, counted from 1. `random` gives a number from 0 to 1. */
export function judge(outcome: Outcome, attemptInRound: number, now: Date, random = Math.random): Verdict {
  const { status } = outcome
  if (status !== null && status >= 200 && status < 300) return { ended: 'delivered' }
  if (status === 410) return { ended: 'failed', gone: true }
  const asked = Math.min(readRetryAfter(outcome.retryAfter, now) ?? 0, LONGEST_WAIT)
  const paused = asked > 0 && status !== null && ASKS_TO_WAIT.has(status) ? { pausedUntil: after(now, asked) } : {}
  const delay = DELAYS[attemptInRound - 1]
  if (delay === undefined) return { ended: 'failed', gone: false, ...paused }
  const least = outcome.error === 'timeout' || (status !== null && OVERLOADED.has(status)) ? OVERLOADED_DELAY : 0
  const jittered = delay * (1 - JITTER + 2 * JITTER * random())
  return { ended: null, nextAt: after(now, Math.max(jittered, least, asked)), ...paused }
}

/** Milliseconds that a Retry-After header asks for: seconds or an HTTP date. Undefined where it is neither. */
export function readRetryAfter(header: string | null, now: Date): number | undefined {
  const text = header?.trim() ?? ''
  if (/^\d{1,9}(\.\d+)?$/.test(text)) return Math.ceil(Number(text)) * SECOND
  // Without a letter it is no HTTP date, though Date.parse would read many of them.
  const at = /^[a-z]{3,9},? /i.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? undefined : Math.max(0, at - now.getTime())
}

function after(now: Date, ms: number) {
  return new Date(now.getTime() + ms)
}

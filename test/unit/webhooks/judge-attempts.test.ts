import { describe, expect, test } from 'vitest'
import {
  type Failures,
  judgeAttempts,
  type Settled,
  type Verdict
} from '../../../src/features/webhooks/delivery/judge-attempts.ts'
import { notSent } from '../../../src/features/webhooks/outcome.ts'
import type { Outcome } from '../../../src/platform/ports/sender.ts'

const NOW = new Date('2026-03-02T10:00:00.000Z')
const DAY_MS = 86_400_000
const FINE: Failures = { failureCount: 0, failingSince: null }

function ago(ms: number) {
  return new Date(NOW.getTime() - ms)
}

function answered(status: number, durationMs = 100): Outcome {
  const error = status < 300 ? null : 'http_error'
  return { status, error, durationMs, retryAfter: null, answer: '', answerHeaders: '' }
}

let seq = 0
function settled(at: Date, outcome: Outcome, verdict: Verdict): Settled {
  const claim = {
    claimId: 'c',
    userId: 'u',
    webhookId: 'w',
    seq: ++seq,
    eventId: `e${seq}`,
    type: 'session.updated' as const,
    attempt: 1,
    attemptInRound: 1,
    speed: 'prompt' as const,
    url: '',
    secret: '',
    previousSecret: null,
    headers: null,
    body: ''
  }
  return { attempt: { claim, at, outcome, verdict }, nextAt: verdict.ended === null ? verdict.nextAt : null }
}

const success = (at: Date) => settled(at, answered(200), { ended: 'delivered' })
const failure = (at: Date, nextAt = NOW, pausedUntil?: Date) =>
  settled(at, answered(500), { ended: null, nextAt, ...(pausedUntil && { pausedUntil }) })

describe('the failures of an endpoint', () => {
  test('add up since the first one without a success', () => {
    const before = { failureCount: 2, failingSince: ago(9_000) }
    expect(judgeAttempts([failure(ago(2)), failure(ago(1))], before, NOW)).toMatchObject({
      failureCount: 4,
      failingSince: ago(9_000)
    })
    expect(judgeAttempts([failure(ago(2)), failure(ago(1))], FINE, NOW)).toMatchObject({
      failureCount: 2,
      failingSince: ago(2)
    })
  })

  test('are forgotten by a success, but for those that began after it, whatever the order of recording', () => {
    const before = { failureCount: 9, failingSince: ago(9_000) }
    const judged = judgeAttempts([failure(ago(1)), success(ago(2)), failure(ago(3))], before, NOW)
    expect(judged).toMatchObject({ failureCount: 1, failingSince: ago(1), recovered: false })
  })

  test('end with a success: an endpoint that was paused has recovered', () => {
    const before = { failureCount: 5, failingSince: ago(9_000) }
    expect(judgeAttempts([success(ago(1))], before, NOW)).toMatchObject({
      ...FINE,
      recovered: true,
      pausedUntil: null
    })
    expect(judgeAttempts([success(ago(1))], { ...before, failureCount: 4 }, NOW).recovered).toBe(false)
  })

  test('do not count events that are no longer kept, which are not sent', () => {
    const expired = settled(ago(1), notSent('expired'), { ended: 'failed', gone: false })
    const before = { failureCount: 3, failingSince: ago(9_000) }
    expect(judgeAttempts([expired], before, NOW)).toEqual({
      ...before,
      last: null,
      givenUp: false,
      recovered: false,
      pausedUntil: null,
      nextAt: null,
      tookMs: null
    })
  })
})

test('the pause doubles from 30 s at five failures to 15 minutes, and a longer one that the receiver asks for wins', () => {
  const pauseAt = (failureCount: number, asked?: Date) => {
    const { pausedUntil } = judgeAttempts([failure(ago(1), NOW, asked)], { failureCount, failingSince: ago(2) }, NOW)
    return pausedUntil && (pausedUntil.getTime() - NOW.getTime()) / 1_000
  }
  expect([3, 4, 5, 6, 8, 9, 1_000].map(count => pauseAt(count))).toEqual([null, 30, 60, 120, 480, 900, 900])
  expect(pauseAt(4, new Date(NOW.getTime() + 45_000))).toBe(45)
  expect(pauseAt(5, new Date(NOW.getTime() + 45_000))).toBe(60)
})

test('a webhook is turned off after 20 failures over five days, or when the receiver is gone', () => {
  const givenUp = (failureCount: number, days: number) =>
    judgeAttempts([failure(ago(1))], { failureCount, failingSince: ago(days * DAY_MS) }, NOW).givenUp
  expect([givenUp(19, 5), givenUp(18, 5), givenUp(19, 4.9)]).toEqual([true, false, false])
  const gone = settled(ago(1), answered(410), { ended: 'failed', gone: true })
  expect(judgeAttempts([gone, success(ago(2))], FINE, NOW).givenUp).toBe(true)
})

test('the latest attempt that was sent is noted, the next one is due first, and times are averaged without our own errors', () => {
  const [soon, later] = [new Date(NOW.getTime() + 1_000), new Date(NOW.getTime() + 2_000)]
  const own = settled(ago(3), notSent('internal'), { ended: null, nextAt: soon })
  const slow = settled(ago(2), answered(503, 300), { ended: null, nextAt: later })
  const quick = settled(ago(2), answered(500, 100), { ended: null, nextAt: later })
  const { last, nextAt, tookMs } = judgeAttempts([quick, own, slow], FINE, NOW)
  expect({ last, nextAt, tookMs }).toEqual({ last: { at: ago(2), status: 500 }, nextAt: soon, tookMs: 200 })
})

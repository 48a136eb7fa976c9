import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { DELIVERY } from '../../../src/contract/delivery.ts'
import { decideNext, parseRetryAfter } from '../../../src/features/webhooks/delivery/judge-attempts.ts'
import { RETRY_SCHEDULE } from '../../../src/interfaces/http/document/webhook-description.ts'
import type { Outcome } from '../../../src/platform/ports/sender.ts'

const NOW = new Date('2026-03-02T10:00:00.000Z')
const FAILED: Outcome = {
  status: 500,
  error: 'http_error',
  durationMs: 3,
  retryAfter: null,
  answer: '',
  answerHeaders: ''
}
const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000]

/** How long until the next attempt, or what ended it. */
function delayOf(outcome: Partial<Outcome>, attempt: number, random = 0.5) {
  const verdict = decideNext({ ...FAILED, ...outcome }, attempt, NOW, () => random)
  return verdict.ended === null ? verdict.nextAt.getTime() - NOW.getTime() : verdict.ended
}

function pauseOf(outcome: Partial<Outcome>, attempt = 1) {
  const verdict = decideNext({ ...FAILED, ...outcome }, attempt, NOW)
  return verdict.ended === 'delivered'
    ? undefined
    : verdict.pausedUntil && verdict.pausedUntil.getTime() - NOW.getTime()
}

describe('the schedule', () => {
  test('is ten attempts, the first at once and the others after 5 s, 5 m, 30 m, 2 h, 5 h, 10 h, 14 h, 20 h, 24 h', () => {
    const delays = Array.from({ length: 10 }, (_, index) => delayOf({}, index + 1))
    const planned = [
      5 * SECOND,
      5 * MINUTE,
      30 * MINUTE,
      2 * HOUR,
      5 * HOUR,
      10 * HOUR,
      14 * HOUR,
      20 * HOUR,
      24 * HOUR
    ]
    expect(delays).toEqual([...planned, 'failed'])
    expect(RETRY_SCHEDULE).toBe('5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h, each ± 20 %')
  })

  test('is what the OpenAPI document and the guides say, to the letter', () => {
    const repeated = `after ${RETRY_SCHEDULE}`
    const off = `fter ${DELIVERY.turnOff.failures} failed attempts in a row over at least ${DELIVERY.turnOff.days} days`
    const { responses } = JSON.parse(readFileSync('openapi/openapi.json', 'utf8')).webhooks['session.completed'].post
    const guides = ['docs/api/webhooks.md'].map(path => readFileSync(path, 'utf8'))
    const texts = [responses.default.description, ...guides].map((text: string) => text.replaceAll('\n', ' '))
    expect(texts.map(text => [text.includes(repeated), text.includes(off)])).toEqual(texts.map(() => [true, true]))
  })

  test('varies by a fifth each way', () => {
    expect([delayOf({}, 2, 0), delayOf({}, 2, 1)]).toEqual([4 * MINUTE, 6 * MINUTE])
  })

  test.each([200, 201, 204, 299])('ends with %d, which is a delivery', status => {
    expect(decideNext({ ...FAILED, status, error: null }, 1, NOW)).toEqual({ ended: 'delivered' })
  })

  test.each([100, 199, 300, 301, 304, 400, 401, 404, 418, 500])('goes on after %d, which is none', status => {
    expect(delayOf({ status }, 1)).toBe(5 * SECOND)
  })

  test('ends with 410, for the whole webhook', () => {
    expect(decideNext({ ...FAILED, status: 410 }, 1, NOW)).toEqual({ ended: 'failed', gone: true })
  })

  test.each([
    ['429', { status: 429 }],
    ['502', { status: 502 }],
    ['503', { status: 503 }],
    ['504', { status: 504 }],
    ['no answer in time', { status: null, error: 'timeout' as const }]
  ])('leaves a receiver that is overloaded alone for a minute at least: %s', (_, outcome) => {
    expect(delayOf(outcome, 1)).toBe(MINUTE)
    expect(delayOf(outcome, 3)).toBe(30 * MINUTE)
  })

  test('is lengthened by Retry-After, by a day at most, and never shortened', () => {
    expect(delayOf({ retryAfter: '600' }, 1)).toBe(10 * MINUTE)
    expect(delayOf({ retryAfter: '600' }, 4)).toBe(2 * HOUR)
    expect(delayOf({ retryAfter: '999999' }, 1)).toBe(24 * HOUR)
    expect(delayOf({ retryAfter: '0' }, 1)).toBe(5 * SECOND)
  })

  test('pauses the whole endpoint when 429 or 503 ask for it, also with the last attempt', () => {
    expect(pauseOf({ status: 429, retryAfter: '600' })).toBe(10 * MINUTE)
    expect(pauseOf({ status: 503, retryAfter: '999999' })).toBe(24 * HOUR)
    expect(pauseOf({ status: 503, retryAfter: '600' }, 10)).toBe(10 * MINUTE)
    expect(pauseOf({ status: 500, retryAfter: '600' })).toBeUndefined()
    expect(pauseOf({ status: 429 })).toBeUndefined()
  })
})

describe('Retry-After', () => {
  test.each([
    ['120', 120_000],
    [' 120 ', 120_000],
    ['120.1', 121_000],
    ['0', 0],
    ['Mon, 02 Mar 2026 10:02:00 GMT', 120_000],
    ['Monday, 02-Mar-26 10:02:00 GMT', 120_000],
    ['Mon, 02 Mar 2026 09:00:00 GMT', 0],
    ['-5', undefined],
    ['2026-03-02', undefined],
    ['1e9', undefined],
    ['soon', undefined],
    ['', undefined],
    [null, undefined]
  ])('of %j is %j milliseconds', (header, expected) => {
    expect(parseRetryAfter(header, NOW)).toBe(expected)
  })
})

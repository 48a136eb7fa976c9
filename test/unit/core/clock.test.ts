import { expect, test } from 'vitest'
import { openSynchronizedClock } from '../../../src/platform/core/clock.ts'

const MINUTE = 60_000

/** Returns how far the clock is ahead of the time of this process. Reads both again if the process was interrupted between them. */
function aheadOf(clock: ReturnType<typeof openSynchronizedClock>): number {
  const before = performance.now()
  const now = clock.now().getTime()
  return performance.now() - before < 0.5 ? now - (performance.timeOrigin + before) : aheadOf(clock)
}

test('a clock that nobody has told the time shows that of the machine', () => {
  expect(Math.abs(aheadOf(openSynchronizedClock()))).toBeLessThan(2)
})

test.each([45_000, -45_000, 86_400_000])('a clock that is told the time follows it, %i ms away', difference => {
  const clock = openSynchronizedClock()
  const at = performance.timeOrigin + 1_000 + difference
  clock.synchronize(at, 1_000, 1_000.2)
  expect(Math.abs(aheadOf(clock) - difference)).toBeLessThan(2)
})

test('an answer that took long moves the clock no further than it proves', () => {
  const clock = openSynchronizedClock()
  // Read at some moment of ten seconds: a clock that agrees with one of them may be right.
  clock.synchronize(performance.timeOrigin + 5_000, 0, 10_000)
  expect(Math.abs(aheadOf(clock))).toBeLessThan(2)
  clock.synchronize(performance.timeOrigin + 10_000 + MINUTE, 0, 10_000)
  expect(Math.abs(aheadOf(clock) - MINUTE)).toBeLessThan(2)
})

test('a clock that shows whole milliseconds does not hold another one back', () => {
  const clock = openSynchronizedClock()
  for (let asked = 1_000; asked < 1_100; asked += 0.37) {
    clock.synchronize(Math.floor(performance.timeOrigin + asked + 0.01), asked, asked + 0.02)
  }
  expect(Math.abs(aheadOf(clock))).toBeLessThan(1.1)
})

test('the other clock is followed when it is set back', () => {
  const clock = openSynchronizedClock()
  clock.synchronize(performance.timeOrigin + 1_000 + MINUTE, 1_000, 1_000)
  clock.synchronize(performance.timeOrigin + 2_000 - MINUTE, 2_000, 2_000)
  expect(Math.abs(aheadOf(clock) + MINUTE)).toBeLessThan(2)
})

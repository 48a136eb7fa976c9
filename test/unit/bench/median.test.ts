import { expect, test } from 'vitest'
import { medianOf } from '../../../bench/median.ts'

const ascending = (count: number) => Array.from({ length: count }, (_, n) => n + 1)

test.each([
  { count: 1, expected: { median: 1, low: 1, high: 1 } },
  { count: 5, expected: { median: 3, low: 1, high: 5 } },
  // Ranks of the sign test's tables.
  { count: 12, expected: { median: 6.5, low: 3, high: 10 } },
  { count: 25, expected: { median: 13, low: 8, high: 18 } },
  { count: 100, expected: { median: 50.5, low: 40, high: 61 } }
])('the median of $count values has the range of the sign test', ({ count, expected }) => {
  expect(medianOf(ascending(count).toReversed())).toEqual(expected)
})

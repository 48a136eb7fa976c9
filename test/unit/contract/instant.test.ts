import { expect, test } from 'vitest'
import { isInstant, toDate, toUtc } from '../../../src/contract/instant.ts'

test.each([
  ['2026-03-02', '2026-03-02T00:00:00.000Z'],
  ['2026-03-02T10:00', '2026-03-02T10:00:00.000Z'],
  ['2026-03-02 10:00:00', '2026-03-02T10:00:00.000Z'],
  ['2026-03-02 10:00:00,123456+05', '2026-03-02T05:00:00.123Z'],
  ['2026-03-02t10:00:00.5z', '2026-03-02T10:00:00.500Z'],
  ['2026-03-02T10:00:00-0330', '2026-03-02T13:30:00.000Z'],
  ['0001-01-01', '0001-01-01T00:00:00.000Z']
])('%s is one instant, in whatever zone the machine is', (text, instant) => {
  expect([isInstant(text), toDate(text).toISOString()]).toEqual([true, instant])
})

test.each([
  ['2026-03-02', '2026-03-02T00:00:00.000000Z'],
  ['2026-03-02 10:00:00,123456789+05', '2026-03-02T05:00:00.123456Z'],
  ['2026-03-02T10:00:00.1234-0330', '2026-03-02T13:30:00.123400Z'],
  ['0001-01-01t00:00:00.5z', '0001-01-01T00:00:00.500000Z']
])('%s is written in UTC with microseconds', (text, utc) => {
  expect([toUtc(text), toUtc(utc)]).toEqual([utc, utc])
})

test.each(['0001-01-01T00:00:00+01:00', '9999-12-31T23:59:59-01:00'])('%s is outside of the years 1 to 9999', text => {
  expect(isInstant(text)).toBe(false)
})

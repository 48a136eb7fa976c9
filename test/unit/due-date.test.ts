import { expect, test } from 'vitest'
import { findDueDate, localDay, normalizeDueDate } from '../../src/core/due-date.ts'

const FRIDAY = '2026-11-20'

test.each([
  ['2026-03-06', '2026-03-06'],
  ['2026-03-06T23:00:00-08:00', '2026-03-06'],
  ['2028-02-29', '2028-02-29'],
  ['Friday', '2026-11-20'],
  ['by Friday', '2026-11-20'],
  ['next Friday', '2026-11-27'],
  ['monday at 5pm', '2026-11-23'],
  ['today', '2026-11-20'],
  ['tomorrow', '2026-11-21'],
  ['in two weeks', '2026-12-04'],
  ['Nov 20', '2026-11-20'],
  ['November 19', '2027-11-19'],
  ['6 March', '2027-03-06'],
  ['5/6', '2027-05-06'],
  ['due on 12/31/2026.', '2026-12-31']
])('%j said on Friday 20 November 2026 is %s', (words, day) => {
  expect(normalizeDueDate(words, FRIDAY)).toBe(day)
})

test.each([
  '',
  'soon',
  '2026-02-30',
  '2026-13-01',
  '2027-02-29',
  '1969-12-31',
  '2026-03-06 or later',
  'Tuesday then Friday',
  'Monday or Tuesday',
  'call Bob on Tuesday',
  'Friday 13 November',
  'Feb 29',
  '3pm',
  'last Friday',
  'in March',
  'in 100000 years',
  '明日',
  `Friday${' '.repeat(100)}x`
])('%j is no single date', words => {
  expect(normalizeDueDate(words, FRIDAY)).toBeNull()
})

test('a weekday is the next one that comes, today included, on every day of a week', () => {
  const said = ['2026-11-16', '2026-11-17', '2026-11-18', '2026-11-19', '2026-11-20', '2026-11-21', '2026-11-22']
  expect(said.map(day => normalizeDueDate('Friday', day))).toEqual([...Array(5).fill('2026-11-20'), '2026-11-27', '2026-11-27'])
})

test('the zone of the machine changes nothing', () => {
  const zone = process.env.TZ
  try {
    for (const TZ of ['Pacific/Kiritimati', 'America/Los_Angeles', 'UTC']) {
      process.env.TZ = TZ
      expect(normalizeDueDate('tomorrow', FRIDAY)).toBe('2026-11-21')
    }
  } finally {
    if (zone === undefined) delete process.env.TZ
    else process.env.TZ = zone
  }
})

test('the day of an instant is that of the zone asked for', () => {
  const instant = new Date('2026-03-02T23:30:00Z')
  expect(['UTC', 'Europe/Berlin', 'America/New_York'].map(zone => localDay(instant, zone))).toEqual([
    '2026-03-02',
    '2026-03-03',
    '2026-03-02'
  ])
})

test.each([
  ["I'll send you the offer by next Wednesday, all right?", '2026-11-25'],
  ['Let us have it on 2026-12-01.', '2026-12-01'],
  ['Either Monday or Tuesday works.', null],
  ['We talked for three hours.', null]
])('a sentence may name one date: %j', (sentence, day) => {
  expect(findDueDate(sentence, FRIDAY)).toBe(day)
})

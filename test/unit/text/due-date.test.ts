import { describe, expect, test } from 'vitest'
import { localDay } from '../../../src/platform/text/calendar-day.ts'
import { findDueWords, normalizeDueDate } from '../../../src/platform/text/due-date.ts'

// A Wednesday.
const TODAY = '2026-03-04'

describe('normalizeDueDate', () => {
  test.each([
    ['2026-03-05', '2026-03-05'],
    ['2024-02-29', '2024-02-29'],
    ['2026-3-5', '2026-03-05'],
    ['9999-12-31', '9999-12-31'],
    ['2026-03-05T23:30:00-08:00', '2026-03-05'],
    ['2026-03-05T00:15:00+14:00', '2026-03-05'],
    ['2026-03-05 09:00', '2026-03-05'],
    ['  2026-03-05\n', '2026-03-05']
  ])('keeps the date that %j is written with', (input, day) => {
    expect(normalizeDueDate(input, TODAY)).toBe(day)
  })

  test.each([
    '2026-02-30',
    '2026-13-01',
    '2026-13-1',
    '2025-02-29',
    '2026-00-10',
    '0001-01-01',
    '1969-12-31',
    '12026-01-01',
    '2026-03-05 soon',
    '2026-03-05T25:00',
    'March 5 2026-03-06'
  ])('refuses %j, which looks like ISO and is no day', input => {
    expect(normalizeDueDate(input, TODAY)).toBeNull()
  })

  test.each([
    ['today', '2026-03-04'],
    ['tonight', '2026-03-04'],
    ['tomorrow', '2026-03-05'],
    ['Tomorrow morning', '2026-03-05'],
    ['day after tomorrow', '2026-03-06'],
    ['the day after tomorrow', '2026-03-06'],
    ['in 3 days', '2026-03-07'],
    ['in a week', '2026-03-11'],
    ['in two weeks', '2026-03-18'],
    ['next Friday', '2026-03-13'],
    ['end of month', '2026-03-31'],
    ['by the end of the month', '2026-03-31'],
    ['end of week', '2026-03-08'],
    ['by the end of the week', '2026-03-08'],
    ['the end of next week', '2026-03-15'],
    ['EOD', '2026-03-04'],
    ['EOD Friday', '2026-03-06'],
    ['Friday at 3pm', '2026-03-06'],
    ['Friday 5 pm CEST', '2026-03-06'],
    ['Friday, 15:00', '2026-03-06'],
    ['by Friday', '2026-03-06'],
    ['due on Friday.', '2026-03-06'],
    ['before friday', '2026-03-06'],
    ['March 5', '2026-03-05'],
    ['5th of March', '2026-03-05'],
    ['March 5th, 2027', '2027-03-05'],
    ['Monday, 2 March 2026', '2026-03-02'],
    ['13/5', '2026-05-13'],
    ['5/13', '2026-05-13'],
    ['13/03/2026', '2026-03-13'],
    ['03/03/2026', '2026-03-03'],
    ['2 weeks', '2026-03-18'],
    ['a week', '2026-03-11'],
    ['3 months', '2026-06-04'],
    ['in a year', '2027-03-04'],
    ['two years from now', '2028-03-04'],
    ['+2w', '2026-03-18'],
    ['the 4th', '2026-03-04'],
    ['the 15th', '2026-03-15'],
    ['by the 3rd', '2026-04-03'],
    ['31st', '2026-03-31'],
    ['the twenty-first', '2026-03-21'],
    ['second', '2026-04-02'],
    ['Friday the 13th', '2026-03-13'],
    ['Friday night at 1 am', '2026-03-06'],
    ['the first of next month', '2026-04-01'],
    ['15th of this month at 5pm', '2026-03-15'],
    ['end of the year', '2026-12-31'],
    ['by the end of next year', '2027-12-31'],
    ['the last day of 2028', '2028-12-31'],
    ['29 Feb 2028', '2028-02-29']
  ])('reads %j', (input, day) => {
    expect(normalizeDueDate(input, TODAY)).toBe(day)
  })

  test.each([
    '',
    '   ',
    'soon',
    'asap',
    'Feb 29',
    'Q3',
    '3pm',
    'noon',
    'this week',
    'next week',
    'next month',
    'this month',
    'next year',
    'next quarter',
    'end of the quarter',
    'the weekend',
    '5/6',
    '5/6/2027',
    '02/03/2026',
    '2.3.2026',
    '2-3-2026',
    'the 32nd',
    'the 3rd of this month',
    'the 31st of next month',
    'for 2 weeks',
    '2 hours',
    'in 2 hours',
    'last Friday',
    'after Friday',
    'Monday or Tuesday',
    'Monday to Friday',
    'March 5-7',
    'Friday Friday',
    'friday the 14th',
    'Feb 5/13',
    'Tuesday, 2 March 2026',
    'call Bob on Friday',
    'call Bob on Tuesday then Friday',
    'in 100000 years',
    'in 9000 years',
    'March 5, 1969',
    '99/99',
    '20260305',
    '１２月３日',
    '2026年3月5日',
    'завтра',
    '\u0000',
    `Friday${' '.repeat(200)}at noon`
  ])('refuses %j', input => {
    expect(normalizeDueDate(input, TODAY)).toBeNull()
  })

  test.each([
    ['2026-03-02', 'Monday'],
    ['2026-03-03', 'Tuesday'],
    ['2026-03-04', 'Wednesday'],
    ['2026-03-05', 'Thursday'],
    ['2026-03-06', 'Friday'],
    ['2026-03-07', 'Saturday'],
    ['2026-03-08', 'Sunday']
  ])('on %s takes %s for that day, and Friday for the coming one', (today, weekday) => {
    expect(normalizeDueDate(weekday, today)).toBe(today)
    expect(normalizeDueDate('Friday', today)).toBe(today <= '2026-03-06' ? '2026-03-06' : '2026-03-13')
  })

  test.each([
    ['Jan 2', '2026-12-30', '2027-01-02'],
    ['Dec 31', '2026-12-31', '2026-12-31'],
    ['Dec 31', '2027-01-01', '2027-12-31'],
    ['Nov 20', '2026-11-20', '2026-11-20'],
    ['Nov 19', '2026-11-20', '2027-11-19'],
    ['tomorrow', '2026-12-31', '2027-01-01'],
    ['tomorrow', '2028-02-28', '2028-02-29'],
    ['in a month', '2026-01-31', '2026-02-28'],
    ['1 year', '2028-02-29', '2029-02-28'],
    ['the 31st', '2026-04-01', '2026-05-31'],
    ['the 30th', '2027-01-31', '2027-03-30'],
    ['the 1st', '2026-12-31', '2027-01-01'],
    ['the 15th of next month', '2026-12-20', '2027-01-15'],
    ['end of next month', '2027-12-31', '2028-01-31'],
    ['end of next month', '2028-01-31', '2028-02-29'],
    ['end of the year', '2026-12-31', '2026-12-31'],
    ['Feb 29', '2028-01-10', '2028-02-29'],
    ['end of month', '2028-02-10', '2028-02-29']
  ])('reads %j said on %s', (input, today, day) => {
    expect(normalizeDueDate(input, today)).toBe(day)
  })

  test('reads up to a hundred characters, however they are encoded', () => {
    expect(normalizeDueDate(`Friday${'!'.repeat(94)}`, TODAY)).toBe('2026-03-06')
    expect(normalizeDueDate(`Friday${'!'.repeat(95)}`, TODAY)).toBeNull()
  })
})

describe('findDueWords', () => {
  test.each([
    ["I'll send the offer by Friday.", '2026-03-06'],
    ['I will have it done in two weeks.', '2026-03-18'],
    ['Can you send it by 2026-03-09?', '2026-03-09'],
    ['let me do that tomorrow', '2026-03-05'],
    ['I can finish it by the end of the day', '2026-03-04'],
    ["I'll do it by end of day Friday", '2026-03-06'],
    ["at the end of the day I'll do it on Friday", '2026-03-06'],
    ['we hand it in by 3/13', '2026-03-13'],
    ["I'll send it by the 15th.", '2026-03-15'],
    ['please send it before the end of the year', '2026-12-31'],
    ["I'll have it on the 2nd of next month, I think", '2026-04-02'],
    ["I'll have it by the end of next month", '2026-04-30'],
    ['it is due in a month', '2026-04-04'],
    ["I'll do it by Friday the 13th", '2026-03-13'],
    ["I'll send it on Friday at 5 pm.", '2026-03-06'],
    ["I'll call them tomorrow at noon", '2026-03-05'],
    ['send the report on Friday and the rest a few days after', '2026-03-06'],
    ['it was due on 2026-03-01, so I will send it on Friday', '2026-03-06']
  ])('finds the day in %j', (sentence, day) => {
    expect(findDueWords(sentence, TODAY)?.day).toBe(day)
  })

  test.each([
    'call Bob on Tuesday then Friday',
    'we sat down on it',
    'it took two weeks of work',
    'we meet every Friday',
    'I may send it, and Jan may too',
    'last Friday I sent it',
    'that was two weeks ago',
    'three out of four, 3/4 of the people',
    "I'll be back in 5 minutes",
    "I'll do it after Friday",
    'it was due on 2026-03-01',
    'at the end of the day it works',
    "I'll send it at the end of it",
    "I'll send it at the end of my presentation",
    "I'll send it at the end of the production",
    "I'll do it next week",
    "I'll do it by next month",
    'we hand it in by 3/10',
    'look at it on the 15th floor',
    'send it on the second slide',
    "I'll do it by the 15th or by the end of the month",
    "I'll do it by the 15th, or on Friday",
    "I'll do it by Friday the 14th",
    "I'll do it by the end of the day on Friday the 14th"
  ])('finds none in %j', sentence => {
    expect(findDueWords(sentence, TODAY)).toBeNull()
  })
})

test.each([
  ['2026-03-04T02:00:00Z', 'America/New_York', '2026-03-03'],
  ['2026-03-04T02:00:00Z', 'UTC', '2026-03-04'],
  ['2026-03-04T12:00:00Z', 'Pacific/Kiritimati', '2026-03-05']
])('at %s it is in %s the day %s', (instant, timeZone, day) => {
  expect(localDay(new Date(instant), timeZone)).toBe(day)
})

import { expect, test } from 'vitest'
import { findPeriod } from '../../../src/features/search/period.ts'

/** A Wednesday. */
const TODAY = '2026-03-11'

function periodIn(query: string) {
  const found = findPeriod(query, TODAY)
  return found && [found.since, found.until, query.slice(found.start, found.end)]
}

test.each([
  ['what did Ada say about pricing last week', '2026-03-02', '2026-03-09', 'last week'],
  ['İstanbul last week', '2026-03-02', '2026-03-09', 'last week'],
  ['what was decided earlier this week?', '2026-03-09', '2026-03-16', 'this week'],
  ['Yesterday, who called', '2026-03-10', '2026-03-11', 'Yesterday'],
  ['the call of the day before yesterday', '2026-03-09', '2026-03-10', 'the day before yesterday'],
  ['calls this morning', '2026-03-11', '2026-03-12', 'this morning'],
  ['what did he say on Monday', '2026-03-09', '2026-03-10', 'on Monday'],
  ['what did he say Monday', '2026-03-09', '2026-03-10', 'Monday'],
  ['from Monday to Wednesday', '2026-03-09', '2026-03-12', 'Monday to Wednesday'],
  ['who came last weekend', '2026-03-07', '2026-03-09', 'last weekend'],
  ['a call two weeks ago', '2026-02-23', '2026-03-02', 'two weeks ago'],
  ['calls of the last two weeks', '2026-02-25', '2026-03-12', 'last two weeks'],
  ['over the past 3 days', '2026-03-08', '2026-03-12', 'past 3 days'],
  ['pricing in March', '2026-03-01', '2026-04-01', 'March'],
  ['what May said in May', '2025-05-01', '2025-06-01', 'May'],
  ['the March 2025 call', '2025-03-01', '2025-04-01', 'March 2025'],
  ['hiring in 2025', '2025-01-01', '2026-01-01', '2025'],
  ['hiring last quarter', '2025-10-01', '2026-01-01', 'last quarter'],
  ['the call on 3 May', '2025-05-03', '2025-05-04', 'on 3 May'],
  ['the call on 2026-03-01', '2026-03-01', '2026-03-02', '2026-03-01'],
  ['between March 1 and March 5', '2026-03-01', '2026-03-06', 'March 1 and March 5'],
  ['between 1 and 5 March', '2026-03-01', '2026-03-06', '1 and 5 March'],
  ['between January and March', '2026-01-01', '2026-04-01', 'January and March'],
  ['between 2026-01-01 and 2026-01-31', '2026-01-01', '2026-02-01', '2026-01-01 and 2026-01-31'],
  ['since March', '2026-03-01', null, 'March'],
  ['after 3 May', '2025-05-04', null, '3 May'],
  ['before March', null, '2026-03-01', 'March'],
  ['until March', null, '2026-04-01', 'March'],
  ['Was hat Ada letzte Woche gesagt', '2026-03-02', '2026-03-09', 'letzte Woche'],
  ['was war am 3. Mai', '2025-05-03', '2025-05-04', 'am 3. Mai'],
  ['was war zwischen 1. und 5. März', '2026-03-01', '2026-03-06', '1. und 5. März'],
  ['was war vor drei Tagen', '2026-03-08', '2026-03-09', 'vor drei Tagen'],
  ['seit März', '2026-03-01', null, 'März'],
  ['que disait Ada l’année dernière', '2025-01-01', '2026-01-01', 'l’année dernière'],
  ['qu’a dit Ada hier', '2026-03-10', '2026-03-11', 'hier'],
  ['il y a deux semaines', '2026-02-23', '2026-03-02', 'il y a deux semaines'],
  ['¿qué dijo Ada la semana pasada?', '2026-03-02', '2026-03-09', 'la semana pasada'],
  ['en marzo de 2025', '2025-03-01', '2025-04-01', 'marzo de 2025'],
  ['cosa ha detto la settimana scorsa', '2026-03-02', '2026-03-09', 'settimana scorsa'],
  ['先週Adaは何と言った', '2026-03-02', '2026-03-09', '先週']
])('%s', (query, since, until, words) => {
  expect(periodIn(query)).toEqual([since, until, words])
})

test.each([
  'the Q3 budget',
  'the monthly report',
  'the 2025 budget',
  'the March budget',
  'may I ask',
  'what did May say',
  'the Sunday Times',
  'where we sat',
  'version 3.4 of it',
  'paid 3/4/2026',
  'call me at 5pm',
  'two days of work',
  'plans for next week',
  'due tomorrow',
  'what they said about last week',
  'last Tuesday and Thursday',
  'last week or last month',
  'entre le 1 et le 5 mars',
  'was steht hier',
  'on 29 February',
  `last week ${'x'.repeat(300)}`
])('names no clear period: %.40s', query => {
  expect(periodIn(query)).toBeNull()
})

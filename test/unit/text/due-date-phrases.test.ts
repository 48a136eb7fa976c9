import { afterEach, describe, expect, test, vi } from 'vitest'
import { localDay } from '../../../src/platform/text/calendar-day.ts'
import { normalizeDueDate } from '../../../src/platform/text/due-date.ts'
import { dayOf, written } from '../../support/calendar.ts'
import { DATED, type DuePhrase } from '../../support/due-phrases.ts'
import { UNDATED } from '../../support/undated-phrases.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const NEW_YEAR = dayOf(2028, 1, 1) ?? 0
const DAYS = Array.from({ length: 366 }, (_, index) => NEW_YEAR + index)
/** How far local clocks are ahead of UTC in 2028: before, between and after the two instants at which they are changed. */
const ZONES = [
  { zone: 'Pacific/Auckland', changes: ['2028-04-01T14:00:00Z', '2028-09-23T14:00:00Z'], hours: [13, 12, 13] },
  { zone: 'America/Los_Angeles', changes: ['2028-03-12T10:00:00Z', '2028-11-05T09:00:00Z'], hours: [-8, -7, -8] },
  { zone: 'Asia/Kolkata', changes: [], hours: [5.5] }
]
const MACHINES = ['Pacific/Auckland', 'America/Los_Angeles', 'Africa/Cairo', 'Atlantic/Azores']
const PHRASES: Record<string, DuePhrase[]> = {
  ...DATED,
  ...Object.fromEntries(
    Object.entries(UNDATED).map(([kind, all]) => [kind, all.map((words): DuePhrase => [words, () => null])])
  )
}
const kinds = Object.keys(PHRASES)

afterEach(() => {
  vi.unstubAllEnvs()
})

describe.each(ZONES)('in $zone', ({ zone, changes, hours }) => {
  const instants = changes.map(change => Date.parse(change))
  const dayAt = (instant: number) => {
    const past = instants.filter(change => change <= instant).length
    return Math.floor((instant + (hours[past] ?? 0) * HOUR) / DAY)
  }

  test('a day is the user’s from its first millisecond to its last, also when the clocks change', () => {
    const beginnings = DAYS.flatMap(day => [...new Set(hours)].map(hour => day * DAY - hour * HOUR))
    const moments = [...beginnings, ...instants].flatMap(instant => [instant - 1, instant, instant + HOUR])
    const wrong = moments.filter(moment => localDay(new Date(moment), zone) !== written(dayAt(moment)))
    expect(wrong).toEqual([])
  })

  test.each(kinds)('every day of a leap year has its phrases read right: %s', kind => {
    const turn = ZONES.findIndex(each => each.zone === zone)
    expect(misread(PHRASES[kind] ?? [], turn, day => localDay(new Date(lastMoment(day)), zone))).toEqual([])
  })

  /** Half of the days are asked about at their last millisecond, half at their first. */
  function lastMoment(day: number) {
    const candidates = [...new Set(hours)].flatMap(hour => [day * DAY - hour * HOUR, (day + 1) * DAY - hour * HOUR - 1])
    const own = candidates.filter(instant => dayAt(instant) === day)
    return day % 2 ? Math.min(...own) : Math.max(...own)
  }
})

test.each(MACHINES)('a server whose own clock is that of %s reads the same days', zone => {
  vi.stubEnv('TZ', zone)
  expect(new Date(2028, 0, 1).getTimezoneOffset()).not.toBe(0)
  expect(Object.values(DATED).flatMap(phrases => misread(phrases, 0, written))).toEqual([])
})

test('four thousand different phrases are asked about', () => {
  expect(new Set(Object.values(PHRASES).flatMap(phrases => phrases.map(([words]) => words))).size).toBeGreaterThan(
    4_000
  )
})

/** What is read otherwise than the calendar says. Each day takes the next phrase, so that the years of all zones together meet every one. */
function misread(phrases: DuePhrase[], turn: number, todayOf: (day: number) => string): string[] {
  return DAYS.flatMap((day, index) => {
    const today = todayOf(day)
    const phrase = phrases[(turn * DAYS.length + index) % phrases.length]
    if (!phrase) return ['no phrase']
    const [words, dueOn] = phrase
    const due = dueOn(day)
    const [read, right] = [normalizeDueDate(words, today), due === null ? null : written(due)]
    return read === right ? [] : [`${JSON.stringify(words)} on ${today}: ${read}, not ${right}`]
  })
}

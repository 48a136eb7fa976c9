import { expect, test } from 'vitest'
import { localDay } from '../../../src/platform/text/calendar-day.ts'
import { showDate } from '../../../src/platform/text/show-date.ts'
import { localTime } from '../../../src/platform/text/wall-time.ts'

const INSTANTS = ['2026-03-02T23:30:05.000Z', '2026-03-29T01:00:00.000Z', '1970-01-01T00:00:00.000Z'].map(
  text => new Date(text)
)
const ZONES = ['UTC', 'Europe/Vienna', 'America/St_Johns', 'Asia/Kathmandu']

test.each(ZONES)('dates and times of %s are those of its calendar and clock', timeZone => {
  for (const instant of INSTANTS) {
    const shown = instant.toLocaleString('sv-SE', { timeZone })
    expect([localDay(instant, timeZone), localTime(instant, timeZone)]).toEqual([
      shown.slice(0, 10),
      shown.replace(' ', 'T')
    ])
    for (const options of [{ dateStyle: 'long' }, { weekday: 'short' }, { month: 'short', year: 'numeric' }] as const)
      expect(showDate(instant, 'en-GB', { ...options, timeZone })).toBe(
        instant.toLocaleDateString('en-GB', { ...options, timeZone })
      )
  }
})

test('a year before 1000 has four digits', () => {
  const early = new Date('0099-05-06T07:08:09Z')
  expect([localDay(early, 'UTC'), localTime(early, 'UTC')]).toEqual(['0099-05-06', '0099-05-06T07:08:09'])
})

test('dates of a list take less time than a formatter for each of them', () => {
  const [instant] = INSTANTS
  const timeOf = (show: (timeZone: string) => unknown) => {
    const { user } = process.cpuUsage()
    for (let n = 0; n < 500; n++) show(ZONES[n % ZONES.length]!)
    return process.cpuUsage().user - user
  }
  const each = timeOf(timeZone => new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone }).format(instant))
  const kept = timeOf(timeZone => showDate(instant!, 'en-GB', { dateStyle: 'long', timeZone }))
  expect(kept).toBeLessThan(each / 2)
})

import { daysAfter } from '../../platform/text/calendar-day.ts'

/** The days that an overview is about: the last weeks up to this Sunday, those from a day to another, or all that have conversations. */
export type OverviewRange = { weeks: number } | { since?: string | undefined; until?: string | undefined }

/** The parts that a figure shows: weeks from Monday to Sunday, months, or years. */
export type RangeUnit = 'week' | 'month' | 'year'

const MAX_DAYS = { week: 371, month: 1_830 }
/** The most years that have a column each; of a longer range several years have one. */
const MAX_YEARS = 60

/** The Monday of the week of a day. */
export function mondayOf(day: string) {
  return daysAfter(day, -((new Date(day).getUTCDay() + 6) % 7))
}

/** Returns the unit of a range, and the first days of its parts with the day after the last one. The first part and the last may be cut off. */
export function splitRange(since: string, until: string): { unit: RangeUnit; days: string[] } {
  const length = (Date.parse(until) - Date.parse(since)) / 86_400_000
  const unit = length <= MAX_DAYS.week ? 'week' : length <= MAX_DAYS.month ? 'month' : 'year'
  const years = Math.ceil(length / 365 / MAX_YEARS)
  const days = [since]
  for (let next = partAfter(since, unit, years); next < until; next = partAfter(next, unit, years)) days.push(next)
  return { unit, days: [...days, until] }
}

/** The first day of the part after that of a day. */
function partAfter(day: string, unit: RangeUnit, years: number) {
  if (unit === 'week') return daysAfter(mondayOf(day), 7)
  const [year = 0, month = 1] = day.split('-').map(Number)
  const next = unit === 'month' ? new Date(Date.UTC(year, month, 1)) : new Date(Date.UTC(year + years, 0, 1))
  return next.toISOString().slice(0, 10)
}

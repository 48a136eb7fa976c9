/** A calendar day is a string YYYY-MM-DD, from 1970 to 9999. */

/** The day itself; null when the calendar does not have it. */
export function existingDay(day: string | undefined): string | null {
  if (day === undefined || day.length !== 10 || day < '1970') return null
  const instant = new Date(`${day}T00:00:00Z`)
  return !Number.isNaN(instant.getTime()) && instant.toISOString().startsWith(day) ? day : null
}

/** 0 is Sunday. */
export function weekdayOf(day: string): number {
  return new Date(`${day}T00:00:00Z`).getUTCDay()
}

export function addDays(day: string, days: number): string | null {
  const { year, month, date } = fieldsOf(day)
  return dayAt(Date.UTC(year, month, date + days))
}

/** The same date `months` later, or the last day of a shorter month. */
export function addMonths(day: string, months: number): string | null {
  const { year, month, date } = fieldsOf(day)
  const last = new Date(Date.UTC(year, month + months + 1, 0)).getUTCDate()
  return dayAt(Date.UTC(year, month + months, Math.min(date, last)))
}

/** The day with this date, `months` after the month of `day`; null when that month does not have it. */
export function dateInMonth(day: string, months: number, date: number): string | null {
  const { year, month } = fieldsOf(day)
  const found = dayAt(Date.UTC(year, month + months, date))
  return found !== null && Number(found.slice(8)) === date ? found : null
}

function fieldsOf(day: string) {
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number)
  return { year, month: month - 1, date }
}

function dayAt(instant: number) {
  return existingDay(new Date(instant).toISOString().replace(/T.*/, ''))
}

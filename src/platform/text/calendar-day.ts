import { showDate } from './show-date.ts'

/** The calendar day YYYY-MM-DD, from 1970 to 9999, also written without leading zeros; null when the calendar does not have it. */
export function existingDay(written: string): string | null {
  const day = written.replace(/-(?=\d(?!\d))/g, '-0')
  const instant = new Date(`${day}T00:00:00Z`)
  return day >= '1970' && day.length === 10 && !Number.isNaN(instant.getTime()) && instant.toISOString().startsWith(day)
    ? day
    : null
}

/** The user's calendar day at an instant. Swedes write dates as ISO 8601 does. */
export function localDay(instant: Date, timeZone: string): string {
  return showDate(instant, 'sv', { year: 'numeric', month: 'numeric', day: 'numeric', timeZone }).padStart(10, '0')
}

const DAY_MS = 86_400_000

/** The calendar day so many days after another. */
export function daysAfter(day: string, days: number): string {
  return new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10)
}

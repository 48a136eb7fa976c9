import type { ParsedResult } from 'chrono-node'

/** The calendar day YYYY-MM-DD, from 1970 to 9999, also written without leading zeros; null when the calendar does not have it. */
export function existingDay(written: string): string | null {
  const day = written.replace(/-(?=\d(?!\d))/g, '-0')
  const instant = new Date(`${day}T00:00:00Z`)
  return day >= '1970' && day.length === 10 && !Number.isNaN(instant.getTime()) && instant.toISOString().startsWith(day) ? day : null
}

/** The day that chrono has read. */
export function dayOf({ start }: ParsedResult): string | null {
  return existingDay([start.get('year'), start.get('month'), start.get('day')].join('-'))
}

export function dayBefore(day: string): string | null {
  return existingDay(new Date(Date.parse(day) - 86_400_000).toISOString().slice(0, 10))
}

import { isLocal, toDate } from '../../contract/instant.ts'
import { showDate } from './show-date.ts'

/** A local date and time without a zone. */
export interface WallTime {
  /** YYYY-MM-DDTHH:MM:SS */
  text: string
  /** True for UTC; otherwise the time is in the author's time zone. */
  utc: boolean
}

/** The wall time of these numbers; null for a day or time that does not exist. */
export function wallTime(
  fields: { year: number; month: number; day: number; hour: number; minute: number; second: number },
  utc: boolean
): WallTime | null {
  const [date, time] = [
    [fields.year, fields.month, fields.day],
    [fields.hour, fields.minute, fields.second]
  ].map(numbers => numbers.map(number => String(number).padStart(2, '0')))
  const text = `${date?.join('-')}T${time?.join(':')}`
  const instant = new Date(`${text}Z`)
  return !Number.isNaN(instant.getTime()) && instant.toISOString().startsWith(text) ? { text, utc } : null
}

/** The instant of a wall time in the zone. A time skipped by a clock change is read with the offset from before it. */
export function instantOf({ text, utc }: WallTime, timeZone: string): Date {
  const shown = Date.parse(`${text}Z`)
  if (utc) return new Date(shown)
  const near = shown - offsetMs(shown, timeZone)
  return new Date(shown - offsetMs(near, timeZone))
}

/** The instant of an ISO 8601 text. Without an offset it is in the zone; a day means midnight UTC. */
export function instantIn(text: string, timeZone: string): Date {
  const instant = toDate(text)
  return isLocal(text) ? instantOf({ text: instant.toISOString().slice(0, -1), utc: false }, timeZone) : instant
}

/** The zone's offset from UTC at an instant, in milliseconds. */
function offsetMs(instant: number, timeZone: string) {
  return Date.parse(`${localTime(new Date(instant), timeZone)}Z`) - instant
}

const NUMBERS = {
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
  hour: 'numeric',
  minute: 'numeric',
  second: 'numeric'
} as const

/** The date and time that clocks of the zone show at an instant: YYYY-MM-DDTHH:MM:SS. */
export function localTime(instant: Date, timeZone: string) {
  // The Swedish locale formats as 2026-03-02 10:00:00.
  return showDate(instant, 'sv-SE', { ...NUMBERS, timeZone })
    .replace(' ', 'T')
    .padStart(19, '0')
}

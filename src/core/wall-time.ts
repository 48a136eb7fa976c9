/** A date and time as a clock on the wall shows it. */
export interface WallTime {
  /** YYYY-MM-DDTHH:MM:SS */
  text: string
  /** Whether it is UTC; else it is in the zone of whoever wrote it down. */
  utc: boolean
}

/** The wall time of those numbers; null where there is no such day or time. */
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

/** The instant at which clocks in the zone show the time. One that they skip is read with the offset from before the change. */
export function instantOf({ text, utc }: WallTime, timeZone: string): Date {
  const shown = Date.parse(`${text}Z`)
  if (utc) return new Date(shown)
  const near = shown - offsetMs(shown, timeZone)
  return new Date(shown - offsetMs(near, timeZone))
}

/** How far the clocks of a zone are ahead of UTC at an instant. */
function offsetMs(instant: number, timeZone: string) {
  // Sweden writes 2026-03-02 10:00:00.
  const local = new Date(instant).toLocaleString('sv-SE', { timeZone })
  return Date.parse(`${local.replace(' ', 'T')}Z`) - instant
}

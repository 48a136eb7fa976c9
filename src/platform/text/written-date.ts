import { strict } from 'chrono-node/en'
import { type WallTime, wallTime } from './wall-time.ts'

const LONGEST = 80
const DOTTED_DAY = /^(\d{1,2})\.(\d{1,2})\.(\d{4})(?!\d)/
/** March 2 to some, and February 3 to others. */
const AMBIGUOUS_DAY = /^(?:0?\d|1[0-2])[/-](?:0?\d|1[0-2])[/-]\d{4}/

/** Parses a date that begins a text, such as `2026-03-02`, `March 2, 2026 10:00 AM` or `2.3.2026`. A day alone means its midnight. */
export function parseWrittenDate(text: string): WallTime | null {
  return readDate(text)?.time ?? null
}

/** Returns whether a text is a date and nothing else. */
export function isWrittenDate(text: string) {
  return text.length <= LONGEST && readDate(text)?.isWhole === true
}

function readDate(text: string) {
  const written = text.trim().slice(0, LONGEST).replace(DOTTED_DAY, '$3-$2-$1')
  const [found] = /\d/.test(written) && !AMBIGUOUS_DAY.test(written) ? strict.parse(written) : []
  if (found?.index !== 0 || !found.start.isCertain('year') || !found.start.isCertain('day')) return null
  const time = toWallTime(found.start)
  return time && { time, isWhole: found.text === written }
}

type Found = NonNullable<ReturnType<typeof strict.parse>[number]>['start']

function toWallTime(found: Found): WallTime | null {
  const clock = (unit: 'hour' | 'minute' | 'second') => (found.isCertain('hour') ? (found.get(unit) ?? 0) : 0)
  const day = { year: found.get('year') ?? 0, month: found.get('month') ?? 0, day: found.get('day') ?? 0 }
  const local = wallTime({ ...day, hour: clock('hour'), minute: clock('minute'), second: clock('second') }, false)
  const offsetMinutes = found.get('timezoneOffset')
  if (local === null || offsetMinutes === null) return local
  const utc = new Date(Date.parse(`${local.text}Z`) - offsetMinutes * 60_000)
  return { text: utc.toISOString().slice(0, 19), utc: true }
}

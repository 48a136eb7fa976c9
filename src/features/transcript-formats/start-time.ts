import { type WallTime, wallTime } from '../../platform/text/wall-time.ts'

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const DATE_LINE =
  /^\s*(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6}\.?,? )?([a-z]{3,9})\.? (\d{1,2}),? (\d{4})(?:,| at)? (\d{1,2}):(\d{2}) ?([ap])\.?m\.?\s*(?:[•·|-].{0,40})?$/i
const DAY = String.raw`(?<year>20\d{2})(?<month>0[1-9]|1[0-2])(?<day>0[1-9]|[12]\d|3[01])`
const SPACED_DAY = String.raw`(?<year>20\d{2})[-._](?<month>0?[1-9]|1[0-2])[-._](?<day>0?[1-9]|[12]\d|3[01])`
const ZONE = String.raw`(?:[ _]?(?<utc>UTC|GMT|Z)(?<offset>[+-]\d{1,2})?)?(?![\d\p{L}])`

/** The names that recorders give their files. */
const FILE_NAMES = [
  // Zoom: GMT20260302-100000_Recording.transcript.vtt
  String.raw`^(?<utc>GMT)${DAY}-(?<hour>\d{2})(?<minute>\d{2})(?<second>\d{2})(?!\d)`,
  // Teams: Weekly-20260302_100000-Meeting Recording.vtt. Phones and recorders: 20260302_1000, 20260302100000
  String.raw`(?<!\d|GMT)${DAY}[-_T]?(?<hour>[01]\d|2[0-3])[-.h]?(?<minute>[0-5]\d)[-.m]?(?<second>[0-5]\d)?${ZONE}`,
  // WhatsApp, OBS, macOS, Meet: 2026-03-02 at 10.00.00, 2026-03-02 10-00-00, 2026-03-02 at 10:00 GMT+1, 2026-03-02 at 1.00.00 PM
  String.raw`(?<!\d)${SPACED_DAY}(?:[ _,T-]{1,3}|[ _]at[ _])(?<hour>[01]?\d|2[0-3])[-._:h](?<minute>[0-5]\d)(?:[-._:m](?<second>[0-5]\d))?(?:[ _\u202f]?(?<half>[ap])\.?m)?${ZONE}`,
  // WhatsApp: PTT-20260302-WA0003.opus
  String.raw`(?<!\d)${DAY}-WA\d`
].map(pattern => new RegExp(pattern, 'iu'))

const LONGEST_LINE = 120
const LONGEST_NAME = 255

/** Parses a line such as `Mon, Mar 2, 2026 10:00AM • 45:12` at the head of Otter files. */
export function parseDateLine(line: string): WallTime | null {
  const [, name = '', day, year, hour, minute, half = ''] = (line.length <= LONGEST_LINE && DATE_LINE.exec(line)) || []
  const month = MONTHS.indexOf(name.slice(0, 3).toLowerCase()) + 1
  if (month === 0 || Number(hour) < 1 || Number(hour) > 12) return null
  const hours = (Number(hour) % 12) + (half.toLowerCase() === 'p' ? 12 : 0)
  return wallTime(
    { year: Number(year), month, day: Number(day), hour: hours, minute: Number(minute), second: 0 },
    false
  )
}

/** Parses the date and time in the file names of the usual recorders. Times are in the user's time zone unless the name has another. */
export function parseFileNameStart(fileName: string): WallTime | null {
  const name = fileName.slice(0, LONGEST_NAME)
  for (const pattern of FILE_NAMES) {
    const { groups } = pattern.exec(name) ?? {}
    const found = groups && toWallTime(groups)
    if (found) return found
  }
  return null
}

function toWallTime({ year, month, day, hour = '0', minute = '0', second = '0', half, utc, offset = '0' }: Groups) {
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (half.toLowerCase() === 'p' ? 12 : 0)
  const fields = { year: Number(year), month: Number(month), day: Number(day), hour: hours, minute: Number(minute) }
  const time = wallTime({ ...fields, second: Number(second) }, utc !== undefined)
  if (!time || Number(offset) === 0) return time
  const instant = new Date(Date.parse(`${time.text}Z`) - Number(offset) * 3_600_000)
  return { text: instant.toISOString().slice(0, 19), utc: true }
}

type Groups = Record<string, string | undefined>

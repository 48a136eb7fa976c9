import { type WallTime, wallTime } from '../../core/wall-time.ts'

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const DATE_LINE =
  /^\s*(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6}\.?,? )?([a-z]{3,9})\.? (\d{1,2}),? (\d{4})(?:,| at)? (\d{1,2}):(\d{2}) ?([ap])\.?m\.?\s*(?:[•·|-].{0,40})?$/i
const ZOOM = /^GMT(\d{4})(\d{2})(\d{2})-(\d{2})(\d{2})(\d{2})(?!\d)/
const TEAMS = /-(\d{4})(\d{2})(\d{2})_(\d{2})(\d{2})(\d{2})(UTC)?-/
const LONGEST_LINE = 120

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

/** Parses the names of Zoom (`GMT20260302-100000_…`) and Teams (`…-20260302_100000-Meeting Recording`) files. */
export function parseFileNameStart(fileName: string): WallTime | null {
  const zoom = ZOOM.exec(fileName)
  const found = zoom ?? TEAMS.exec(fileName)
  if (!found) return null
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = found.slice(1, 7).map(Number)
  return wallTime({ year, month, day, hour, minute, second }, zoom !== null || found[7] !== undefined)
}

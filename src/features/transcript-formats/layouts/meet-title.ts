import { type WallTime, wallTime } from '../../../platform/text/wall-time.ts'
import { isWrittenDate, parseWrittenDate } from '../../../platform/text/written-date.ts'

const DATED =
  /^(.*?)\s*(?:[-–—]\s*|\()(\d{4})[/-](\d{2})[/-](\d{2})(?:\s*(?:at|um|à|a las)?\s*(\d{1,2}):(\d{2})(?:\s*([A-Z]{2,5})?([+-]\d{1,2})?(?::?(\d{2}))?)?)?\)?$/
const LONGEST = 300

interface MeetTitle {
  title: string | null
  startedAt: WallTime | null
  /** The lines that were read. */
  lines: string[]
}

/** Reads "Orchard planning (2026-03-02 at 10:00 GMT+1)" or "Orchard planning - 2026/03/02 10:00 GMT+01:00", and a date of its own line. */
export function readMeetTitle(line: string, around: readonly string[]): MeetTitle {
  const [, name = '', year, month, day, hour = '0', minute = '0', zone, offset, minutes] =
    DATED.exec(line.slice(0, LONGEST)) ?? []
  if (year === undefined) {
    const dateLine = around.find(isWrittenDate)
    return {
      title: line === dateLine ? null : line || null,
      startedAt: parseWrittenDate(dateLine ?? ''),
      lines: dateLine === undefined ? [] : [dateLine]
    }
  }
  const fields = {
    year: Number(year),
    month: Number(month),
    day: Number(day),
    hour: Number(hour),
    minute: Number(minute),
    second: 0
  }
  const isUtc = zone === 'GMT' || zone === 'UTC'
  const local = wallTime(fields, isUtc && offset === undefined)
  const startedAt = local && offset !== undefined ? inUtc(local, offset, minutes) : local
  return { title: name || null, startedAt, lines: [] }
}

function inUtc({ text }: WallTime, hours: string, minutes = '0'): WallTime {
  const sign = hours.startsWith('-') ? -1 : 1
  const offsetMinutes = Number(hours) * 60 + sign * Number(minutes)
  return { text: new Date(Date.parse(`${text}Z`) - offsetMinutes * 60_000).toISOString().slice(0, 19), utc: true }
}

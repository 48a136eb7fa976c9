import type { WallTime } from '../../../platform/text/wall-time.ts'
import { parseWrittenDate } from '../../../platform/text/written-date.ts'

const MAX_HEAD = 60
const DAY = String.raw`(\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4})`
const CLOCK = String.raw`(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d{1,6})?)?`
const HALF = String.raw`(?:[\s\u202f]?([ap])\.?m\.?)?`
const BRACKETED = new RegExp(String.raw`^\s*[[(](?:${DAY}(?:,?\s+|T))?${CLOCK}${HALF}Z?[\])]\s*(?:[-–—:]\s+)?`, 'i')
const BARE = new RegExp(String.raw`^\s*(?:${DAY}(?:,?\s+|T))?${CLOCK}${HALF}Z?\s+(?:[-–—|]\s+)?(?=\S)`, 'i')
const HALF_A_DAY = 43_200
const WHOLE_DAY = 86_400

interface Daytime {
  /** The characters that the time takes. */
  length: number
  seconds: number
  day: string | null
}

interface ReadDaytimes {
  lines: readonly string[]
  /** The day and time of the first line, if the lines have days. */
  startedAt: WallTime | null
}

/** Turns times of day that begin the lines, `[10:02 AM]` or `[2026-03-02 10:02:11]`, into times since the first one. */
export function readDaytimes(lines: readonly string[]): ReadDaytimes {
  const found = lines.map(daytimeIn)
  const timed = found.flatMap(time => time ?? [])
  const filled = lines.filter(line => line.trim() !== '').length
  const [first] = timed
  if (!first || timed.length < 2 || timed.length < filled / 3) return { lines, startedAt: null }
  const start = instantOf(first)
  let days = 0
  let before = 0
  const rewritten = lines.map((line, at) => {
    const time = found[at]
    if (!time) return line
    const instant = instantOf(time)
    let since =
      start !== null && instant !== null ? (instant - start) / 1000 : time.seconds - first.seconds + days * WHOLE_DAY
    if (since < before - HALF_A_DAY) {
      days += 1
      since += WHOLE_DAY
    }
    before = Math.max(0, since)
    return `[${written(before)}] ${line.slice(time.length)}`
  })
  return {
    lines: rewritten,
    startedAt: start === null ? null : { text: new Date(start).toISOString().slice(0, 19), utc: false }
  }
}

/** Without a day or a half of it, a time is one of the recording. */
function daytimeIn(line: string): Daytime | null {
  const head = line.slice(0, MAX_HEAD)
  const [whole, day = null, hour, minute, second = '0', half = ''] = BRACKETED.exec(head) ?? BARE.exec(head) ?? []
  if (whole === undefined || (day === null && half === '') || Number(hour) > 23 || Number(minute) > 59) return null
  const hours = half === '' ? Number(hour) : (Number(hour) % 12) + (half.toLowerCase() === 'p' ? 12 : 0)
  return { length: whole.length, seconds: hours * 3_600 + Number(minute) * 60 + Number(second), day }
}

function instantOf({ day, seconds }: Daytime) {
  const date = day === null ? null : parseWrittenDate(day.replace(/^(\d{4})[/.](\d{1,2})[/.](\d{1,2})$/, '$1-$2-$3'))
  return date && Date.parse(`${date.text.slice(0, 10)}T00:00:00Z`) + seconds * 1000
}

function written(seconds: number) {
  const parts = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, Math.floor(seconds) % 60]
  return parts.map(part => String(part).padStart(2, '0')).join(':')
}

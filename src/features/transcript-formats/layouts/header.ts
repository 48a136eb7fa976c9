import { isName, knownSpeaker, trimMarks } from '../../../platform/text/speaker-name.ts'
import { CLOCK_TIME, parseClockTime } from '../clock-time.ts'

/** One or more lines with the name of a speaker and mostly a time; the speech follows below. */
export interface Header {
  name: string | null
  start: number | null
  end: number | null
  /** The number of lines that the header takes. */
  lines: number
}

/** The name of a header that has only a time, below another one of the same speaker. */
export const SAME_SPEAKER = ''

export interface Layout {
  read: (lines: readonly string[], at: number) => Header | null
  /** The times are those of a clock on the wall. */
  daytime?: boolean
  /** No other text looks like such a header, so that one suffices, with or without a blank line above. */
  sure?: boolean
  /** Names of any form, each of them only once, may stand in such a header. */
  strong?: boolean
}

const MAX_HEADER = 160
const NAME = '(\\S.{0,99}?)'
const DAYTIME = '(\\d{1,2}:\\d{2}(?::\\d{2})?)\\s?([ap])\\.?m\\.?'
const DATE = '(?:\\d{1,4}[./-]\\d{1,2}[./-]\\d{1,4},?\\s+(?:at\\s+)?)?'

const ZOOM = /^\[(.{1,100})\]\s*((?:\d{1,2}:)?\d{1,2}:\d{2})(?:\s?([ap])\.?m\.?)?$/i
const TIME_AND_NAME = new RegExp(`^@?[[(]?(${CLOCK_TIME})[\\])]?\\s+${NAME}:?$`)
const TIME_DASH_NAME = new RegExp(`^@?[[(]?(${CLOCK_TIME})[\\])]?\\s*[-–—|•·]\\s*${NAME}:?$`)
const NAME_AND_DAYTIME = new RegExp(`^${NAME}\\s*(?:[[(]|\\s[-–—|•·,]?\\s*)\\s*${DATE}${DAYTIME}[\\])]?:?$`, 'i')
const NAME_AND_TIME = new RegExp(`^${NAME}(?:\\s{2,9}|\\t|\\s+[[(])(${CLOCK_TIME})[\\])]?$`)
const NAME_COLON_TIME = new RegExp(`^${NAME}:\\s+[[(]?(${CLOCK_TIME})[\\])]?$`)
const NAME_AND_MAYBE_TIME = new RegExp(`^${NAME}(?:\\s*[[(](${CLOCK_TIME})[\\])]:|:\\s*[[(](${CLOCK_TIME})[\\])]|:)$`)
const TIME = new RegExp(`^[[(]?(${CLOCK_TIME})(?:\\s*-->\\s*(${CLOCK_TIME}))?[\\])]?$`)
const RANGE_AND_NAME = new RegExp(`^\\[(${CLOCK_TIME})\\s*-->\\s*(${CLOCK_TIME})\\]\\s+${NAME}:?$`)
const CUE = new RegExp(
  `^\\s*(${CLOCK_TIME.replaceAll('{2}', '{1,2}')})\\s*-->\\s*(${CLOCK_TIME.replaceAll('{2}', '{1,2}')})\\s*$`
)
/** Two to six pieces such as "1 hour 0 minutes 3 seconds", in any language. */
const SPOKEN_TIME = /^(?:\d{1,3}\s?\p{L}[\p{L}\p{M}.]{0,15},?\s*){1,3}$/u

export const LAYOUTS = {
  // [Marta Lind] 14:02:11
  zoom: { read: oneLine(ZOOM, ([, name, time, half]) => header(name, daytime(time, half))), sure: true, daytime: true },
  // Marta Lind / 0 minutes 3 seconds / 0:03
  teams: { read: readTeams, sure: true },
  // 0:03 - Marta Lind
  timeDashName: {
    read: oneLine(TIME_DASH_NAME, ([, time, name]) => header(name, parseClockTime(time ?? ''))),
    strong: true
  },
  // [0:03 --> 0:06] Marta Lind
  rangeAndName: {
    read: oneLine(RANGE_AND_NAME, ([, from, to, name]) => {
      const found = header(name, parseClockTime(from ?? ''))
      return found && { ...found, end: parseClockTime(to ?? '') }
    })
  },
  // [0:03] Marta Lind
  timeAndName: { read: oneLine(TIME_AND_NAME, ([, time, name]) => header(name, parseClockTime(time ?? ''))) },
  // Marta Lind (10:02 AM)
  nameAndDaytime: {
    read: oneLine(NAME_AND_DAYTIME, ([, name, time, half]) => header(name, daytime(time, half))),
    daytime: true
  },
  // marta lind  0:03
  nameAndTime: {
    read: oneLine(NAME_AND_TIME, ([, name, time]) => header(name, parseClockTime(time ?? ''))),
    strong: true
  },
  // Marta Lind: 0:03
  nameColonTime: { read: oneLine(NAME_COLON_TIME, ([, name, time]) => header(name, parseClockTime(time ?? ''))) },
  // Marta Lind (0:03): or Marta Lind:
  nameAndMaybeTime: {
    read: oneLine(NAME_AND_MAYBE_TIME, readMaybeTimed)
  },
  // 0:03 / Marta Lind
  timeAbove: { read: (lines, at) => twoLines(lines[at], lines[at + 1]) },
  // Marta Lind / 0:03
  timeBelow: { read: (lines, at) => twoLines(lines[at + 1], lines[at]) },
  // 0:0:3.0 --> 0:0:6.5 / Marta Lind
  cue: { read: readCue }
} satisfies Record<string, Layout>

function oneLine(pattern: RegExp, toHeader: (found: RegExpExecArray) => Header | null): Layout['read'] {
  return (lines, at) => {
    const line = trimMarks(lines[at] ?? '')
    if (line.length > MAX_HEADER || !(/\d:\d/.test(line) || /[:：]$/.test(line))) return null
    const found = pattern.exec(line)
    return found && toHeader(found)
  }
}

function header(name: string | undefined, start: number | null): Header | null {
  if ((start !== null && !Number.isFinite(start)) || NO_NAME.test(name ?? '')) return null
  return { name: knownSpeaker(name), start, end: null, lines: 1 }
}

/** No name begins with a time or an arrow, or ends with a bracket that it has not opened. */
const NO_NAME = /^(?:[-–—>→|]|[[(]?\d{1,3}:\d{2})|^[^[(]{0,100}[\])]$/

function readMaybeTimed([, name, before, after]: RegExpExecArray) {
  const time = before ?? after
  return header(name, time === undefined ? null : parseClockTime(time))
}

function daytime(time = '', half: string | undefined) {
  if (half === undefined) return parseClockTime(time)
  const seconds = parseClockTime(time.split(':').length === 2 ? `${time}:00` : time)
  return (seconds % 43_200) + (half.toLowerCase() === 'p' ? 43_200 : 0)
}

function twoLines(timeLine: string | undefined, nameLine: string | undefined): Header | null {
  const time = timeIn(timeLine)
  const name = trimMarks(nameLine ?? '').replace(/:$/, '')
  return time === null || !mayBeName(name) || timeIn(name) !== null
    ? null
    : { ...time, name: knownSpeaker(name), lines: 2 }
}

function timeIn(line: string | undefined) {
  const [, time, until] = TIME.exec(trimMarks(line ?? '').slice(0, MAX_HEADER)) ?? []
  if (time === undefined) return null
  return { start: parseClockTime(time), end: until === undefined ? null : parseClockTime(until) }
}

/** The speaker may be named once for several times; the two times may share a line. */
function readTeams(lines: readonly string[], at: number): Header | null {
  const [first = '', second = '', third = ''] = lines.slice(at, at + 3).map(trimMarks)
  const again = isSpoken(first, second) ? timeIn(second) : null
  if (again) return { ...again, name: SAME_SPEAKER, lines: 2 }
  if (!mayBeName(first)) return null
  const below = isSpoken(second, third) ? { time: third, lines: 3 } : joined(second)
  const time = timeIn(below?.time)
  return below && time ? { ...time, name: knownSpeaker(first), lines: below.lines } : null
}

function joined(line: string) {
  const [, spoken = '', time = ''] =
    line.length > MAX_HEADER ? [] : (/^(.*[^\d:])(\d{1,3}(?::\d{2}){1,2})$/.exec(line) ?? [])
  return isSpoken(spoken.trim(), time) ? { time, lines: 2 } : null
}

/** A time in words is one only if the numbers come again as digits. */
function isSpoken(words: string, time: string) {
  if (words.length > MAX_HEADER || !SPOKEN_TIME.test(words) || timeIn(time) === null) return false
  const digits = time.split(':').map(Number)
  return (words.match(/\d+/g) ?? []).every(number => digits.includes(Number(number)))
}

function readCue(lines: readonly string[], at: number): Header | null {
  const [, from = '', to = ''] = CUE.exec((lines[at] ?? '').slice(0, MAX_HEADER)) ?? []
  const name = trimMarks(lines[at + 1] ?? '').replace(/:$/, '')
  if (from === '' || !mayBeName(name)) return null
  return { name: knownSpeaker(name), start: parseClockTime(from), end: parseClockTime(to), lines: 2 }
}

/** Returns whether a line may be a name of any spelling: short, and not a sentence. */
export function mayBeName(line: string) {
  if (line === '' || line.length > 100 || !/[\p{L}\p{N}]/u.test(line)) return false
  return isName(line) || (!/[!?;。！？；]|[.,:]$|:\/\/|-->/u.test(line) && line.split(/\s+/).length <= 6)
}

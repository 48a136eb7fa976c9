import { type CuePlace, readCueId } from '../transcripts/cue-id.ts'
import { CUE_TIME, parseCueTime } from './clock-time.ts'
import { UnreadableTranscript } from './transcript.ts'

export interface ParsedCue {
  start: number
  end: number
  lines: string[]
  /** The identifier of a cue that this server has written. */
  place: CuePlace | null
  /** The identifier of a cue of WebVTT. */
  id: string | null
}

interface NumberedLine {
  line: number
  text: string
}

export interface ParsedCues {
  cues: ParsedCue[]
  /** The lines before the first cue, which may be speech. */
  strays: NumberedLine[]
}

const TIMES = new RegExp(String.raw`^\s*(${CUE_TIME})\s{0,9}-->\s{0,9}(${CUE_TIME})(?=\s|$)`)
const SETTING = /^\s+[^\s:]+:\S*/
const LIKE_TIMES = /^\s*-?\d[^\s>]*\s{0,9}-->\s{0,9}-?\d/
/** The same with nothing else on the line, so that it cannot be speech. */
const LIKE_ONLY_TIMES = /^\s*[\d-]*\d[:;.,][^\s>]*\s{0,9}-->\s{0,9}[\d-]*\d[:;.,]\S*\s*$/

interface Timing {
  start: number
  end: number
  /** A text behind the times. */
  rest: string
}

/** Returns whether a line has only the times of a cue and settings. */
export function isCueTiming(line: string) {
  const timing = line.includes('-->') ? readTimes(line) : null
  return timing !== null && timing.rest === '' && /\d\s*[:.,;]/.test(line)
}

function readTimes(line: string): Timing | null {
  const [found, from = '', to = ''] = TIMES.exec(line) ?? []
  if (found === undefined) return null
  const [start, end] = [parseCueTime(from), parseCueTime(to)]
  if (!Number.isFinite(start) || !Number.isFinite(end)) return null
  let rest = line.slice(found.length)
  for (let setting = SETTING.exec(rest); setting; setting = SETTING.exec(rest)) rest = rest.slice(setting[0].length)
  return { start, end, rest: rest.trim() }
}

/** Reads the times of a line that may begin a cue. A line that must be one but holds no readable times is refused. */
function readTiming(line: string, above: string, number: number): Timing | null {
  if (!line.includes('-->')) return null
  const opens = above.trim() === '' || isNumber(above)
  const timing = readTimes(line)
  if (timing && (opens || isCueTiming(line))) return timing
  if ((opens && LIKE_TIMES.test(line)) || LIKE_ONLY_TIMES.test(line)) throw unreadableTimes(number)
  return null
}

function unreadableTimes(line: number) {
  return new UnreadableTranscript(
    `Line ${line} does not hold the times of a cue: write them as 00:00:01.000 --> 00:00:04.000.`,
    { line }
  )
}

function isNumber(line: string) {
  return /^\s*\d+\s*$/.test(line)
}

/** Reads the cues of SubRip and of WebVTT without its first line. A blank line belongs to the text. */
export function readLooseCues(lines: readonly string[]): ParsedCues {
  const cues: ParsedCue[] = []
  const strays: NumberedLine[] = []
  let lastNumber: number | null = null
  for (const [index, line] of lines.entries()) {
    const above = lines[index - 1] ?? ''
    const timing = readTiming(line, above, index + 1)
    const before = cues.at(-1)?.lines ?? strays
    if (timing) {
      // The line above the times is the number of the cue, even without a blank line before it.
      const isId: boolean = isNumber(above) && (cues.length === 0 || isNextNumber(above, lastNumber, before.length))
      if (isId) before.pop()
      lastNumber = isId ? Number(above) : null
      cues.push(newCue(timing, null))
    } else if (cues.length > 0 || line.trim() !== '') {
      if (cues.length > 0) cues.at(-1)?.lines.push(line)
      else strays.push({ line: index + 1, text: line })
    }
  }
  return { cues, strays }
}

/** Returns whether a number above times is that of the cue, and not the last line of the cue before. */
function isNextNumber(above: string, last: number | null, linesBefore: number) {
  return last !== null && (linesBefore > 1 || Number(above) === last + 1)
}

function newCue({ start, end, rest }: Timing, id: string | null): ParsedCue {
  return { start, end, lines: rest === '' ? [] : [rest], place: id === null ? null : readCueId(id), id }
}

const COMMENT = /^(?:NOTE(?:\s|$)|STYLE\s*$|REGION\s*$)/
const HEADER = /^WEBVTT(?:\s|$)/

/** Returns whether the first line that is not blank is that of WebVTT. */
export function isStrictVtt(lines: readonly string[]) {
  return HEADER.test(lines.find(line => line.trim() !== '') ?? '')
}

/** Empties comments, styles and regions of a file without the first line of WebVTT, so that line numbers stay. */
export function withoutComments(lines: readonly string[]) {
  let inside = false
  return lines.map((line, index) => {
    if (line.trim() === '' || line.includes('-->')) inside = false
    else if (COMMENT.test(line) && (lines[index - 1] ?? '').trim() === '') inside = true
    return inside ? '' : line
  })
}

/**
 * Reads the cues of WebVTT. An empty line ends a cue, one of blanks does not. A text after that, which a player would not show, belongs to the
 * cue before it. A header in the middle begins the next piece of a stream.
 */
export function readVttCues(lines: readonly string[]): ParsedCues {
  const cues: ParsedCue[] = []
  const strays: NumberedLine[] = []
  let open: ParsedCue | null = null
  let pending: NumberedLine[] = []
  let skips = false
  let lastNumber: number | null = null
  let shift = 0
  let firstOffset: number | null = null

  /** Gives lines between two cues to the one before. Returns the identifier of the next one. */
  function settle(next: number) {
    const last = pending.at(-1)
    const target = cues.at(-1)
    // The identifier stands above the times, in some files with an empty line between them.
    const isId =
      last &&
      (last.line === next - 1 ||
        (isNumber(last.text) && target?.lines.length && Number(last.text) === (lastNumber ?? 0) + 1))
    if (isId) pending.pop()
    for (const stray of pending) target ? target.lines.push(stray.text) : strays.push(stray)
    pending = []
    return isId ? last.text : null
  }

  for (const [index, line] of lines.entries()) {
    const above = lines[index - 1] ?? ''
    const startsBlock = index === 0 || above === ''
    const timing = readTiming(line, startsBlock ? '' : above, index + 1)
    if (timing) {
      const hasNumber: boolean = isNumber(above) && (!open || isNextNumber(above, lastNumber, open.lines.length))
      const isPart = open && (hasNumber || isIdentifier(lines, index))
      if (isPart) open?.lines.pop()
      const id = settle(index + 1) ?? (isPart ? above : null)
      lastNumber = hasNumber ? Number(above) : null
      open = newCue(shiftBy(timing, shift), id)
      cues.push(open)
      skips = false
    } else if (line === '') {
      open = null
      skips = false
    } else if (startsBlock && (HEADER.test(line) || COMMENT.test(line))) skips = true
    else if (skips) {
      const offset = streamOffset(line)
      firstOffset ??= offset
      if (offset !== null && firstOffset !== null) shift = offset - firstOffset
    } else if (open) open.lines.push(line)
    else if (line.trim() !== '') pending.push({ line: index + 1, text: line })
  }
  settle(Number.POSITIVE_INFINITY)
  return { cues, strays }
}

/** Returns whether the line above the times is an identifier, though only a line of blanks divides it from the cue before. */
function isIdentifier(lines: readonly string[], index: number) {
  const [above = '', beyond = 'x'] = [lines[index - 1], lines[index - 2]]
  return above.trim() !== '' && beyond.trim() === ''
}

function shiftBy({ start, end, rest }: Timing, seconds: number): Timing {
  const [from = 0, to = 0] = [start, end].map(time => Math.max(0, Math.round((time + seconds) * 1_000) / 1_000))
  return { start: from, end: to, rest }
}

const TIMESTAMP_MAP =
  /^X-TIMESTAMP-MAP=(?:MPEGTS:(\d{1,15}),LOCAL:([\d:.]{1,20})|LOCAL:([\d:.]{1,20}),MPEGTS:(\d{1,15}))\s*$/
const TICKS_A_SECOND = 90_000

/** Returns by how many seconds the times of a piece of an HTTP Live Stream lag those of the stream. */
function streamOffset(line: string) {
  const [found, ticks, local, earlierLocal, laterTicks] = TIMESTAMP_MAP.exec(line) ?? []
  if (found === undefined) return null
  const offset = Number(ticks ?? laterTicks) / TICKS_A_SECOND - parseCueTime(local ?? earlierLocal ?? '')
  return Number.isFinite(offset) ? offset : null
}

import { type CuePlace, readCueId } from '../../core/cue-id.ts'
import { splitName } from '../../core/speaker-name.ts'
import { LOOSE_CLOCK_TIME, parseClockTime } from './clock-time.ts'
import { parseVoices } from './markup.ts'
import { lastEnd, type ParsedTranscript, type Turn, toSegments, UnreadableTranscript } from './transcript.ts'

interface ParsedCue {
  start: number
  end: number
  lines: string[]
  /** The identifier of a cue that this server has written. */
  place: CuePlace | null
}

const TIMES = new RegExp(`^\\s*(${LOOSE_CLOCK_TIME})\\s*-->\\s*(${LOOSE_CLOCK_TIME})(?=\\s|$)`)
const CUE_SETTINGS = /^(?:\s+[^\s:]+:\S+)*\s*$/
const LIKE_TIMES = /^\s*\d+:\d/

/** Returns whether a line has only the times of a cue and settings. */
export function isCueTiming(line: string) {
  const times = line.includes('-->') ? TIMES.exec(line) : null
  return times !== null && CUE_SETTINGS.test(line.slice(times[0].length))
}

/** `blankEnds`: a blank line ends a cue, as in WebVTT; otherwise it belongs to the text, as in SubRip. */
function readCues(lines: string[], { blankEnds }: { blankEnds: boolean }): ParsedCue[] {
  const cues: ParsedCue[] = []
  let open: ParsedCue | null = null
  for (const [index, line] of lines.entries()) {
    const above = lines[index - 1] ?? ''
    if (isCueTiming(line) || (line.includes('-->') && LIKE_TIMES.test(line) && startsBlock(above))) {
      // The line above the times is the cue number, even without a blank line before it.
      if (isNumber(above)) open?.lines.pop()
      open = { ...timesIn(line, index + 1), lines: [], place: blankEnds ? readCueId(above) : null }
      cues.push(open)
    } else if (blankEnds && line.trim() === '') {
      open = null
    } else {
      open?.lines.push(line)
    }
  }
  return cues
}

function timesIn(line: string, number: number) {
  const [, from = '', to = ''] = TIMES.exec(line) ?? []
  const start = parseClockTime(from)
  const end = parseClockTime(to)
  if (from === '' || !Number.isFinite(start) || !Number.isFinite(end)) throw unreadableTimes(number)
  return { start, end }
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

function startsBlock(above: string) {
  return above.trim() === '' || isNumber(above)
}

/** Speakers come from voice tags, or without any from `Name: text`. */
function transcriptOf(cues: ParsedCue[], language: string | null): ParsedTranscript {
  if (cues.length === 0)
    throw new UnreadableTranscript('The file has no cue: each starts with a line like 00:00:01.000 --> 00:00:04.000.')
  const voiced = cues.flatMap(({ start, end, lines }) =>
    parseVoices(lines.join('\n')).map(voice => ({ start, end, ...voice }))
  )
  const turns = voiced.some(turn => turn.speaker !== null) ? voiced : voiced.map(withName)
  const segments = toSegments(turns)
  return { segments, language, durationSeconds: lastEnd(segments) }
}

function withName(turn: Turn): Turn {
  return { ...turn, ...splitName(turn.text) }
}

const COMMENT = /^(?:NOTE(?:\s|$)|STYLE\s*$|REGION\s*$)/
const LANGUAGE = /^Language:[ \t]*([a-z]{2,3}(?:-[a-z\d]{1,8}){0,3})[ \t]*$/i

export function parseVtt(content: string): ParsedTranscript {
  const lines = content.split(/\r\n|\r|\n/)
  return transcriptOf(joinParts(readCues(withoutComments(lines), { blankEnds: true })), languageIn(lines))
}

/** Joins cues that this server has split for their length, and puts segments into their own order. */
function joinParts(cues: ParsedCue[]): ParsedCue[] {
  const segments = new Map<number, { first: ParsedCue; voice: string }>()
  const joined = cues.filter(cue => {
    if (!cue.place) return true
    const { segment, part, ends } = cue.place
    if (ends !== null) cue.end = ends / 1_000
    const [voice = ''] = LEADING_VOICE.exec(cue.lines[0] ?? '') ?? []
    const open = part === 1 ? undefined : segments.get(segment)
    // An editor may have given a part to somebody else.
    if (open?.voice !== voice) {
      segments.set(segment, { first: cue, voice })
      return true
    }
    append(open.first, cue, voice)
    return false
  })
  return joined.every(cue => cue.place)
    ? joined.sort((a, b) => (a.place?.segment ?? 0) - (b.place?.segment ?? 0))
    : joined
}

const LEADING_VOICE = /^<v [^<>]*>/

function append(first: ParsedCue, { lines: [line = '', ...lines], end, place }: ParsedCue, voice: string) {
  const text = line.slice(voice.length)
  if (place?.spaced) first.lines.push(text)
  else first.lines.push((first.lines.pop() ?? '') + text)
  first.lines.push(...lines)
  first.end = end
}

/** Empties comments, styles and regions, so that line numbers stay. */
function withoutComments(lines: string[]) {
  let inside = false
  return lines.map((line, index) => {
    if (line.trim() === '') inside = false
    else if (COMMENT.test(line) && (lines[index - 1] ?? '').trim() === '') inside = true
    return inside ? '' : line
  })
}

/** The header may name the language, as in YouTube captions. */
function languageIn(lines: string[]) {
  const end = lines.findIndex(line => line.trim() === '')
  const header = lines.slice(0, end === -1 ? 0 : end)
  for (const line of header) {
    const [, language] = LANGUAGE.exec(line) ?? []
    if (language !== undefined) return language
  }
  return null
}

export function parseSrt(content: string): ParsedTranscript {
  return transcriptOf(readCues(content.split(/\r\n|\r|\n/), { blankEnds: false }), null)
}

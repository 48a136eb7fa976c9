import { LOOSE_CLOCK_TIME, secondsOf } from './clock-time.ts'
import { voicesIn } from './markup.ts'
import { splitName } from './speaker.ts'
import { type ParsedTranscript, UnreadableTranscript } from './transcript.ts'
import { lastEnd, segmentsOf, type Turn } from './turns.ts'

interface Cue {
  start: number
  end: number
  lines: string[]
}

const TIMES = new RegExp(`^\\s*(${LOOSE_CLOCK_TIME})\\s*-->\\s*(${LOOSE_CLOCK_TIME})(?=\\s|$)`)
const SETTINGS = /^(?:\s+[^\s:]+:\S+)*\s*$/
const LIKE_TIMES = /^\s*\d+:\d/

/** Whether a line is the times of a cue wherever it stands: text that happens to hold two times and an arrow goes on with words. */
export function isCueTiming(line: string) {
  const times = line.includes('-->') ? TIMES.exec(line) : null
  return times !== null && SETTINGS.test(line.slice(times[0].length))
}

/** `blankEnds`: whether a blank line ends a cue, as in WebVTT, or is part of its text, as the files of SubRip have it. */
export function readCues(lines: string[], { blankEnds }: { blankEnds: boolean }): Cue[] {
  const cues: Cue[] = []
  let open: Cue | null = null
  for (const [index, line] of lines.entries()) {
    const above = lines[index - 1] ?? ''
    if (isCueTiming(line) || (line.includes('-->') && LIKE_TIMES.test(line) && startsBlock(above))) {
      // The number of a cue stands right above its times, also where the blank line before it is missing.
      if (isNumber(above)) open?.lines.pop()
      open = { ...timesIn(line, index + 1), lines: [] }
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
  const start = secondsOf(from)
  const end = secondsOf(to)
  if (from === '' || !Number.isFinite(start) || !Number.isFinite(end)) throw unreadableTimes(number)
  return { start, end }
}

function unreadableTimes(line: number) {
  return new UnreadableTranscript(`Line ${line} does not hold the times of a cue: write them as 00:00:01.000 --> 00:00:04.000.`, { line })
}

function isNumber(line: string) {
  return /^\s*\d+\s*$/.test(line)
}

function startsBlock(above: string) {
  return above.trim() === '' || isNumber(above)
}

/** Speakers stand in voice tags; in a file without any, in front of the text as `Name: text`. */
export function transcriptOf(cues: Cue[], language: string | null): ParsedTranscript {
  if (cues.length === 0) throw new UnreadableTranscript('The file has no cue: each starts with a line like 00:00:01.000 --> 00:00:04.000.')
  const voiced = cues.flatMap(({ start, end, lines }) => voicesIn(lines.join('\n')).map(voice => ({ start, end, ...voice })))
  const turns = voiced.some(turn => turn.speaker !== null) ? voiced : voiced.map(withName)
  const segments = segmentsOf(turns)
  return { segments, language, durationSeconds: lastEnd(segments) }
}

function withName(turn: Turn): Turn {
  return { ...turn, ...splitName(turn.text) }
}

import { oneLine } from '../../contract/text.ts'
import type { TimedSegment } from '../../platform/text/segment.ts'
import { columnsOf, splitText } from './caption-text.ts'
import type { CuePlace } from './cue-id.ts'

/** A caption. Times are milliseconds from the start of the recording. */
export interface Cue extends CuePlace {
  start: number
  end: number
  speaker: string
  text: string
}

const MAX_CUE_COLUMNS = 84
const MAX_CUE_MS = 7_000
/** Slower speech is mostly silence, so it is not split further. */
const MIN_CUE_COLUMNS = 21
/** The reading speed. It decides how long a segment without a known end is shown. */
const CHARACTERS_A_SECOND = 15
const MIN_READING_MS = 1_000
/** Keeps sums of milliseconds exact. */
const MAX_MS = 1e14

/**
 * Splits segments into cues in the order of their start. A cue has at most 84 columns (full-width characters take two), less those
 * that `reserved` keeps for its speaker. It lasts from 1 ms to 7 s. A segment that ends where it starts is shown for as long as reading it
 * takes, at most until the next one starts.
 */
export function toCues(segments: readonly TimedSegment[], reserved: (speaker: string) => number = () => 0): Cue[] {
  const cues = segments.flatMap((segment, index) => {
    const speaker = oneLine(segment.speaker)
    const text = oneLine(segment.text)
    const next = segments[index + 1]?.start
    return text === ''
      ? []
      : splitSegment({ ...segment, speaker, text }, index + 1, MAX_CUE_COLUMNS - reserved(speaker), next)
  })
  return cues.sort((a, b) => a.start - b.start || a.segment - b.segment || a.part - b.part)
}

function splitSegment(
  { speaker, text, ...times }: TimedSegment,
  segment: number,
  maxColumns: number,
  next?: number
): Cue[] {
  const start = toMs(times.start)
  const end = Math.max(start, toMs(times.end))
  const untilNext = next === undefined ? 0 : toMs(next) - start
  const duration = end > start ? end - start : toReadingMs(text, untilNext > 0 ? untilNext : MAX_MS)
  const inMaxTime = duration > MAX_CUE_MS ? Math.floor((columnsOf(text) * MAX_CUE_MS) / duration) : maxColumns
  const pieces = splitText(text, Math.min(maxColumns, Math.max(inMaxTime, MIN_CUE_COLUMNS)))
  const starts: number[] = []
  for (const { from } of pieces) {
    starts.push(Math.max(start + Math.round((duration * from) / text.length), (starts.at(-1) ?? -1) + 1))
  }
  return pieces.map((piece, index) => {
    const [before, from = start, following] = [pieces[index - 1], starts[index], starts[index + 1]]
    const to = Math.max(from + 1, Math.min(from + MAX_CUE_MS, following ?? start + duration))
    return {
      segment,
      part: index + 1,
      spaced: before === undefined || before.to < piece.from,
      ends: following !== undefined || to === end ? null : end,
      start: from,
      end: to,
      speaker,
      text: text.slice(piece.from, piece.to)
    }
  })
}

function toReadingMs(text: string, atMost: number) {
  return Math.min(Math.max(Math.round((text.length / CHARACTERS_A_SECOND) * 1_000), MIN_READING_MS), atMost)
}

function toMs(seconds: number) {
  return Math.min(Math.round(seconds * 1_000), MAX_MS)
}

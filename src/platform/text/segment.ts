import { oneLine } from '../../contract/text.ts'

/** A stretch of speech. Times are seconds from the start of the recording; both are null where the source has none. */
export interface Segment {
  speaker: string
  start: number | null
  end: number | null
  text: string
  /** The instant at which somebody last corrected it, as the API writes it. */
  edited_at?: string
}

export type TimedSegment = Segment & { start: number; end: number }

export function isTimed(segment: Segment): segment is TimedSegment {
  return segment.start !== null && segment.end !== null
}

/** The transcript as text: one line for each turn, "Speaker: words". Consecutive segments of one speaker are one turn. */
export function flatText(segments: readonly Segment[]) {
  let flat = ''
  let speaker: string | undefined
  for (const segment of segments) {
    const text = oneLine(segment.text)
    flat += segment.speaker === speaker ? ` ${text}` : `${flat === '' ? '' : '\n'}${oneLine(segment.speaker)}: ${text}`
    speaker = segment.speaker
  }
  return flat
}

/** Reads the segments that the database has as JSON. */
export function readSegments(json: string) {
  const segments: Segment[] = JSON.parse(json)
  return segments
}

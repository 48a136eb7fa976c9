import { DEFAULT_SPEAKER, storable } from '../../contract/import-document.ts'
import { isBlank, oneLine } from '../../contract/text.ts'
import type { Segment } from '../../core/segment.ts'

const MAX_SPEAKER = 200

/** What a file says at one place; the speaker is null where it names none there. */
export interface Turn {
  speaker: string | null
  start: number | null
  end: number | null
  text: string
}

/** The turns as segments, without line breaks, which in captions are for the width of a screen: a turn without a name goes on with the one before it, and a turn without text is dropped. */
export function segmentsOf(turns: Turn[]): Segment[] {
  let current = DEFAULT_SPEAKER
  const segments: Segment[] = []
  for (const { speaker, start, end, text: said } of turns) {
    // An escape in JSON can spell what the file itself may not hold.
    const text = storable(said)
    if (speaker !== null && !isBlank(speaker)) current = storable(oneLine(speaker).slice(0, MAX_SPEAKER))
    if (isBlank(text)) continue
    segments.push({ speaker: current, start, end: start !== null && end !== null ? Math.max(start, end) : end, text: oneLine(text) })
  }
  return segments
}

/** When the last of the segments ends; null where an end is not known. */
export function lastEnd(segments: Segment[]) {
  let last: number | null = null
  for (const { end } of segments) {
    if (end === null) return null
    last = Math.max(last ?? 0, end)
  }
  return last
}

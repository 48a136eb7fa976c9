/** One stretch of speech. Times are seconds from the start of the recording; both are null where the source has none. */
export interface Segment {
  speaker: string
  start: number | null
  end: number | null
  text: string
}

export function isTimed(segment: Segment): segment is Segment & { start: number; end: number } {
  return segment.start !== null && segment.end !== null
}

/** The conversation as text: a line for each turn, led by its speaker. Stretches of one speaker in a row are one turn. */
export function flatText(segments: readonly Segment[]) {
  const turns: string[] = []
  let speaker: string | undefined
  for (const segment of segments) {
    // Nearly all white space is one blank already, and is not replaced by itself: that would be most of what a transcript costs.
    const text = segment.text.replace(/\s{2,}|[^\S ]/g, ' ').trim()
    if (segment.speaker === speaker) turns.push(` ${text}`)
    else turns.push(`${turns.length > 0 ? '\n' : ''}${segment.speaker}: ${text}`)
    speaker = segment.speaker
  }
  return turns.join('')
}

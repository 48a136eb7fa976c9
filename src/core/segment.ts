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

/** White space that is not one blank. */
const ODD = /\s{2,}|[^\S ]/
const ODD_EACH = new RegExp(ODD, 'g')

/** The conversation as text: a line for each turn, led by its speaker. Stretches of one speaker in a row are one turn. */
export function flatText(segments: readonly Segment[]) {
  let flat = ''
  let speaker: string | undefined
  for (const segment of segments) {
    // Nearly all white space is one blank already: looking is cheap, and replacing would be most of what a transcript costs.
    const text = (ODD.test(segment.text) ? segment.text.replace(ODD_EACH, ' ') : segment.text).trim()
    flat += segment.speaker === speaker ? ` ${text}` : `${flat === '' ? '' : '\n'}${segment.speaker}: ${text}`
    speaker = segment.speaker
  }
  return flat
}

import type { Segment } from '../transcripts/segment.ts'

/** OpenAI labels unknown voices with capital letters. */
const LETTER = /^[A-Z]$/

/** Names voices that have only a letter: Speaker 1, Speaker 2, in the order in which they are heard. */
export function nameVoices(segments: readonly Segment[]): Segment[] {
  const names = new Map<string, string>()
  return segments.map(segment => {
    const { speaker } = segment
    if (!LETTER.test(speaker)) return segment
    const name = names.get(speaker) ?? `Speaker ${names.size + 1}`
    names.set(speaker, name)
    return { ...segment, speaker: name }
  })
}

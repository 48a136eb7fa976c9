import { withTimes } from '../../contract/transcript.ts'
import { primaryLanguage } from '../../platform/text/language-code.ts'
import { assignSpeakers } from '../transcripts/speaker-labels.ts'
import { lastEnd, type ParsedTranscript, type Turn, toSegments } from './transcript.ts'

interface ReadTurns extends Partial<Omit<ParsedTranscript, 'segments'>> {
  turns: Turn[]
}

/** Completes the times of turns, and makes segments of them. A turn without text may mark the end of the one before it. */
export function completeTranscript({
  turns,
  language = null,
  durationSeconds = null,
  ...more
}: ReadTurns): ParsedTranscript {
  const segments = toSegments(withTimes(turns))
  return {
    ...more,
    segments,
    language: primaryLanguage(language),
    durationSeconds: durationSeconds ?? lastEnd(segments)
  }
}

/** A transcript of one text without times. */
export function untimed(text: string): Turn[] {
  return [{ speaker: null, start: null, end: null, text }]
}

/** Reads speakers from the texts, such as `Ada: Hello`, unless the format has already named some. */
export function withLabels(turns: Turn[]): Turn[] {
  if (turns.some(turn => turn.speaker !== null)) return turns
  const spoken = turns.filter(({ text }) => text.trim() !== '')
  return assignSpeakers(spoken.map(({ text }) => text)).flatMap((parts, index) => {
    const { start = null, end = null } = spoken[index] ?? {}
    return parts.map(part => ({ ...part, start, end }))
  })
}

import { DEFAULT_SPEAKER } from '../../../contract/import-document.ts'
import { withTimes } from '../../../contract/transcript.ts'
import { primaryLanguage } from '../../../core/language-code.ts'
import { lastEnd, type ParsedTranscript, type Turn, toSegments } from '../transcript.ts'

interface ToolTurns {
  turns: Turn[]
  language?: string | null
  durationSeconds?: number | null
}

/** In JSON a turn without a speaker is of an unknown one, and not of the speaker before it. */
export function jsonTranscript({ turns, language = null, durationSeconds = null }: ToolTurns): ParsedTranscript {
  const segments = toSegments(withTimes(turns.map(turn => ({ ...turn, speaker: turn.speaker ?? DEFAULT_SPEAKER }))))
  return { segments, language: primaryLanguage(language), durationSeconds: durationSeconds ?? lastEnd(segments) }
}

/** A transcript of one text without times. */
export function untimed(text: string): Turn[] {
  return [{ speaker: null, start: null, end: null, text }]
}

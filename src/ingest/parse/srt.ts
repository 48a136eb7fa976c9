import { readCues, transcriptOf } from './cues.ts'
import type { ParsedTranscript } from './transcript.ts'

export function parseSrt(content: string): ParsedTranscript {
  return transcriptOf(readCues(content.split(/\r\n|\r|\n/), { blankEnds: false }), null)
}

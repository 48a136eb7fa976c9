import type { TranscriptResponse } from './transcript.ts'
import type { TranscriptChanged } from './transcript-change.ts'

const id = 'ses_01m7x9fbe4fey9tg3s33gak8w3'

const shared = {
  id,
  transcript: "Ada: I'll send the offer by Friday.\nBen: Good. With the longer warranty, please.",
  segments: [
    { speaker: 'Ada', start: 612.4, end: 615.1, text: "I'll send the offer by Friday." },
    { speaker: 'Ben', start: 615.3, end: 618.9, text: 'Good. With the longer warranty, please.' }
  ]
}

const own: TranscriptResponse = { ...shared, version: 1 }

const edited_at = '2026-03-02T10:40:00.000Z'
const corrected = { speaker: 'Ben', start: 615.3, end: 618.9, text: 'Good. With the longer guarantee, please.' }
const changed: TranscriptChanged = {
  id,
  version: 2,
  updated_at: edited_at,
  lines: [{ index: 1, ...corrected, edited_at }]
}

export const TRANSCRIPT_EXAMPLES = { own, shared, changed }

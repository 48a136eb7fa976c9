import type { TRANSCRIPT_TYPES, TranscriptFormat } from './transcript.ts'

/** The transcript of the example session as a file. */
export const transcriptFile: Record<(typeof TRANSCRIPT_TYPES)[TranscriptFormat], string> = {
  'text/plain': "Ada: I'll send the offer by Friday.\nBen: Good. With the longer warranty, please.\n",
  'text/markdown':
    "# Weekly review\n\n**Ada** (00:10:12): I'll send the offer by Friday.\n\n**Ben** (00:10:15): Good. With the longer warranty, please.\n",
  'text/vtt':
    "WEBVTT\n\nsegment-1\n00:10:12.400 --> 00:10:15.100\n<v Ada>I'll send the offer by Friday.\n\nsegment-2\n00:10:15.300 --> 00:10:18.900\n<v Ben>Good. With the longer warranty, please.\n",
  'application/x-subrip':
    "1\n00:10:12,400 --> 00:10:15,100\nAda: I'll send the offer by Friday.\n\n2\n00:10:15,300 --> 00:10:18,900\nBen: Good. With the longer warranty, please.\n"
}

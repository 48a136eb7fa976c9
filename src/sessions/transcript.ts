import type { TranscriptResponse } from '../contract/transcript.ts'
import { flatText, isTimed, type Segment } from '../core/segment.ts'

/** What a client reads of a transcript. Segments are left out where the source has no times: none are made up. */
export function transcriptResponse(id: string, segments: Segment[]): TranscriptResponse {
  const timed = segments.filter(isTimed)
  return { id, transcript: flatText(segments), ...(timed.length > 0 && timed.length === segments.length && { segments: timed }) }
}

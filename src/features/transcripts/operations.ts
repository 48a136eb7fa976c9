import type { TranscriptFormat, TranscriptRange, TranscriptResponse } from '../../contract/transcript.ts'
import { throwNotFound } from '../../platform/core/api-error.ts'
import type { Actor } from '../../platform/ports/actor.ts'
import type { WrittenTranscript } from '../../platform/ports/transcript-writer.ts'
import { readSegments } from '../../platform/text/segment.ts'
import { requireScope } from '../access/actor.ts'
import type { Services } from '../services.ts'
import { findTranscript } from './queries.ts'
import { loadSegments } from './stored-segments.ts'
import { toTranscript } from './transcript-file.ts'

/** Returns the transcript of a session within a range of times. It is empty while the session has none. */
export async function getTranscript(
  { db }: Pick<Services, 'db'>,
  actor: Actor,
  sessionId: string,
  range: TranscriptRange = {}
): Promise<TranscriptResponse> {
  requireScope(actor, 'transcripts:read')
  const { segments } = (await findTranscript(db, actor.userId, sessionId)) ?? throwNotFound('Session')
  return { id: sessionId, ...toTranscript(readSegments(await loadSegments(segments)), range) }
}

interface FileRequest {
  format: TranscriptFormat | 'json'
  range?: TranscriptRange
  /** The input that names the format, for errors. */
  field?: 'Accept' | 'format'
}

/** Returns a transcript as a file, or as the JSON of `getTranscript`. Throws conflict if the format or the range needs times and there are none. */
export async function getTranscriptFile(
  { db, writer }: Pick<Services, 'db' | 'writer'>,
  actor: Actor,
  sessionId: string,
  { format, range = {}, field = 'format' }: FileRequest
): Promise<WrittenTranscript> {
  requireScope(actor, 'transcripts:read')
  const transcript = (await findTranscript(db, actor.userId, sessionId)) ?? throwNotFound('Session')
  return await writer.write({ id: sessionId, ...transcript, form: format, range, field }, actor.userId)
}

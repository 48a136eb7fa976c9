import type { TranscriptFormat, TranscriptRange, TranscriptResponse } from '../../contract/transcript.ts'
import { throwNotFound } from '../../platform/core/api-error.ts'
import type { WrittenTranscript } from '../../platform/ports/transcript-writer.ts'
import { readSegments } from '../../platform/text/segment.ts'
import { operation } from '../access/operation.ts'
import type { Services } from '../services.ts'
import { findTranscript } from './queries.ts'
import { loadSegments } from './stored-segments.ts'
import { toTranscript } from './transcript-file.ts'

/** Returns the transcript of a session within a range of times. It is empty while the session has none. */
export const getTranscript = operation(
  'getTranscript',
  async (
    { db }: Pick<Services, 'db'>,
    actor,
    sessionId: string,
    range: TranscriptRange = {}
  ): Promise<TranscriptResponse> => {
    const { segments } = (await findTranscript(db, actor.userId, sessionId)) ?? throwNotFound('Session')
    return { id: sessionId, ...toTranscript(readSegments(await loadSegments(segments)), range) }
  }
)

interface FileRequest {
  format: TranscriptFormat | 'json'
  range?: TranscriptRange
  /** The input that names the format, for errors. */
  field?: 'Accept' | 'format'
}

/** Returns a transcript as a file, or as the JSON of `getTranscript`. Throws conflict if the format or the range needs times and there are none. */
export const getTranscriptFile = operation(
  'getTranscriptFile',
  async (
    { db, writer }: Pick<Services, 'db' | 'writer'>,
    actor,
    sessionId: string,
    { format, range = {}, field = 'format' }: FileRequest
  ): Promise<WrittenTranscript> => {
    const transcript = (await findTranscript(db, actor.userId, sessionId)) ?? throwNotFound('Session')
    return await writer.write({ id: sessionId, ...transcript, form: format, range, field }, actor.userId)
  }
)

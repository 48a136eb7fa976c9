import type { TranscriptFormat, TranscriptRange } from '../../contract/transcript.ts'
import { throwNotFound } from '../../platform/core/api-error.ts'
import type {
  Quoting,
  ShownTranscript,
  TranscriptFile,
  TranscriptPart
} from '../../platform/ports/transcript-writer.ts'
import { operation } from '../access/operation.ts'
import type { Services } from '../services.ts'
import { findTranscript } from './queries.ts'

type TranscriptServices = Pick<Services, 'db' | 'writer'>

/** Returns the lines of a transcript for a page, and the speakers whose names have the words of `speaker`. Dispose of it when it is read. */
export const showTranscript = operation(
  'getTranscript',
  async (
    { db, writer }: TranscriptServices,
    actor,
    sessionId: string,
    { speaker = '' }: { speaker?: string | undefined } = {}
  ): Promise<ShownTranscript> => {
    const { segments } = (await findTranscript(db, actor.userId, sessionId)) ?? throwNotFound('Session')
    return await writer.show({ segments, speaker }, actor)
  }
)

/** Returns the part of a transcript that an assistant reads. */
export const quoteTranscript = operation(
  'getTranscript',
  async (
    { db, writer }: TranscriptServices,
    actor,
    sessionId: string,
    wanted: Omit<Quoting, 'kind' | 'segments'>
  ): Promise<TranscriptPart> => {
    const { segments } = (await findTranscript(db, actor.userId, sessionId)) ?? throwNotFound('Session')
    return await writer.quote({ segments, ...wanted }, actor.userId)
  }
)

interface FileRequest {
  format: TranscriptFormat | 'json'
  range?: TranscriptRange
  /** The input that names the format, for errors. */
  field?: 'Accept' | 'format'
}

/** Returns a transcript as a file or as JSON. It is empty while the session has none. Throws conflict if the format or the range needs times and there are none. */
export const getTranscriptFile = operation(
  'getTranscriptFile',
  async (
    { db, writer }: TranscriptServices,
    actor,
    sessionId: string,
    { format, range = {}, field = 'format' }: FileRequest
  ): Promise<TranscriptFile> => {
    const transcript = (await findTranscript(db, actor.userId, sessionId)) ?? throwNotFound('Session')
    const content = await writer.write({ id: sessionId, ...transcript, form: format, range, field }, actor.userId)
    return { title: transcript.title, content }
  }
)

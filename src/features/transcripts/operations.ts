import type { TranscriptFormat, TranscriptRange } from '../../contract/transcript.ts'
import { throwNotFound } from '../../platform/core/api-error.ts'
import type {
  Chapter,
  Quoting,
  ShownTranscript,
  TranscriptFile,
  TranscriptPart
} from '../../platform/ports/transcript-writer.ts'
import { operation } from '../access/operation.ts'
import type { Services } from '../services.ts'
import { findOriginal, findTranscript } from './queries.ts'

type TranscriptServices = Pick<Services, 'db' | 'writer'>

/** Returns the lines of a transcript below the headings of its chapters for a page, and the speakers whose names have the words of `speaker`. Dispose of it when it is read. */
export const showTranscript = operation(
  'getTranscript',
  async (
    { db, writer }: TranscriptServices,
    actor,
    sessionId: string,
    {
      speaker = '',
      ...shown
    }: { speaker?: string | undefined; chapters?: readonly Chapter[]; correctAt?: string | undefined } = {}
  ): Promise<ShownTranscript> => {
    const { segments } = (await findTranscript(db, actor.userId, sessionId)) ?? throwNotFound('Session')
    return await writer.show({ segments, speaker, ...shown }, actor)
  }
)

/** Returns the part of a transcript that an assistant reads, and the version of the transcript. */
export const quoteTranscript = operation(
  'getTranscript',
  async (
    { db, writer }: TranscriptServices,
    actor,
    sessionId: string,
    wanted: Omit<Quoting, 'kind' | 'segments'>
  ): Promise<TranscriptPart & { version: number }> => {
    const { segments, version } = (await findTranscript(db, actor.userId, sessionId)) ?? throwNotFound('Session')
    return { ...(await writer.quote({ segments, ...wanted }, actor.userId)), version }
  }
)

interface FileRequest {
  format: TranscriptFormat | 'json'
  range?: TranscriptRange
  /** The input that names the format, for errors. */
  field?: 'Accept' | 'format'
  /** True for the transcript as it was before its text was corrected. */
  original?: boolean
  /** True for JSON that also has each line with its index. */
  lines?: boolean
}

/** Returns a transcript as a file or as JSON. It is empty while the session has none. Throws conflict if the format or the range needs times and there are none. */
export const getTranscriptFile = operation(
  'getTranscriptFile',
  async (
    { db, writer }: TranscriptServices,
    actor,
    sessionId: string,
    { format, range = {}, field = 'format', original = false, lines = false }: FileRequest
  ): Promise<TranscriptFile & { version: number }> => {
    const { userId } = actor
    const { title, segments, version } = (await findTranscript(db, userId, sessionId)) ?? throwNotFound('Session')
    const before = original ? await findOriginal(db, userId, sessionId) : undefined
    const writing = { id: sessionId, title, segments: before ?? segments, version, lines, form: format, range, field }
    return { title, version, content: await writer.write(writing, userId) }
  }
)

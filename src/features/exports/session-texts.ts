import { ApiError } from '../../platform/core/api-error.ts'
import type { Services } from '../services.ts'
import type { ExportedRow } from './queries.ts'

/** The transcript of a session in the forms that an export has. */
interface SessionTexts {
  /** Null for an export without transcripts, and for a session without speech. */
  markdown: string | null
  /** Null where the transcript has no times. */
  vtt: string | null
  text: string | null
}

const NO_TEXTS: SessionTexts = { markdown: null, vtt: null, text: null }

/** Writes the transcript of a session, a long one in another process. */
export async function writeTexts(
  { writer }: Pick<Services, 'writer'>,
  userId: string,
  { session: { sessionId: id, title }, segments }: ExportedRow
): Promise<SessionTexts> {
  if (segments === null || segments === '[]') return NO_TEXTS
  const write = async (form: 'md' | 'vtt' | 'txt') =>
    (await writer.write({ id, title, segments, form, range: {}, field: 'format' }, userId)).toString()
  const vtt = await write('vtt').catch((error: unknown) => {
    if (error instanceof ApiError && error.code === 'conflict') return null
    throw error
  })
  return { markdown: await write('md'), vtt, text: vtt === null ? await write('txt') : null }
}

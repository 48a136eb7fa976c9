import type { Precondition } from '../../contract/if-match.ts'
import type { TranscriptChange, TranscriptChanged } from '../../contract/transcript-change.ts'
import { ApiError, throwNotFound } from '../../platform/core/api-error.ts'
import type { CorrectedTranscript } from '../../platform/ports/corrected-transcript.ts'
import { operation } from '../access/operation.ts'
import { limitsFor } from '../access/room.ts'
import { computeTranscriptPostings } from '../library/index/transcript-postings.ts'
import { lockSession } from '../library/session-row.ts'
import type { Services } from '../services.ts'
import { findTranscript } from '../transcripts/queries.ts'
import { findVersion } from './queries.ts'
import { recordCorrection } from './record-correction.ts'

/**
 * Corrects lines of a transcript, and everything that is made of them. Throws conflict while the session is processing, and unless the
 * transcript has a version of the `precondition`; without one, the lines of the present version are corrected.
 */
export const correctTranscript = operation(
  'correctTranscript',
  async (
    services: Pick<Services, 'db' | 'clock' | 'jobs' | 'quotas' | 'writer'>,
    actor,
    sessionId: string,
    { segments: changes }: TranscriptChange,
    { precondition }: { precondition: Precondition | undefined }
  ): Promise<TranscriptChanged> => {
    const { db, clock, jobs, writer } = services
    const { userId } = actor
    // Once more after each change by somebody else that came first, unless the caller wants to know of it.
    for (;;) {
      const now = clock.now()
      const found = (await findTranscript(db, userId, sessionId)) ?? throwNotFound('Session')
      const { version, segments, speakers, language } = found
      requireCorrectable(found, precondition)
      const corrected = await writer.correct({ segments, speakers, changes, now: now.toISOString() }, userId)
      // Before the transaction, which is to be short.
      const texts = corrected?.passages.map(({ text }) => text) ?? []
      const said = await computeTranscriptPostings(db, language, texts)
      const changed = await db.transaction(
        async tx => {
          const session = (await lockSession(tx, userId, sessionId)) ?? throwNotFound('Session')
          const isCurrent = session.language === language && (await findVersion(tx, userId, sessionId)) === version
          if (!isCurrent || session.state === 'processing') return undefined
          if (!corrected) return { version, updatedAt: session.updatedAt, lines: [] }
          const taking = { limits: limitsFor(services, actor), now, field: 'segments' }
          await recordCorrection(tx, userId, session, { corrected, said }, { jobs, taking })
          return { version: version + 1, updatedAt: now, lines: corrected.lines }
        },
        { turn: sessionId }
      )
      if (changed) return toAnswer(sessionId, changed)
    }
  }
)

interface Changed extends Pick<CorrectedTranscript, 'lines'> {
  version: number
  updatedAt: Date
}

function toAnswer(id: string, { version, updatedAt, lines }: Changed): TranscriptChanged {
  return { id, version, updated_at: updatedAt.toISOString(), lines }
}

function requireCorrectable(
  { state, version }: { state: string; version: number },
  precondition: Precondition | undefined
) {
  if (state === 'processing')
    throw new ApiError('conflict', 'The session is being processed; try again when it is completed')
  if (precondition && !precondition.versions.includes(version))
    throw new ApiError('conflict', `the transcript is at version ${version}; read it again`, { field: 'if_version' })
}

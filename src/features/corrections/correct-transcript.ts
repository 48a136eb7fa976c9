import type { Precondition } from '../../contract/if-match.ts'
import type { TranscriptChange, TranscriptChanged } from '../../contract/transcript-change.ts'
import { ApiError } from '../../platform/core/api-error.ts'
import { operation } from '../access/operation.ts'
import { limitsFor } from '../access/room.ts'
import type { Services } from '../services.ts'
import { type Corrector, correctSession } from './correct-session.ts'

/**
 * Corrects lines of a transcript, and everything that is made of them. Throws conflict while the session is processing, and unless the
 * transcript has a version of the `precondition`; without one, the lines of the present version are corrected.
 */
export const correctTranscript = operation(
  'correctTranscript',
  async (
    services: Corrector & Pick<Services, 'quotas'>,
    actor,
    sessionId: string,
    { segments: changes }: TranscriptChange,
    { precondition }: { precondition: Precondition | undefined }
  ): Promise<TranscriptChanged> => {
    const corrected = await correctSession(services, actor.userId, sessionId, {
      changes,
      limits: limitsFor(services, actor),
      require: found => requireCorrectable(found, precondition)
    })
    if (corrected === 'processing') throw beingProcessed()
    const { version, updatedAt, lines } = corrected
    return { id: sessionId, version, updated_at: updatedAt.toISOString(), lines }
  }
)

function requireCorrectable(
  { state, version }: { state: string; version: number },
  precondition: Precondition | undefined
) {
  if (state === 'processing') throw beingProcessed()
  if (precondition && !precondition.versions.includes(version))
    throw new ApiError('conflict', `the transcript is at version ${version}; read it again`, { field: 'if_version' })
}

function beingProcessed() {
  return new ApiError('conflict', 'The session is being processed; try again when it is completed')
}

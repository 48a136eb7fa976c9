import { LIMITS } from '../../contract/limits.ts'
import { ApiError } from '../../platform/core/api-error.ts'
import type { Clock } from '../../platform/core/clock.ts'
import type { Database } from '../../platform/db/open.ts'
import type { CorrectedTranscript } from '../../platform/ports/corrected-transcript.ts'
import type { TranscriptWriter } from '../../platform/ports/transcript-writer.ts'
import { readSegments } from '../../platform/text/segment.ts'
import { takeRoom } from '../access/room.ts'
import { findVersion, saveCorrection } from '../corrections/queries.ts'
import { updateSessionRow } from '../library/session-row.ts'
import { findNewTerms, type NewTerms } from '../terms/term-set.ts'
import { type ForProcessing, lockProcessing } from './queries.ts'

interface Corrector {
  db: Database
  clock: Clock
  writer: TranscriptWriter
}

/** A session whose transcript is corrected by the terms of its owner, of this version. */
interface CorrectedByTerms extends ForProcessing {
  termsVersion: string
}

/**
 * Corrects a new transcript by the terms of its owner, whether it was imported or transcribed. What was heard is kept. Repeating it changes
 * nothing, it is not refused for a quota, and a transcript from an archive stays as it was. Returns undefined if the session has changed meanwhile.
 */
export async function correctByTerms(
  { db, clock, writer }: Corrector,
  found: ForProcessing
): Promise<CorrectedByTerms | undefined> {
  const { userId, sessionId } = found.session
  const known = await findNewTerms(db, userId)
  const uncorrected = { ...found, termsVersion: known.version }
  const { restored } = found.session
  if (restored || known.terms.length === 0 || found.segments.length === 0) return uncorrected
  const now = clock.now()
  const corrected = await correct(writer, found, known, now)
  if (!corrected) return uncorrected
  return await db.transaction(async tx => {
    const session = await lockProcessing(tx, userId, sessionId)
    if (!session || (await findVersion(tx, userId, sessionId)) !== found.version) return undefined
    if (corrected === 'too long') {
      const warnings = [...new Set([...(session.warnings ?? []), TOO_LONG])]
      await updateSessionRow(tx, userId, sessionId, { warnings, updatedAt: now })
      return { ...uncorrected, session: { ...session, warnings } }
    }
    const grownBy = await saveCorrection(tx, userId, sessionId, corrected)
    takeRoom(tx, userId, 'bytes_stored', grownBy, { limits: undefined, now })
    const segments = readSegments(corrected.json)
    return { ...uncorrected, session, segments, version: found.version + 1 }
  })
}

const TOO_LONG = `The transcript is not corrected by terms, because it would have more than ${LIMITS.transcript} characters`

/** Returns undefined if no line has a term. */
async function correct(
  writer: TranscriptWriter,
  { session, segments, speakers }: ForProcessing,
  { terms, kept }: NewTerms,
  now: Date
): Promise<CorrectedTranscript | 'too long' | undefined> {
  const asked = { segments: JSON.stringify(segments), speakers, changes: { terms, kept }, now: now.toISOString() }
  try {
    return await writer.correct(asked, session.userId)
  } catch (error) {
    if (error instanceof ApiError && error.code === 'invalid_request') return 'too long'
    throw error
  }
}

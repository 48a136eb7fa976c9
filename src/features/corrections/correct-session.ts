import type { Quotas } from '../../contract/quotas.ts'
import { throwNotFound } from '../../platform/core/api-error.ts'
import type { Db } from '../../platform/db/open.ts'
import type { CorrectedTranscript, Correcting } from '../../platform/ports/corrected-transcript.ts'
import { computeTranscriptPostings } from '../library/index/transcript-postings.ts'
import { lockSession } from '../library/session-row.ts'
import type { Services } from '../services.ts'
import { findTranscript } from '../transcripts/queries.ts'
import { findVersion } from './queries.ts'
import { recordCorrection } from './record-correction.ts'

export type Corrector = Pick<Services, 'db' | 'clock' | 'jobs' | 'writer'>

interface Wanted extends Pick<Correcting, 'changes'> {
  /** The limits of the quota of stored bytes; undefined if it is not refused. */
  limits: Quotas | undefined
  /** Throws unless a transcript in this state, of this version, is to be corrected. */
  require?(found: { state: string; version: number }): void
  /** Runs last in the transaction of the change. */
  also?(tx: Db, lines: CorrectedTranscript['lines']): Promise<void>
}

export interface Corrected extends Pick<CorrectedTranscript, 'lines'> {
  version: number
  updatedAt: Date
}

/**
 * Corrects the transcript of a session, and everything that is made of it, in one transaction. Returns 'processing', and changes nothing, for a
 * session that is being processed.
 */
export async function correctSession(
  { db, clock, jobs, writer }: Corrector,
  userId: string,
  sessionId: string,
  { changes, limits, require, also }: Wanted
): Promise<Corrected | 'processing'> {
  // Once more after each change by somebody else that came first.
  for (;;) {
    const now = clock.now()
    const found = (await findTranscript(db, userId, sessionId)) ?? throwNotFound('Session')
    const { version, segments, speakers, language } = found
    require?.(found)
    const isProcessing = found.state === 'processing'
    const asked = { segments, speakers, changes, now: now.toISOString() }
    const corrected = isProcessing ? undefined : await writer.correct(asked, userId)
    // Before the transaction, which is to be short.
    const texts = corrected?.passages.map(({ text }) => text) ?? []
    const said = await computeTranscriptPostings(db, language, texts)
    const changed = await db.transaction(
      async tx => {
        const session = (await lockSession(tx, userId, sessionId)) ?? throwNotFound('Session')
        const isCurrent = session.language === language && (await findVersion(tx, userId, sessionId)) === version
        // Whoever completes the session holds this lock, so what they have read is not older than the caller's change.
        if (session.state === 'processing') return isProcessing ? 'processing' : undefined
        if (isProcessing || !isCurrent) return undefined
        if (!corrected) return { version, updatedAt: session.updatedAt, lines: [] }
        const taking = { limits, now, field: 'segments' }
        await recordCorrection(tx, userId, session, { corrected, said }, { jobs, taking })
        await also?.(tx, corrected.lines)
        return { version: version + 1, updatedAt: now, lines: corrected.lines }
      },
      { turn: sessionId }
    )
    if (changed) return changed
  }
}

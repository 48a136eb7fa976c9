import { ApiError } from '../core/api-error.ts'
import type { Deps } from '../deps.ts'
import { lockSession } from '../sessions/detail.ts'
import { findForProcessing, findRecording, updateSession } from './queries.ts'

/**
 * Has a session that failed processed again. One that is being processed is left at it. Returns whether there is such a session;
 * throws conflict for one that is completed, or that has nothing to process.
 */
export async function retrySession({ db, jobs, clock }: Pick<Deps, 'db' | 'jobs' | 'clock'>, userId: string, sessionId: string) {
  return await db.transaction(async tx => {
    const session = await lockSession(tx, userId, sessionId)
    if (!session) return false
    if (session.state === 'processing') return true
    if (session.state === 'completed') throw new ApiError('conflict', 'The session is completed; there is nothing to try again')
    const found = await findForProcessing(tx, userId, sessionId)
    const elsewhere = session.audioUrl !== null || session.videoUrl !== null
    if (!found?.segments.length && !elsewhere && !(await findRecording(tx, userId, sessionId))) {
      throw new ApiError('conflict', 'There is nothing to process: nothing was said')
    }
    await updateSession(tx, userId, sessionId, { state: 'processing', failure: null, updatedAt: clock.now() })
    await jobs.enqueue(tx, 'process-session', { userId, sessionId })
    return true
  })
}

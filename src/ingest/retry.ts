import { ApiError } from '../core/api-error.ts'
import type { Db } from '../db/open.ts'
import type { Deps } from '../deps.ts'
import type { Jobs } from '../jobs/jobs.ts'
import { lockSession } from '../sessions/detail.ts'
import { findWhole } from '../sessions/whole.ts'
import { findForProcessing, findRecording, updateSession } from './queries.ts'

export interface Retrying extends Pick<Deps, 'db' | 'clock'> {
  jobs: Pick<Jobs, 'enqueue' | 'findSessionJobs'>
}

/**
 * Has a session that failed processed again, or one that is processing and has lost its job. One whose job waits or runs, and a call that
 * goes on, stay as they are. Returns the session, undefined without one; throws conflict for one that is completed, or that has neither
 * speech, a recording nor a summary.
 */
export async function retrySession({ db, jobs, clock }: Retrying, userId: string, sessionId: string) {
  return await db.transaction(async tx => {
    const known = await retry(tx, { jobs, clock }, userId, sessionId)
    return known ? await findWhole(tx, userId, sessionId) : undefined
  })
}

async function retry(tx: Db, { jobs, clock }: Omit<Retrying, 'db'>, userId: string, sessionId: string) {
  const session = await lockSession(tx, userId, sessionId)
  if (!session) return false
  if (session.state === 'processing') {
    const lost = !session.phone?.ongoing && !(await jobs.findSessionJobs(tx, [sessionId])).get(sessionId)?.live
    if (lost) await jobs.enqueue(tx, 'process-session', { userId, sessionId })
    return true
  }
  if (session.state === 'completed') throw new ApiError('conflict', 'The session is completed; there is nothing to try again')
  const found = await findForProcessing(tx, userId, sessionId)
  const elsewhere = session.audioUrl !== null || session.videoUrl !== null
  if (!found?.segments.length && session.summary === null && !elsewhere && !(await findRecording(tx, userId, sessionId))) {
    throw new ApiError('conflict', 'There is nothing to process: nothing was said')
  }
  await updateSession(tx, userId, sessionId, { state: 'processing', failure: null, updatedAt: clock.now() })
  await jobs.enqueue(tx, 'process-session', { userId, sessionId })
  return true
}

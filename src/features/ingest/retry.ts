import type { SessionAccepted } from '../../contract/session-accepted.ts'
import { ApiError, throwNotFound } from '../../platform/core/api-error.ts'
import { sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { operation } from '../access/operation.ts'
import { findAdminSession } from '../library/admin-sessions.ts'
import { recordFailure } from '../library/record-change.ts'
import { isLiveCall, lockSession, type SessionKey, updateSessionRow } from '../library/session-row.ts'
import type { Needs } from '../services.ts'
import { toAccepted } from '../sessions/accepted.ts'
import type { Pipeline } from './pipeline.ts'
import { findForProcessing, findRecording, lockProcessing } from './queries.ts'

type Retrying = Needs<'db' | 'jobs' | 'clock'>

/**
 * Processes a failed session again, or a processing one that lost its job. Live calls and sessions with a job stay. Throws conflict for a
 * completed session, and for one without speech, recording and summary.
 */
export const retrySession = operation(
  'retrySession',
  async ({ db, ...services }: Retrying, actor, sessionId: string): Promise<SessionAccepted> => {
    const { userId } = actor
    return await db.transaction(async tx => {
      await retry(tx, services, userId, sessionId)
      return toAccepted(await findAdminSession(tx, userId, sessionId))
    })
  }
)

async function retry(tx: Db, { jobs, clock }: Omit<Retrying, 'db'>, userId: string, sessionId: string) {
  const session = await lockSession(tx, userId, sessionId)
  if (!session) throwNotFound('Session')
  if (session.state === 'processing') {
    const lost = !(await jobs.findSessionJobs(tx, [sessionId])).get(sessionId)?.live
    if (lost && !(await isLiveCall(tx, userId, session))) {
      await updateSessionRow(tx, userId, sessionId, { openAttempts: 0, updatedAt: session.updatedAt })
      await jobs.enqueue(tx, 'process-session', { userId, sessionId })
    }
    return
  }
  if (session.state === 'completed') throw new ApiError('conflict', 'The session is already completed')
  const found = await findForProcessing(tx, userId, sessionId)
  const elsewhere = session.audioUrl !== null || session.videoUrl !== null
  if (
    !found?.segments.length &&
    session.summary === null &&
    !elsewhere &&
    !(await findRecording(tx, userId, sessionId))
  ) {
    throw new ApiError('conflict', 'The session has no speech to process')
  }
  const change = {
    state: 'processing',
    failure: null,
    shownFailure: null,
    openAttempts: 0,
    updatedAt: clock.now()
  } as const
  await updateSessionRow(tx, userId, sessionId, change)
  await jobs.enqueue(tx, 'process-session', { userId, sessionId })
}

type Requeuer = Retrying & Pick<Pipeline, 'onFailure'>

const PAGE = 1_000
/** The session fails after this number of failed jobs within a day: its processing may kill the process. */
const MAX_FAILED_JOBS = 2

const INTERRUPTED = 'Processing was interrupted too often; find what stops the server, then retry the session'

/**
 * Enqueues every processing session that lost its job, for example because its process was killed. Live calls have no job. Safe to
 * repeat and to run concurrently. Returns how many it enqueued.
 */
export async function requeueSessions(tools: Requeuer, signal: AbortSignal): Promise<number> {
  const { db, jobs } = tools
  let requeued = 0
  let after: SessionKey | undefined = { userId: '', sessionId: '' }
  while (after && !signal.aborted) {
    const page: SessionKey[] = await listProcessing(db, after)
    const known = await jobs.findSessionJobs(
      db,
      page.map(({ sessionId }) => sessionId)
    )
    for (const place of page) {
      if (signal.aborted) break
      if (!known.get(place.sessionId)?.live && (await requeueSession(tools, place))) requeued++
    }
    after = page.length === PAGE ? page.at(-1) : undefined
  }
  return requeued
}

async function listProcessing(db: Db, { userId, sessionId }: SessionKey): Promise<SessionKey[]> {
  const { rows } = await db.execute<{ user_id: string; session_id: string }>(sql`
    select user_id, session_id from sessions
    where state = 'processing' and (user_id, session_id) > (${userId}, ${sessionId})
    order by user_id, session_id limit ${PAGE}`)
  return rows.map(row => ({ userId: row.user_id, sessionId: row.session_id }))
}

/** Checks again under the lock: another process may have completed or enqueued the session. */
async function requeueSession({ db, jobs, clock, onFailure }: Requeuer, { userId, sessionId }: SessionKey) {
  const outcome = await db.transaction(async tx => {
    const session = await lockProcessing(tx, userId, sessionId)
    if (!session || (await isLiveCall(tx, userId, session))) return 'left'
    const { live = false, failed = 0 } = (await jobs.findSessionJobs(tx, [sessionId])).get(sessionId) ?? {}
    if (live) return 'left'
    if (failed >= MAX_FAILED_JOBS) {
      await recordFailure(tx, userId, session, { failure: INTERRUPTED, updatedAt: clock.now() })
      return 'failed'
    }
    await jobs.enqueue(tx, 'process-session', { userId, sessionId })
    return 'requeued'
  })
  if (outcome === 'failed') onFailure(sessionId, INTERRUPTED)
  return outcome === 'requeued'
}

import { sql } from '../db/drizzle.ts'
import type { Db } from '../db/open.ts'
import type { Pipeline } from './pipeline.ts'
import { lockProcessing, updateSession } from './queries.ts'
import type { Retrying } from './retry.ts'

type Tools = Retrying & Pick<Pipeline, 'onFailure'>

interface Place {
  userId: string
  sessionId: string
}

/** Sessions read with one statement. */
const PAGE = 1_000
/** A session whose jobs were given up so often within a day is failed: one that ends every process must not go on for ever. */
const MAX_FAILED_JOBS = 2

const INTERRUPTED = 'Processing was interrupted too often; retry the session, and look for what ends the server'

/**
 * Enqueues every session again that is processing and has no job: its last attempt was killed, or the queue was lost. Calls that go on
 * have none. Safe to repeat and to run beside another. Returns how many sessions it enqueued.
 */
export async function requeueSessions(tools: Tools, signal: AbortSignal): Promise<number> {
  const { db, jobs } = tools
  let requeued = 0
  let after: Place | undefined = { userId: '', sessionId: '' }
  while (after && !signal.aborted) {
    const page: Place[] = await listProcessing(db, after)
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

async function listProcessing(db: Db, { userId, sessionId }: Place): Promise<Place[]> {
  const { rows } = await db.execute<{ user_id: string; session_id: string }>(sql`
    select user_id, session_id from sessions
    where state = 'processing' and (phone->>'ongoing')::boolean is not true and (user_id, session_id) > (${userId}, ${sessionId})
    order by user_id, session_id limit ${PAGE}`)
  return rows.map(row => ({ userId: row.user_id, sessionId: row.session_id }))
}

/** Looks again under the session's lock: it may have been completed, or enqueued by somebody else, since it was listed. */
async function requeueSession({ db, jobs, clock, onFailure }: Tools, { userId, sessionId }: Place) {
  const outcome = await db.transaction(async tx => {
    const session = await lockProcessing(tx, userId, sessionId)
    if (!session || session.phone?.ongoing) return 'left'
    const { live = false, failed = 0 } = (await jobs.findSessionJobs(tx, [sessionId])).get(sessionId) ?? {}
    if (live) return 'left'
    if (failed >= MAX_FAILED_JOBS) {
      await updateSession(tx, userId, sessionId, { state: 'failed', failure: INTERRUPTED, updatedAt: clock.now() })
      return 'failed'
    }
    await jobs.enqueue(tx, 'process-session', { userId, sessionId })
    return 'requeued'
  })
  if (outcome === 'failed') onFailure(sessionId, INTERRUPTED)
  return outcome === 'requeued'
}

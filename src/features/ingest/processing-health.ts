import { sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { readInTime } from '../../platform/db/read-in-time.ts'
import type { QueueState } from '../../platform/jobs/job-counts.ts'
import type { Needs } from '../services.ts'

/** Counting stops here: an operator needs no exact number of a backlog of this size. */
export const MAX_COUNTED = 10_000

export interface ProcessingHealth {
  /** The sessions that are processed or wait for it, at most MAX_COUNTED. */
  sessions: number
  /** The creation of the oldest of them. Null if there are none. */
  since: Date | null
  queues: QueueState
}

/** Counts the sessions of all users that are not processed yet, and the background jobs. Undefined if that takes too long. */
export async function getProcessingHealth({ db, jobs }: Needs<'db' | 'jobs'>): Promise<ProcessingHealth | undefined> {
  return await readInTime(db, async tx => {
    const counted = await countProcessing(tx)
    return { ...counted, queues: await jobs.inspectQueues(tx) }
  })
}

async function countProcessing(db: Db) {
  const { rows } = await db.execute<{ sessions: number; since: string | null }>(sql`
    select count(*)::int as sessions, min(created_at) as since
    from (select created_at from sessions where state = 'processing' limit ${MAX_COUNTED}) processing`)
  const { sessions = 0, since = null } = rows[0] ?? {}
  return { sessions, since: since === null ? null : new Date(since) }
}

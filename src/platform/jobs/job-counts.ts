import { sql } from '../db/drizzle.ts'
import type { Db } from '../db/open.ts'

/** Completed jobs are left out, because they are many and show nothing. */
export const JOBS = `
  select name as queue, state::text as state, count(*) as jobs, min(created_on) as since
  from pgboss.job where state <> 'completed' group by 1, 2`

/** The jobs of one queue in one state. */
interface JobCount {
  queue: string
  state: string
  jobs: number
  /** The time at which the oldest of them was enqueued. */
  since: Date
}

/** The jobs that are not done, and the reasons for which sessions wait for another attempt. */
export interface QueueState {
  counts: JobCount[]
  reasons: { reason: string; jobs: number }[]
}

export async function inspectQueues(db: Db): Promise<QueueState> {
  return { counts: await countJobs(db), reasons: await findRetryReasons(db) }
}

async function countJobs(db: Db): Promise<JobCount[]> {
  const { rows } = await db.execute<{ queue: string; state: string; jobs: string; since: string }>(sql.raw(JOBS))
  return rows.map(({ jobs, since, ...row }) => ({ ...row, jobs: Number(jobs), since: new Date(since) }))
}

const MAX_WAITING = 1_000
const MAX_REASONS = 3

/** Returns the most frequent errors after which sessions wait for another attempt, as when a provider does not answer. */
async function findRetryReasons(db: Db): Promise<QueueState['reasons']> {
  const { rows } = await db.execute<{ reason: string; jobs: number }>(sql`
    select coalesce(output->>'message', '') as reason, count(*)::int as jobs
    from (select output from pgboss.job where name = 'process-session' and state = 'retry' limit ${MAX_WAITING}) waiting
    group by 1 order by 2 desc, 1 limit ${MAX_REASONS}`)
  return rows
}

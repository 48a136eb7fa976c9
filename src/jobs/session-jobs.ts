import { sql } from '../db/drizzle.ts'
import type { Db } from '../db/open.ts'

export interface SessionJobs {
  /** Whether a job of the session waits, waits for its next attempt, or runs. */
  live: boolean
  /** How many jobs of the session ended without an attempt that succeeded. Kept for a day. */
  failed: number
}

/** What the queue holds for processing those sessions, by session; nothing of one without jobs. */
export async function findSessionJobs(db: Db, sessionIds: string[]): Promise<Map<string, SessionJobs>> {
  const { rows } = await db.execute<{ id: string; live: boolean; failed: number }>(sql`
    select data->>'sessionId' as id, bool_or(state <= 'active') as live, count(*) filter (where state = 'failed')::int as failed
    from pgboss.job where name = 'process-session' and data->>'sessionId' = any(${sql.param(sessionIds)}::text[]) group by 1`)
  return new Map(rows.map(({ id, live, failed }) => [id, { live, failed }]))
}

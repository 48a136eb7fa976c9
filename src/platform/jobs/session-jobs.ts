import { sql } from '../db/drizzle.ts'
import type { Db } from '../db/open.ts'

export interface SessionJobs {
  /** True if a job of the session waits for an attempt or runs. */
  live: boolean
  /** The number of the session's jobs whose attempts all failed, within the last day. */
  failed: number
}

/** The jobs that process those sessions, by session. A session without jobs has no entry. */
export async function findSessionJobs(db: Db, sessionIds: string[]): Promise<Map<string, SessionJobs>> {
  const { rows } = await db.execute<{ id: string; live: boolean; failed: number }>(sql`
    select data->>'sessionId' as id, bool_or(state <= 'active') as live, count(*) filter (where state = 'failed')::int as failed
    from pgboss.job where name = 'process-session' and data->>'sessionId' = any(${sql.param(sessionIds)}::text[]) group by 1`)
  return new Map(rows.map(({ id, live, failed }) => [id, { live, failed }]))
}

import { sql } from '../db/drizzle.ts'
import type { Queryable } from '../db/open.ts'

/** Returns the segments as JSON with the title; no segments while there is no transcript. Undefined if there is no such session. */
export async function findTranscript(db: Queryable, userId: string, sessionId: string) {
  const [row] = await db.query<{ title: string; segments: string }>(sql`
    select s.title, coalesce(t.segments, '[]')::text as segments from sessions s
    left join transcripts t on t.user_id = ${userId} and t.session_id = s.session_id
    where s.user_id = ${userId} and s.session_id = ${sessionId} and s.state <> 'deleted'`)
  return row
}

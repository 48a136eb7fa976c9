import { sql } from '../../platform/db/drizzle.ts'
import type { Queryable } from '../../platform/db/open.ts'
import { BRIEF_BEGINNING, toBrief } from '../../platform/text/brief.ts'

/** The characters of a brief. */
const SHOWN = 240

/** Returns the id and the beginning of the summary of each session that has one. */
export async function selectBriefs(db: Queryable, userId: string, sessionIds: string[]) {
  const rows = await db.query<{ id: string; beginning: string }>(sql`
    select session_id as id, left(summary, ${BRIEF_BEGINNING}::int) as beginning from sessions
    where user_id = ${userId} and session_id = any(${sql.param(sessionIds)}::text[]) and state <> 'deleted' and summary <> ''`)
  return rows.map(({ id, beginning }): [string, string] => [id, toBrief(beginning, SHOWN)])
}

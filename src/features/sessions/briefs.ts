import { sql } from '../../platform/db/drizzle.ts'
import type { Queryable } from '../../platform/db/open.ts'

/** The characters of a summary that are read, and those of them that are shown. */
const READ = 600
const SHOWN = 240

/** Returns the id and the beginning of the summary of each session that has one. */
export async function selectBriefs(db: Queryable, userId: string, sessionIds: string[]) {
  const rows = await db.query<{ id: string; beginning: string }>(sql`
    select session_id as id, left(summary, ${READ}::int) as beginning from sessions
    where user_id = ${userId} and session_id = any(${sql.param(sessionIds)}::text[]) and state <> 'deleted' and summary <> ''`)
  return rows.map(({ id, beginning }): [string, string] => [id, toBrief(beginning)])
}

/** The first words of a summary on one line, without its headings. */
function toBrief(markdown: string) {
  const lines = markdown.split('\n').map(line => line.trim())
  const words = lines.filter(line => line !== '' && !line.startsWith('#')).join(' ')
  const text = words === '' ? lines.join(' ').trim() : words
  if (text.length <= SHOWN) return text
  const end = text.lastIndexOf(' ', SHOWN - 1)
  return `${text.slice(0, end > SHOWN / 2 ? end : SHOWN - 1).toWellFormed()}…`
}

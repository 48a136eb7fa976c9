import { sql } from '../../platform/db/drizzle.ts'
import { BRIEF_BEGINNING, toBrief } from '../../platform/text/brief.ts'
import { operation } from '../access/operation.ts'
import type { Services } from '../services.ts'

/** The characters of a summary that a row has room for. */
const MAX_BRIEF = 160

export interface SessionLabels {
  tags: string[]
  folders: { id: string; name: string }[]
  favorite: boolean
  /** The first words of the summary. Null without one. */
  brief: string | null
}

/**
 * Returns what a row of a list has besides the session itself, by the id of the session: tags, folders, whether it is a favourite, and how its summary
 * begins. One statement, because a list waits for it. Unknown sessions are left out.
 */
export const listSessionLabels = operation(
  'listSessionLabels',
  async ({ db }: Pick<Services, 'db'>, actor, sessionIds: readonly string[]): Promise<Map<string, SessionLabels>> => {
    const { userId } = actor
    const rows = await db.query<SessionLabels & { id: string }>(sql`
    select s.session_id as id, s.tags, s.favorite, left(s.summary, ${BRIEF_BEGINNING}::int) as brief, (
      select coalesce(jsonb_agg(jsonb_build_object('id', f.folder_id, 'name', f.name) order by f.name_key), '[]')
      from folder_sessions m join folders f on f.user_id = ${userId} and f.folder_id = m.folder_id
      where m.user_id = ${userId} and m.session_id = s.session_id
    ) as folders
    from sessions s where s.user_id = ${userId} and s.session_id = any(${sql.param([...sessionIds])}::text[])`)
    return new Map(
      rows.map(({ id, brief, ...labels }) => [id, { ...labels, brief: brief ? toBrief(brief, MAX_BRIEF) : null }])
    )
  }
)

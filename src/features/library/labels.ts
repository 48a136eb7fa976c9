import { sql } from '../../platform/db/drizzle.ts'
import { operation } from '../access/operation.ts'
import type { Services } from '../services.ts'

export interface SessionLabels {
  tags: string[]
  folders: { id: string; name: string }[]
  favorite: boolean
}

/** Returns the tags of sessions, the folders that they are in, and whether they are favourites, by the id of the session. Unknown sessions are left out. */
export const listSessionLabels = operation(
  'listSessionLabels',
  async ({ db }: Pick<Services, 'db'>, actor, sessionIds: readonly string[]): Promise<Map<string, SessionLabels>> => {
    const { userId } = actor
    const rows = await db.query<SessionLabels & { id: string }>(sql`
    select s.session_id as id, s.tags, s.favorite, (
      select coalesce(jsonb_agg(jsonb_build_object('id', f.folder_id, 'name', f.name) order by f.name_key), '[]')
      from folder_sessions m join folders f on f.user_id = ${userId} and f.folder_id = m.folder_id
      where m.user_id = ${userId} and m.session_id = s.session_id
    ) as folders
    from sessions s where s.user_id = ${userId} and s.session_id = any(${sql.param([...sessionIds])}::text[])`)
    return new Map(rows.map(({ id, ...labels }) => [id, labels]))
  }
)

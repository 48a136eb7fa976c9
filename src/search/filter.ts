import { type SQL, sql } from '../db/drizzle.ts'

export interface Filter {
  type?: string | undefined
  since?: string | undefined
  until?: string | undefined
  folderId?: string | undefined
  personId?: string | undefined
  tags?: { mode: 'any' | 'all'; names: string[] } | undefined
}

export function isFiltered(filter: Filter) {
  return Object.values(filter).some(value => value !== undefined)
}

/** The completed sessions that the filter leaves; undefined where it is empty. */
export function allowedSessions(userId: string, filter: Filter): SQL | undefined {
  if (!isFiltered(filter)) return undefined
  const { type, since, until, folderId, personId, tags } = filter
  const member = (table: SQL, condition: SQL) =>
    sql` and exists (select from ${table} m where m.user_id = ${userId} and m.${condition} and m.session_id = s.session_id)`
  return sql.join([
    sql`select s.session_id from sessions s where s.user_id = ${userId} and s.state = 'completed'`,
    ...(type === undefined ? [] : [sql` and s.type = ${type}`]),
    ...(since === undefined ? [] : [sql` and s.sort_at >= ${since}::timestamptz`]),
    ...(until === undefined ? [] : [sql` and s.sort_at < ${until}::timestamptz`]),
    ...(folderId === undefined ? [] : [member(sql`folder_sessions`, sql`folder_id = ${folderId}`)]),
    ...(personId === undefined ? [] : [member(sql`session_people`, sql`person_id = ${personId}`)]),
    ...(tags ? [sql` and s.tags ${tags.mode === 'all' ? sql`@>` : sql`&&`} ${sql.param(tags.names)}::text[]`] : [])
  ])
}

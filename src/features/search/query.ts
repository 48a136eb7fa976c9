import type { Interpretation } from '../../contract/search.ts'
import { type SQL, sql } from '../../platform/db/drizzle.ts'
import type { Queryable } from '../../platform/db/open.ts'
import { localDay } from '../../platform/text/calendar-day.ts'
import { instantOf } from '../../platform/text/wall-time.ts'
import { plainWordsOf } from '../../platform/text/words.ts'
import { findNamed, type Name } from './named-person.ts'
import { findPeriod, MAX_QUESTION } from './period.ts'

export interface Filter {
  type?: string | undefined
  since?: string | null | undefined
  until?: string | null | undefined
  folderId?: string | undefined
  personId?: string | undefined
  tags?: { mode: 'any' | 'all'; names: string[] } | undefined
}

/** Returns the completed sessions that pass the filter. Undefined for an empty filter. */
export function allowedSessions(userId: string, filter: Filter): SQL | undefined {
  const { type, since, until, folderId, personId, tags } = filter
  const member = (table: SQL, condition: SQL) =>
    sql`and exists (select from ${table} m where m.user_id = ${userId} and m.${condition} and m.session_id = s.session_id)`
  const conditions = [
    type && sql`and s.type = ${type}`,
    since && sql`and s.sort_at >= ${since}::timestamptz`,
    until && sql`and s.sort_at < ${until}::timestamptz`,
    folderId && member(sql`folder_sessions`, sql`folder_id = ${folderId}`),
    personId && member(sql`session_people`, sql`person_id = ${personId}`),
    tags && sql`and s.tags ${tags.mode === 'all' ? sql`@>` : sql`&&`} ${sql.param(tags.names)}::text[]`
  ].filter(condition => !!condition)
  if (conditions.length === 0) return undefined
  return sql`select s.session_id from sessions s where s.user_id = ${userId} and s.state = 'completed' ${sql.join(conditions, sql` `)}`
}

/** The sessions that become candidates because they are in the period and have the person. */
const MAX_MEANT = 50

/** The person and the period of a query, and how much the person counts beside the period. */
interface Understood {
  meaning: Interpretation
  personWeight: number
}

/** A part of a name without a word such as "said" or "with" may be that of another person, who is only mentioned. */
const UNSURE_WEIGHT = 0.1

/** Finds the person of the owner's library and the period that a query names. Undefined if it names neither. */
export async function interpretQuery(
  db: Queryable,
  userId: string,
  text: string,
  now: Date
): Promise<Understood | undefined> {
  const query = text.normalize('NFC')
  if (query.length > MAX_QUESTION) return undefined
  const [user] = await db.query<{ zone: string; names: Name[] | null }>(sql`
    select time_zone as zone, (
      select jsonb_agg(jsonb_build_object('id', p.person_id, 'name', p.name, 'known', k.name))
      from people k join people p on p.user_id = ${userId} and p.person_id = coalesce(k.merged_into, k.person_id)
      where k.user_id = ${userId} and (p.saved or p.is_me or p.recording_count > 0)
        and (regexp_split_to_array(lower(k.name), '[^a-z0-9]+') && ${sql.param(plainWordsOf(query))}::text[] or k.name ~ '[^ -~]')
    ) as names from users where user_id = ${userId}`)
  if (!user) return undefined
  const period = findPeriod(query, localDay(now, user.zone))
  const person = findNamed(query, user.names ?? [], period)
  if (!period && !person) return undefined
  const instant = (day: string | null = null) =>
    day && instantOf({ text: `${day}T00:00:00`, utc: false }, user.zone).toISOString()
  const bounds = { since: instant(period?.since), until: instant(period?.until) }
  return {
    meaning: { person: person ? { id: person.id, name: person.name } : null, ...bounds },
    personWeight: person?.isSure ? 1 : UNSURE_WEIGHT
  }
}

/** The newest sessions that have the person and are in the period. */
export async function listInterpreted(
  db: Queryable,
  userId: string,
  { person, since, until }: Interpretation,
  allowed: SQL | undefined
): Promise<string[]> {
  const meant = allowedSessions(userId, { personId: person?.id, since, until })
  const rows = await db.query<{ sessionId: string }>(sql`
    select session_id as "sessionId" from sessions where user_id = ${userId} and session_id in (${meant})
    ${allowed && sql`and session_id in (${allowed})`} order by sort_at desc limit ${MAX_MEANT}`)
  return rows.map(({ sessionId }) => sessionId)
}

/** How much the session `c` has of the two: the person takes part in it, and it is in the period. */
export function countMeant(userId: string, { meaning, personWeight }: Understood): SQL {
  const { person, since, until } = meaning
  const parts = [
    { sessions: allowedSessions(userId, { personId: person?.id }), weight: personWeight },
    { sessions: allowedSessions(userId, { since, until }), weight: 1 }
  ]
  const counts = parts.flatMap(({ sessions, weight }) =>
    sessions ? sql`(exists (${sessions} and s.session_id = c.session_id))::integer * ${weight}::float8` : []
  )
  return sql.join(counts, sql` + `)
}

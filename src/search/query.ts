import { LIMITS } from '../contract/limits.ts'
import type { Interpretation } from '../contract/search.ts'
import { localDay } from '../core/calendar-day.ts'
import { findNamed, type Name } from '../core/named-person.ts'
import { findPeriod, MAX_QUESTION } from '../core/period.ts'
import { findPhrase } from '../core/quoted-phrases.ts'
import { instantOf } from '../core/wall-time.ts'
import { plainWordsOf, wordsOf } from '../core/words.ts'
import { type SQL, sql } from '../db/drizzle.ts'
import type { Queryable } from '../db/open.ts'
import type { Terms } from '../search-index/terms.ts'

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

/** A text longer than a snippet is shown from this much before a phrase, from the start of a word unless that is further away. */
const CONTEXT_CHARACTERS = 60
const MAX_WORD_CHARACTERS = 40

/** The quoted phrases that a text has, and the text, from shortly before the first of them where it is too long to show whole. */
export function quotedIn(text: string, phrases: readonly string[]) {
  const found = phrases.map(phrase => ({ phrase, at: findPhrase(text, phrase) })).filter(({ at }) => at !== undefined)
  const context = (found[0]?.at ?? 0) - CONTEXT_CHARACTERS
  const from =
    text.length <= LIMITS.snippet ? 0 : Math.max(text.lastIndexOf(' ', context) + 1, context - MAX_WORD_CHARACTERS)
  return {
    phrases: found.map(({ phrase }) => `"${phrase}"`),
    text: from > 0 ? `…${text.slice(from).replace(/^\p{Cs}/u, '')}` : text
  }
}

/** The maximum number of places that are read for a phrase: those with all its terms where the terms count most. */
const MAX_PLACES = 2_000

/** A place of a quoted phrase: a passage of a session, or its title, notes or summary, which have no ordinal. */
export interface QuotedPlace {
  sessionId: string
  ordinal: number | null
  phrase: string
}

/** Finds the places of quoted phrases, by session, by the terms that their words have without marks. A phrase of stop words only is ordinary text. */
export async function findQuoted(
  db: Queryable,
  userId: string,
  phrases: readonly string[],
  stems: readonly Terms[],
  allowed: SQL | undefined
): Promise<ReadonlyMap<string, QuotedPlace[]>> {
  const asked = phrases.flatMap(phrase =>
    stems.map(terms => ({
      phrase,
      terms: [...new Set(wordsOf(phrase).flatMap(word => terms.get(word)?.at(-1) ?? []))]
    }))
  )
  const find = async ({ phrase, terms }: (typeof asked)[number]): Promise<QuotedPlace[]> => {
    if (terms.length === 0) return []
    const places = await db.query<{ sessionId: string; ordinal: number | null; text: string }>(sql`
      with places as materialized (
        select session_id, ordinal from search_terms t cross join lateral unnest(
          case part when 'said' then ordinals else '{null}' end, case part when 'said' then weights else array[most] end
        ) as p(ordinal, weight)
        where user_id = ${userId} and term = any(${sql.param(terms)}::text[]) ${allowed && sql`and session_id in (${allowed})`}
        group by session_id, part, ordinal having count(*) = ${terms.length}::int order by sum(weight) desc limit ${MAX_PLACES}
      )
      select s.session_id as "sessionId", p.ordinal, coalesce(c.text, concat_ws(E'\n', title, notes, summary)) as text
      from places p join sessions s on s.user_id = ${userId} and s.session_id = p.session_id and s.state = 'completed'
      left join passages c on c.user_id = ${userId} and c.session_id = p.session_id and c.ordinal = p.ordinal`)
    return places
      .filter(({ text }) => findPhrase(text, phrase) !== undefined)
      .map(({ sessionId, ordinal }) => ({ sessionId, ordinal, phrase }))
  }
  const places = await Promise.all(asked.map(find))
  return Map.groupBy(places.flat(), ({ sessionId }) => sessionId)
}

/** The sessions that become candidates because they are in the period and have the person. */
const MAX_MEANT = 50

/** Finds the person of the owner's library and the period that a query names. Undefined if it names neither. */
export async function interpretQuery(
  db: Queryable,
  userId: string,
  text: string,
  now: Date
): Promise<Interpretation | undefined> {
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
  return { person: person ?? null, since: instant(period?.since), until: instant(period?.until) }
}

/** The newest sessions that have the person and are in the period. */
export async function listMeant(
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

/** How many of the two hold for the session `c`: the person takes part in it, and it is in the period. */
export function countMeant(userId: string, { person, since, until }: Interpretation): SQL {
  const parts = [allowedSessions(userId, { personId: person?.id }), allowedSessions(userId, { since, until })]
  const counts = parts
    .filter(part => !!part)
    .map(part => sql`(exists (${part} and s.session_id = c.session_id))::integer`)
  return sql.join(counts, sql` + `)
}

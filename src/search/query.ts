import { LIMITS } from '../contract/limits.ts'
import type { Interpretation } from '../contract/search.ts'
import { localDay } from '../core/calendar-day.ts'
import { findNamed, type Name } from '../core/named-person.ts'
import { findPeriod, MAX_QUESTION } from '../core/period.ts'
import { instantOf } from '../core/wall-time.ts'
import { stripMarks, wordsOf } from '../core/words.ts'
import { type SQL, sql } from '../db/drizzle.ts'
import type { Queryable } from '../db/open.ts'
import type { Stems } from './query-terms.ts'

export interface Filter {
  type?: string | undefined
  since?: string | undefined
  until?: string | undefined
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
    type !== undefined && sql`and s.type = ${type}`,
    since !== undefined && sql`and s.sort_at >= ${since}::timestamptz`,
    until !== undefined && sql`and s.sort_at < ${until}::timestamptz`,
    folderId !== undefined && member(sql`folder_sessions`, sql`folder_id = ${folderId}`),
    personId !== undefined && member(sql`session_people`, sql`person_id = ${personId}`),
    tags && sql`and s.tags ${tags.mode === 'all' ? sql`@>` : sql`&&`} ${sql.param(tags.names)}::text[]`
  ].filter(condition => condition !== undefined && condition !== false)
  if (conditions.length === 0) return undefined
  return sql`select s.session_id from sessions s where s.user_id = ${userId} and s.state = 'completed' ${sql.join(conditions, sql` `)}`
}

/** The quoted phrases of a query that are looked for; more of them, and longer ones, are ordinary text. */
const MAX_PHRASES = 4
const MAX_PHRASE_WORDS = 32
const QUOTED = /(?<![\p{L}\p{N}])"([^"]+)"(?![\p{L}\p{N}])|“([^“”]+)”|„([^„“”]+)[“”]|«([^«»]+)»|»([^«»]+)«|「([^「」]+)」|『([^『』]+)』/gu

/** The quoted phrases of a query. */
export function phrasesOf(query: string): string[] {
  return [...query.matchAll(QUOTED)]
    .map(([, ...quoted]) => quoted.find(text => text !== undefined) ?? '')
    .filter(phrase => plainWords(phrase).length > 0 && plainWords(phrase).length <= MAX_PHRASE_WORDS)
    .slice(0, MAX_PHRASES)
}

/** The place where the words of a phrase follow each other in a text, without case and marks. Undefined if they do not. */
export function findPhrase(text: string, phrase: string): number | undefined {
  const words = [...text.matchAll(/[\p{L}\p{N}][\p{L}\p{M}\p{N}]*/gu)].flatMap(({ 0: word, index }) =>
    plainWords(word).map((plain, at) => ({ plain, index: index + at }))
  )
  const wanted = plainWords(phrase)
  return words.find((_, at) => wanted.every((word, next) => words[at + next]?.plain === word))?.index
}

/** A text longer than a snippet is shown from this much before a phrase, from the start of a word unless that is further away. */
const CONTEXT_CHARACTERS = 60
const MAX_WORD_CHARACTERS = 40

/** The quoted phrases that a text has, and the text, from shortly before the first of them where it is too long to show whole. */
export function quotedIn(text: string, phrases: readonly string[]) {
  const found = phrases.map(phrase => ({ phrase, at: findPhrase(text, phrase) })).filter(({ at }) => at !== undefined)
  const context = (found[0]?.at ?? 0) - CONTEXT_CHARACTERS
  const from = text.length <= LIMITS.snippet ? 0 : Math.max(text.lastIndexOf(' ', context) + 1, context - MAX_WORD_CHARACTERS)
  return { phrases: found.map(({ phrase }) => `"${phrase}"`), text: from > 0 ? `…${text.slice(from).replace(/^\p{Cs}/u, '')}` : text }
}

/** The maximum number of places that are read for a phrase: those with all its terms where the terms count most. */
const MAX_PLACES = 2_000

/** The quoted phrases that a session has in a passage, its title, notes or summary. */
export interface Quoted {
  phrases: Set<string>
  /** The passages that have one. */
  ordinals: Set<number>
}

/** Finds the sessions that have quoted phrases, by the terms that their words have without marks. A phrase of stop words only is ordinary text. */
export async function findQuoted(
  db: Queryable,
  userId: string,
  phrases: readonly string[],
  stems: Stems,
  allowed: SQL | undefined
): Promise<Map<string, Quoted>> {
  const quoted = new Map<string, Quoted>()
  const asked = phrases.flatMap(phrase =>
    stems.map(terms => ({ phrase, terms: [...new Set(wordsOf(phrase).flatMap(word => terms.get(word)?.at(-1) ?? []))] }))
  )
  const find = async ({ phrase, terms }: (typeof asked)[number]) => {
    if (terms.length === 0) return
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
      left join chunks c on c.user_id = ${userId} and c.session_id = p.session_id and c.ordinal = p.ordinal`)
    for (const { sessionId, ordinal } of places.filter(({ text }) => findPhrase(text, phrase) !== undefined)) {
      const before = quoted.get(sessionId) ?? { phrases: new Set(), ordinals: new Set() }
      quoted.set(sessionId, {
        phrases: before.phrases.add(phrase),
        ordinals: ordinal === null ? before.ordinals : before.ordinals.add(ordinal)
      })
    }
  }
  await Promise.all(asked.map(find))
  return quoted
}

function plainWords(text: string) {
  return wordsOf(text).map(stripMarks)
}

/** The sessions that become candidates because they are in the period and have the person. */
const MAX_MEANT = 50

/** Finds the person of the owner's library and the period that a query names. Undefined if it names neither. */
export async function interpretQuery(db: Queryable, userId: string, text: string, now: Date): Promise<Interpretation | undefined> {
  const query = text.normalize('NFC')
  if (query.length > MAX_QUESTION) return undefined
  const [user] = await db.query<{ zone: string; names: Name[] | null }>(sql`
    select time_zone as zone, (
      select jsonb_agg(jsonb_build_object('id', p.person_id, 'name', p.name, 'known', k.name))
      from people k join people p on p.user_id = ${userId} and p.person_id = coalesce(k.merged_into, k.person_id)
      where k.user_id = ${userId} and (p.saved or p.is_me or p.recording_count > 0)
        and (regexp_split_to_array(lower(k.name), '[^a-z0-9]+') && ${sql.param(plainWords(query))}::text[] or k.name ~ '[^ -~]')
    ) as names from users where user_id = ${userId}`)
  if (!user) return undefined
  const period = findPeriod(query, localDay(now, user.zone))
  const person = findNamed(query, user.names ?? [], period)
  if (!period && !person) return undefined
  const instant = (day: string | null = null) => day && instantOf({ text: `${day}T00:00:00`, utc: false }, user.zone).toISOString()
  return { person: person ?? null, since: instant(period?.since), until: instant(period?.until) }
}

/** The newest sessions that have the person and are in the period. */
export async function listMeant(db: Queryable, userId: string, meant: Interpretation, allowed: SQL | undefined): Promise<string[]> {
  const rows = await db.query<{ sessionId: string }>(sql`
    select session_id as "sessionId" from sessions where user_id = ${userId} and session_id in (${allowedSessions(userId, toFilter(meant))})
    ${allowed && sql`and session_id in (${allowed})`} order by sort_at desc limit ${MAX_MEANT}`)
  return rows.map(({ sessionId }) => sessionId)
}

/** Returns for each session how many of the two hold: the person takes part in it, and it is in the period. */
export async function countMeant(db: Queryable, userId: string, { person, ...period }: Interpretation, sessionIds: readonly string[]) {
  const parts = [
    { person, since: null, until: null },
    { person: null, ...period }
  ].map(part => allowedSessions(userId, toFilter(part)))
  const counts = parts.filter(part => part !== undefined).map(part => sql`(exists (${part} and s.session_id = asked.session_id))::int`)
  const rows = await db.query<{ sessionId: string; count: number }>(sql`
    select session_id as "sessionId", ${sql.join(counts, sql` + `)} as count from unnest(${sql.param(sessionIds)}::text[]) as asked(session_id)`)
  return new Map(rows.map(({ sessionId, count }) => [sessionId, count]))
}

function toFilter({ person, since, until }: Interpretation): Filter {
  return { personId: person?.id, since: since ?? undefined, until: until ?? undefined }
}

import type { Interpretation } from '../../contract/search.ts'
import { type SQL, sql } from '../../platform/db/drizzle.ts'
import type { Queryable } from '../../platform/db/open.ts'
import { localDay } from '../../platform/text/calendar-day.ts'
import { foldLetters } from '../../platform/text/fold-letters.ts'
import { instantOf } from '../../platform/text/wall-time.ts'
import { plainWordsOf } from '../../platform/text/words.ts'
import { findPeriod, MAX_QUESTION, type Period } from './period.ts'

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

/** A name by which the owner's library knows a person. */
export interface Name {
  id: string
  name: string
  /** The name itself, or that of a person who was merged into this one. */
  known: string
}

/** Names that are months or days, and names that are other words. Beside a word such as "said" they are names. */
const CALENDAR = new Set(
  'january march april may june august monday tuesday wednesday thursday friday saturday sunday'.split(' ')
)
const OTHER_WORDS = new Set(
  `art bill chance chase dawn drew eve faith frank grace grant hope jack joy long major mark pat penny price ray rich rob rose sky sue will
  young`.split(/\s+/)
)
const BEFORE_NAME = new Set('did does has had hat dijo dit'.split(' '))
const AFTER_NAME = new Set(
  `s said says told tells thinks thought mentions mentioned meant wants wanted asks asked suggested promised explained agreed decided hat sagte
  meinte dijo`.split(/\s+/)
)
const PREPOSITIONS = new Set('by from with and von mit bei par avec de por con'.split(' '))
/** Words that may follow a name in small letters. Any other may be its last name. */
const AFTER_ALONE = new Set(
  `agree ask call decide do explain have like mean mention need plan promise say send suggest talk tell think want write
  about after and at before during for from in is last of on or over re regarding since the this to today was what when why with yesterday
  am der die das im letzte letzten über und vom zu zum zur avec dans de du en et la le les sur con del el los para por sobre y`.split(
    /\s+/
  )
)
const COMMON = new Set([...AFTER_ALONE, ...AFTER_NAME, ...BEFORE_NAME, ...PREPOSITIONS])
const WITHOUT_SPACES = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\s]+$/u

interface NamedPerson {
  id: string
  name: string
  /** True for a full name, and for a part of one beside a word such as "said" or "with". */
  isSure: boolean
}

/** Finds the one person whom a query names by the full, first or last name. Undefined for none or several. */
export function findNamed(
  query: string,
  names: readonly Name[],
  period: Pick<Period, 'start' | 'end'> | null
): NamedPerson | undefined {
  const words = wordsIn(query)
  const isSubject = (at: number) =>
    BEFORE_NAME.has(words[at - 1]?.key ?? '') || AFTER_NAME.has(words[at + 1]?.key ?? '')
  const isNamed = (at: number) => isSubject(at) || PREPOSITIONS.has(words[at - 1]?.key ?? '')
  const isName = (at: number) => {
    const { key = '', isCapital = false, index = 0 } = words[at] ?? {}
    if (period && index >= period.start && index < period.end) return false
    if (isSubject(at) || CALENDAR.has(key)) return isSubject(at)
    return OTHER_WORDS.has(key) ? isCapital && at > 0 : isCapital || isNamed(at)
  }
  /** True unless a neighbour may be the other part of a name that the library does not have: "Ada Byron" is not Ada Lovelace. */
  const isAlone = (at: number) => {
    const [before, here, after] = [words[at - 1], words[at], words[at + 1]]
    const isPeriod = after && period && after.index >= period.start && after.index < period.end
    // The O of O'Brien is no name.
    if (before?.isCapital && before.key.length > 1 && !COMMON.has(before.key)) return false
    if (!after || isPeriod || COMMON.has(after.key)) return true
    return !after.isCapital && here?.isCapital === true
  }
  const found = names.flatMap(({ id, name, known }) => {
    const keys = wordsIn(known).map(({ key }) => key)
    const whole = { id, name, from: 0, to: words.length, certainty: keys.length + 1, isSure: true }
    if (keys.length === 0) return []
    if (WITHOUT_SPACES.test(known)) return query.includes(known.replace(/\s/g, '')) ? [whole] : []
    return words.flatMap(({ key }, at) => {
      const isWhole = keys.every((part, next) => words[at + next]?.key === part)
      if (isWhole && keys.length > 1) return [{ ...whole, from: at, to: at + keys.length }]
      if (!(key === keys[0] || key === keys.at(-1)) || !isName(at) || !isAlone(at)) return []
      return [{ ...whole, from: at, to: at + 1, certainty: isWhole ? 2 : 1, isSure: isNamed(at) }]
    })
  })
  const [best, ...others] = found.toSorted((a, b) => b.certainty - a.certainty)
  if (!best) return undefined
  const isRival = ({ id, from, to, certainty }: typeof best) =>
    id !== best.id && (certainty === best.certainty || from >= best.to || to <= best.from)
  return others.some(isRival) ? undefined : { id: best.id, name: best.name, isSure: best.isSure }
}

function wordsIn(text: string) {
  return [...text.matchAll(/[\p{L}\p{N}][\p{L}\p{M}\p{N}-]*/gu)].map(({ 0: word, index }) => ({
    key: foldLetters(word.toLowerCase()),
    isCapital: /^\p{Lu}/u.test(word),
    index
  }))
}

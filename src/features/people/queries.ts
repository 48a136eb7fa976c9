import type { Person, PersonSession } from '../../contract/person.ts'
import { throwNotFound } from '../../platform/core/api-error.ts'
import { cutPage, readCursor } from '../../platform/core/page.ts'
import { sql } from '../../platform/db/drizzle.ts'
import { matches } from '../../platform/db/matches.ts'
import type { Db, Queryable } from '../../platform/db/open.ts'
import { sessionPeople } from '../../platform/db/schema/index.ts'
import { nameKey } from '../../platform/text/fold.ts'
import { IS_LISTED, PERSON_COLUMNS, toPerson } from '../library/person-row.ts'

/** Returns the user first, then the people who spoke most recently. */
export async function selectPeople(db: Queryable, userId: string) {
  return (await selectRows(db, userId, {})).map(toPerson)
}

const MAX_NAMES = 1_000

/** Returns the names of the first people of that list. */
export async function selectPeopleNames(db: Queryable, userId: string) {
  return (await selectRows(db, userId, { limit: MAX_NAMES })).map(({ name }) => name)
}

/** Returns a page of the same list. */
export async function selectPeoplePage(
  db: Queryable,
  userId: string,
  { name, limit, cursor }: { name?: string; limit: number; cursor: string | undefined }
) {
  const rows = await selectRows(db, userId, { name, limit: limit + 1, cursor })
  const { page, next } = cutPage(rows, limit, cursorOf)
  return { people: page.map(toPerson), ...next }
}

async function selectRows(
  db: Queryable,
  userId: string,
  { name = '', limit, cursor }: { name?: string | undefined; limit?: number; cursor?: string | undefined }
) {
  const named = name === '' ? sql`` : sql`and strpos(p.name_key, ${nameKey(name)}) > 0`
  return await db.query<Person>(sql`
    select ${PERSON_COLUMNS} from people p
    where p.user_id = ${userId} and ${IS_LISTED} ${named} ${afterCursor(cursor)}
    order by p.is_me desc, ${LAST_HEARD_AT} desc, p.person_id ${limit === undefined ? sql`` : sql`limit ${limit}`}`)
}

function cursorOf({ id, is_me, last_heard_at }: Person) {
  return is_me ? 'me' : `${last_heard_at ?? 'none'}_${id}`
}

/** As the index `people_listed` has it. */
const LAST_HEARD_AT = sql`coalesce(p.last_heard_at, '-infinity')`

function afterCursor(cursor: string | undefined) {
  if (cursor === undefined) return sql``
  if (cursor === 'me') return sql`and not p.is_me`
  const [at, id] = readCursor(cursor)
  const place = sql`${at === 'none' ? '-infinity' : at}::timestamptz`
  // The first condition is where the index is entered. Ids ascend and instants descend, so no comparison of rows says both.
  return sql`and not p.is_me and ${LAST_HEARD_AT} <= ${place} and (${LAST_HEARD_AT} < ${place} or p.person_id > ${id})`
}

type Appearance = Pick<PersonSession, 'talk_seconds' | 'name_in_session' | 'matched_by' | 'top_lines'>

/** Returns speaking time, name, match and top lines of the person in each of the sessions. */
export async function findAppearances(db: Queryable, userId: string, personId: string, sessionIds: string[]) {
  const rows = await db.query<Appearance & { session_id: string }>(sql`
    select session_id, talk_seconds, name_in_session, matched_by, top_lines from session_people
    where user_id = ${userId} and person_id = ${personId} and session_id = any(${sql.param(sessionIds)})`)
  return new Map(rows.map(({ session_id, ...appearance }): [string, Appearance] => [session_id, appearance]))
}

/** Returns the person with this id. */
export async function loadPerson(db: Db, userId: string, id: string) {
  const { rows } = await db.execute<Person>(
    sql`select ${PERSON_COLUMNS} from people p where p.user_id = ${userId} and p.person_id = ${id}`
  )
  return rows[0] ? toPerson(rows[0]) : throwNotFound('Person')
}

/** Returns the people in a session by speaking time, longest first. */
export async function selectSessionPeople(db: Db, userId: string, sessionId: string) {
  const { rows } = await db.execute<Person & Appearance>(sql`
    select ${PERSON_COLUMNS}, m.talk_seconds, m.name_in_session, m.matched_by, m.top_lines
    from session_people m join people p on p.user_id = ${userId} and p.person_id = m.person_id
    where m.user_id = ${userId} and m.session_id = ${sessionId} and p.name_key is not null order by m.talk_seconds desc, p.person_id`)
  return rows.map(({ talk_seconds, name_in_session, matched_by, top_lines, ...person }) => {
    return { person: toPerson(person), talk_seconds, name_in_session, matched_by, top_lines }
  })
}

/** The people that a row of a list names. */
const MAX_PARTICIPANTS = 5

/** Returns the names of the people who speak most in each of the sessions. `offset 0` looks people up by key, because an owner may have thousands. */
export async function selectParticipants(db: Queryable, userId: string, sessionIds: string[]) {
  const rows = await db.query<{ session_id: string; names: string[] }>(sql`
    select m.session_id, (array_agg(p.name order by m.talk_seconds desc, m.person_id))[:${MAX_PARTICIPANTS}::int] as names
    from session_people m cross join lateral (
      select name from people where user_id = ${userId} and person_id = m.person_id and name_key is not null offset 0
    ) p
    where m.user_id = ${userId} and m.session_id = any(${sql.param(sessionIds)}::text[])
    group by m.session_id`)
  return new Map(rows.map(({ session_id, names }): [string, string[]] => [session_id, names]))
}

/** A name in the transcript of a session, by key, and whose it is. */
export interface SessionName {
  key: string
  personId: string
}

export async function selectSessionNames(db: Db, userId: string, sessionId: string): Promise<SessionName[]> {
  const rows = await db
    .select({ personId: sessionPeople.personId, keys: sessionPeople.nameKeys, name: sessionPeople.nameInSession })
    .from(sessionPeople)
    .where(matches(sessionPeople, { userId, sessionId }))
  return rows.flatMap(({ personId, keys, name }) =>
    (keys.length > 0 ? keys : [nameKey(name)]).map(key => ({ key, personId }))
  )
}

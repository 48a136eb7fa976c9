import { LIMITS } from '../../contract/limits.ts'
import type {
  PeopleQuery,
  Person,
  PersonList,
  PersonSessionList,
  PersonSessionsQuery,
  SessionPeople
} from '../../contract/person.ts'
import { throwNotFound } from '../../platform/core/api-error.ts'
import { cutPage } from '../../platform/core/page.ts'
import type { Actor } from '../../platform/ports/actor.ts'
import { requireScope } from '../access/actor.ts'
import { selectSessions } from '../library/list.ts'
import { requirePerson } from '../library/person-row.ts'
import { findSession } from '../library/queries.ts'
import type { Services } from '../services.ts'
import { findAppearances, selectPeople, selectPeoplePage, selectSessionPeople } from './queries.ts'

/** Lists the user first, then the people who spoke most recently: everyone, or a page if `limit` or `cursor` is given. */
export async function listPeople(
  { db }: Pick<Services, 'db'>,
  actor: Actor,
  { limit, cursor }: PeopleQuery = {}
): Promise<PersonList> {
  requireScope(actor, 'sessions:read')
  if (limit === undefined && cursor === undefined) return { people: await selectPeople(db, actor.userId) }
  return await selectPeoplePage(db, actor.userId, { limit: limit ?? LIMITS.peoplePage.default, cursor })
}

/** Lists a page of the people whose name contains the text in any case, in the same order. */
export async function searchPeople(
  { db }: Pick<Services, 'db'>,
  actor: Actor,
  page: { name: string; limit: number; cursor: string | undefined }
): Promise<PersonList> {
  requireScope(actor, 'sessions:read')
  return await selectPeoplePage(db, actor.userId, page)
}

/** Returns the person with this id, or the user for `me`. */
export async function getPerson({ db }: Pick<Services, 'db'>, actor: Actor, personId: string): Promise<Person> {
  requireScope(actor, 'sessions:read')
  return await requirePerson(db, actor.userId, personId)
}

/** Lists the completed sessions in which a person speaks, newest first. */
export async function listPersonSessions(
  { db }: Pick<Services, 'db'>,
  actor: Actor,
  personId: string,
  { limit, cursor, type, from, to }: PersonSessionsQuery
): Promise<PersonSessionList> {
  requireScope(actor, 'sessions:read')
  const { userId } = actor
  const person = await requirePerson(db, userId, personId)
  const [before] = [cursor, to].filter(instant => instant !== undefined).sort()
  const rows = await selectSessions(db, userId, { limit, before, since: from, type, personId: person.id })
  const { page, next } = cutPage(rows, limit, row => row.cursor)
  const sessionIds = page.map(({ item }) => item.id)
  const appearances = await findAppearances(db, userId, person.id, sessionIds)
  return {
    person,
    // A session deleted between the two statements has no people.
    sessions: page.flatMap(({ item }) => {
      const appearance = appearances.get(item.id)
      return appearance ? [{ ...item, ...appearance }] : []
    }),
    ...next
  }
}

/** Lists the people in a session of any state by speaking time, longest first. */
export async function listSessionPeople(
  { db }: Pick<Services, 'db'>,
  actor: Actor,
  sessionId: string
): Promise<SessionPeople> {
  requireScope(actor, 'sessions:read')
  if (!(await findSession(db, actor.userId, sessionId))) throwNotFound('Session')
  return { session_id: sessionId, people: await selectSessionPeople(db, actor.userId, sessionId) }
}

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
import { operation } from '../access/operation.ts'
import { selectSessions } from '../library/list.ts'
import { requirePerson } from '../library/person-row.ts'
import { findSession } from '../library/queries.ts'
import type { Services } from '../services.ts'
import { findAppearances, selectParticipants, selectPeople, selectPeoplePage, selectSessionPeople } from './queries.ts'

/** Lists the user first, then the people who spoke most recently: everyone, or a page if `limit` or `cursor` is given. */
export const listPeople = operation(
  'listPeople',
  async ({ db }: Pick<Services, 'db'>, actor, { limit, cursor }: PeopleQuery = {}): Promise<PersonList> => {
    if (limit === undefined && cursor === undefined) return { people: await selectPeople(db, actor.userId) }
    return await selectPeoplePage(db, actor.userId, { limit: limit ?? LIMITS.peoplePage.default, cursor })
  }
)

/** Lists a page of the people whose name contains the text in any case, in the same order. */
export const searchPeople = operation(
  'searchPeople',
  async (
    { db }: Pick<Services, 'db'>,
    actor,
    page: { name: string; limit: number; cursor: string | undefined }
  ): Promise<PersonList> => {
    return await selectPeoplePage(db, actor.userId, page)
  }
)

/** Returns the person with this id, or the user for `me`. */
export const getPerson = operation(
  'getPerson',
  async ({ db }: Pick<Services, 'db'>, actor, personId: string): Promise<Person> => {
    return await requirePerson(db, actor.userId, personId)
  }
)

/** Lists the completed sessions in which a person speaks, newest first. */
export const listPersonSessions = operation(
  'listPersonSessions',
  async (
    { db }: Pick<Services, 'db'>,
    actor,
    personId: string,
    { limit, cursor, type, from, to }: PersonSessionsQuery
  ): Promise<PersonSessionList> => {
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
)

/** Lists the people in a session of any state by speaking time, longest first. */
export const listSessionPeople = operation(
  'listSessionPeople',
  async ({ db }: Pick<Services, 'db'>, actor, sessionId: string): Promise<SessionPeople> => {
    if (!(await findSession(db, actor.userId, sessionId))) throwNotFound('Session')
    return { session_id: sessionId, people: await selectSessionPeople(db, actor.userId, sessionId) }
  }
)

/** Returns the names of the people who speak most in each of the sessions, for lists. */
export const listParticipants = operation(
  'listSessionPeople',
  async ({ db }: Pick<Services, 'db'>, actor, sessionIds: string[]): Promise<ReadonlyMap<string, string[]>> => {
    return await selectParticipants(db, actor.userId, sessionIds)
  }
)

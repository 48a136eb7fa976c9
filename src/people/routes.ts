import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { EXAMPLES } from '../contract/examples.ts'
import { LIMITS } from '../contract/limits.ts'
import { PeopleQuery, PersonList, PersonSessionList, PersonSessionsQuery, personId } from '../contract/person.ts'
import { cutPage } from '../core/page.ts'
import type { Services } from '../services.ts'
import { listSessions } from '../sessions/list.ts'
import { requirePerson } from './person-row.ts'
import { findHeard, listPeople, listPeoplePage } from './queries.ts'

const tags = ['People']
const scopes = ['sessions:read'] as const

export const peopleRoutes: FastifyPluginAsyncZod<Services> = async (app, { db }) => {
  app.get(
    '/people',
    {
      config: { scopes, example: EXAMPLES.personList, headers: ['ETag', 'Link'] },
      schema: {
        operationId: 'listPeople',
        tags,
        summary: 'List people',
        description:
          'The people in your recordings: you first, then those who spoke most recently. Everyone in one answer, or in pages if you send `limit`.',
        querystring: PeopleQuery,
        response: { 200: PersonList }
      }
    },
    async ({ actor, query: { limit, cursor } }) => {
      if (limit === undefined && cursor === undefined) return { people: await listPeople(db, actor.userId) }
      return await listPeoplePage(db, actor.userId, { limit: limit ?? LIMITS.peoplePage.default, cursor })
    }
  )

  app.get(
    '/people/:id/sessions',
    {
      config: { scopes, example: EXAMPLES.personSessions, headers: ['ETag', 'Link'] },
      schema: {
        operationId: 'listPersonSessions',
        tags,
        summary: "List a person's sessions",
        description:
          'Completed sessions in which a person speaks, newest first. A merged person is not found; `error.merged_into` is the id of the remaining person.',
        params: z.object({ id: personId }),
        querystring: PersonSessionsQuery,
        response: { 200: PersonSessionList }
      }
    },
    async ({ actor: { userId }, params, query: { limit, cursor, type, from, to } }) => {
      const person = await requirePerson(db, userId, params.id)
      const [before] = [cursor, to].filter(instant => instant !== undefined).sort()
      const rows = await listSessions(db, userId, { limit, before, since: from, type, personId: person.id })
      const { page, next } = cutPage(rows, limit, row => row.cursor)
      const sessionIds = page.map(({ item }) => item.id)
      const heard = await findHeard(db, userId, person.id, sessionIds)
      return {
        person,
        // A session deleted between the two statements has no people.
        sessions: page.flatMap(({ item }) => {
          const how = heard.get(item.id)
          return how ? [{ ...item, ...how }] : []
        }),
        ...next
      }
    }
  )
}

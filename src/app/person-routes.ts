import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { APP_EXAMPLES } from '../contract/app/examples.ts'
import { PersonCreate, PersonMerge, PersonPatch, SessionPeople, SpeakerCorrection } from '../contract/app/person.ts'
import { APP_REQUESTS } from '../contract/app/request-examples.ts'
import { Person, PersonList } from '../contract/person.ts'
import { ApiError, notFound } from '../core/api-error.ts'
import { correctSpeaker } from '../people/correct.ts'
import { addPerson, renamePerson } from '../people/manage.ts'
import { mergePeople } from '../people/merge.ts'
import { findPerson, listInSession, listPeople } from '../people/queries.ts'
import { findPersonId, findSession } from '../sessions/queries.ts'
import type { AppDeps } from './deps.ts'
import { person_id, session_id, user_id } from './params.ts'

const tags = ['People']

export const personRoutes: FastifyPluginAsyncZod<AppDeps> = async (app, { db, clock }) => {
  app.get(
    '/users/:user_id/people',
    {
      config: { errors: ['invalid_request', 'not_found'], example: { people: [APP_EXAMPLES.person] } },
      schema: {
        operationId: 'listPeople',
        tags,
        summary: 'List people',
        description: 'The user first, then who was heard last.',
        params: z.object({ user_id }),
        response: { 200: PersonList }
      }
    },
    async ({ params: { user_id } }) => ({ people: await listPeople(db, user_id) })
  )

  app.post(
    '/users/:user_id/people',
    {
      config: { request: APP_REQUESTS.person, errors: ['invalid_request', 'not_found', 'conflict'], example: APP_EXAMPLES.person },
      schema: {
        operationId: 'createPerson',
        tags,
        summary: 'Add a person',
        description:
          'By name, in any case: where there is one of that name already, that one is answered with 200 instead of 201. Somebody added stays without recordings too.',
        params: z.object({ user_id }),
        body: PersonCreate,
        response: { 200: Person, 201: Person }
      }
    },
    async ({ params: { user_id }, body: { name, is_me: isMe } }, reply) => {
      const { personId, created } = await addPerson(db, user_id, { name, isMe }, clock.now())
      return reply.code(created ? 201 : 200).send(await personOf(user_id, personId))
    }
  )

  app.get(
    '/users/:user_id/people/:person_id',
    {
      config: { errors: ['invalid_request', 'not_found'], example: APP_EXAMPLES.person },
      schema: {
        operationId: 'getPerson',
        tags,
        summary: 'Get a person',
        description: 'By id, or `me`. Of someone merged, `error.merged_into` says who it is now.',
        params: z.object({ user_id, person_id }),
        response: { 200: Person }
      }
    },
    async ({ params: { user_id, person_id } }) => await personOf(user_id, person_id)
  )

  app.patch(
    '/users/:user_id/people/:person_id',
    {
      config: { request: APP_REQUESTS.personChange, errors: ['invalid_request', 'not_found'], example: APP_EXAMPLES.person },
      schema: {
        operationId: 'renamePerson',
        tags,
        summary: 'Rename a person',
        description:
          'Speakers are recognised by the new name from then on. Transcripts keep what they call them. The name of somebody else is refused.',
        params: z.object({ user_id, person_id }),
        body: PersonPatch,
        response: { 200: Person }
      }
    },
    async ({ params: { user_id, person_id }, body: { name } }) =>
      await personOf(user_id, (await renamePerson(db, user_id, person_id, name, clock.now())) ?? noPerson())
  )

  app.post(
    '/users/:user_id/people/:person_id/merge',
    {
      config: { request: APP_REQUESTS.merge, errors: ['invalid_request', 'not_found'], example: APP_EXAMPLES.person },
      schema: {
        operationId: 'mergePerson',
        tags,
        summary: 'Merge a person into another',
        description:
          'Everything of this person becomes the other one’s, with whom the call answers; this id answers 404 with `error.merged_into` from then on. Done again, it changes nothing.',
        params: z.object({ user_id, person_id }),
        body: PersonMerge,
        response: { 200: Person }
      }
    },
    async ({ params: { user_id, person_id }, body: { into } }) => {
      const [from, to] = [await idOf(user_id, person_id), await idOf(user_id, into)]
      await mergePeople(db, user_id, from, to, clock.now())
      return await personOf(user_id, to)
    }
  )

  app.get(
    '/users/:user_id/sessions/:session_id/people',
    {
      config: { errors: ['invalid_request', 'not_found'], example: APP_EXAMPLES.sessionPeople },
      schema: {
        operationId: 'listSessionPeople',
        tags,
        summary: 'List who is heard in a session',
        params: z.object({ user_id, session_id }),
        response: { 200: SessionPeople }
      }
    },
    async ({ params: { user_id, session_id } }) => {
      if (!(await findSession(db, user_id, session_id))) throw notFound('Session')
      return { session_id, people: await listInSession(db, user_id, session_id) }
    }
  )

  app.patch(
    '/users/:user_id/sessions/:session_id/people',
    {
      config: {
        request: APP_REQUESTS.correction,
        errors: ['invalid_request', 'not_found', 'conflict'],
        example: APP_EXAMPLES.sessionPeople
      },
      schema: {
        operationId: 'correctSpeaker',
        tags,
        summary: 'Correct a speaker in a session',
        description:
          'Says who a speaker of this session is, and of no other. The transcript then has that person’s name, and talk seconds and lines are found anew. No event tells of it.',
        params: z.object({ user_id, session_id }),
        body: SpeakerCorrection,
        response: { 200: SessionPeople }
      }
    },
    async ({ params: { user_id, session_id }, body: { speaker, person_id: id = null, name } }) => {
      const who = name === undefined ? id && { id } : { name }
      if (!(await correctSpeaker(db, user_id, session_id, { speaker, who: who || null }, clock.now()))) throw notFound('Session')
      return { session_id, people: await listInSession(db, user_id, session_id) }
    }
  )

  async function idOf(userId: string, idOrMe: string) {
    if (idOrMe !== 'me') return idOrMe
    return (await findPersonId(db, userId, idOrMe))?.personId ?? noPerson()
  }

  async function personOf(userId: string, idOrMe: string) {
    const { person, mergedInto } = (await findPerson(db, userId, idOrMe)) ?? noPerson()
    if (!person) throw new ApiError('not_found', 'Person not found', { mergedInto })
    return person
  }
}

function noPerson(): never {
  throw notFound('Person')
}

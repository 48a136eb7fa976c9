import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { ADMIN_EXAMPLES } from '../contract/admin/examples.ts'
import { SessionPeople, SpeakerCorrection } from '../contract/admin/person.ts'
import { ADMIN_REQUESTS } from '../contract/admin/request-examples.ts'
import { SessionPath } from '../contract/admin/session.ts'
import { UserPath } from '../contract/admin/user.ts'
import { Person, PersonCreate, PersonList, PersonMerge, PersonPatch, personId } from '../contract/person.ts'
import { throwNotFound } from '../core/api-error.ts'
import { addPerson, changePerson } from '../people/change-person.ts'
import { correctSpeaker } from '../people/correct-speaker.ts'
import { mergePeople } from '../people/merge.ts'
import { requirePerson } from '../people/person-row.ts'
import { listInSession, listPeople } from '../people/queries.ts'
import type { Services } from '../services.ts'
import { findSession } from '../sessions/queries.ts'

const tags = ['People']
const PersonPath = UserPath.extend({ person_id: personId })

export const personRoutes: FastifyPluginAsyncZod<Services> = async (app, { db, clock }) => {
  app.get(
    '/users/:user_id/people',
    {
      config: { example: { people: [ADMIN_EXAMPLES.person] } },
      schema: {
        operationId: 'listPeople',
        tags,
        summary: 'List people',
        description: 'The user first, then the people who spoke most recently.',
        params: UserPath,
        response: { 200: PersonList }
      }
    },
    async ({ params: { user_id } }) => ({ people: await listPeople(db, user_id) })
  )

  app.post(
    '/users/:user_id/people',
    {
      config: { request: ADMIN_REQUESTS.person, errors: ['conflict'], example: ADMIN_EXAMPLES.person },
      schema: {
        operationId: 'createPerson',
        tags,
        summary: 'Add a person',
        description:
          'Adds a person by name. If a person with this name exists in any case, returns that person with 200 instead of 201. An added person is kept even without recordings.',
        params: UserPath,
        body: PersonCreate,
        response: { 200: Person, 201: Person }
      }
    },
    async ({ params: { user_id }, body: { name, is_me: isMe } }, reply) => {
      const { person, created } = await addPerson(db, user_id, { name, isMe }, clock.now())
      return reply.code(created ? 201 : 200).send(person)
    }
  )

  app.get(
    '/users/:user_id/people/:person_id',
    {
      config: { example: ADMIN_EXAMPLES.person },
      schema: {
        operationId: 'getPerson',
        tags,
        summary: 'Get a person',
        description:
          'A person by id, or `me`. A merged person is not found; `error.merged_into` is the id of the remaining person.',
        params: PersonPath,
        response: { 200: Person }
      }
    },
    async ({ params: { user_id, person_id } }) => await requirePerson(db, user_id, person_id)
  )

  app.patch(
    '/users/:user_id/people/:person_id',
    {
      config: { request: ADMIN_REQUESTS.personChange, errors: ['conflict'], example: ADMIN_EXAMPLES.person },
      schema: {
        operationId: 'updatePerson',
        tags,
        summary: 'Change a person',
        description:
          'New speakers are matched by the new name. Existing transcripts keep their names. The name of another person is refused: merge the two instead.',
        params: PersonPath,
        body: PersonPatch,
        response: { 200: Person }
      }
    },
    async ({ params: { user_id, person_id }, body: { name, is_me: isMe } }) =>
      await changePerson(db, user_id, person_id, { name, isMe }, clock.now())
  )

  app.post(
    '/users/:user_id/people/:person_id/merge',
    {
      config: { request: ADMIN_REQUESTS.merge, example: ADMIN_EXAMPLES.person },
      schema: {
        operationId: 'mergePerson',
        tags,
        summary: 'Merge a person into another',
        description:
          'Moves everything of this person to the other, and returns the other. This id then answers 404 with `error.merged_into`. Repeating it changes nothing.',
        params: PersonPath,
        body: PersonMerge,
        response: { 200: Person }
      }
    },
    async ({ params: { user_id, person_id }, body: { into } }) =>
      await mergePeople(db, user_id, person_id, into, clock.now())
  )

  app.get(
    '/users/:user_id/sessions/:session_id/people',
    {
      config: { example: ADMIN_EXAMPLES.sessionPeople },
      schema: {
        operationId: 'listSessionPeople',
        tags,
        summary: 'List the people in a session',
        params: SessionPath,
        response: { 200: SessionPeople }
      }
    },
    async ({ params: { user_id, session_id } }) => {
      if (!(await findSession(db, user_id, session_id))) throwNotFound('Session')
      return { session_id, people: await listInSession(db, user_id, session_id) }
    }
  )

  app.patch(
    '/users/:user_id/sessions/:session_id/people',
    {
      config: { request: ADMIN_REQUESTS.correction, errors: ['conflict'], example: ADMIN_EXAMPLES.sessionPeople },
      schema: {
        operationId: 'correctSpeaker',
        tags,
        summary: 'Correct a speaker in a session',
        description:
          'Assigns a speaker of this session to a person. The transcript then shows the name of that person, and talk time and top lines are computed again. Their action items in this session name that person. Records `session.updated`.',
        params: SessionPath,
        body: SpeakerCorrection,
        response: { 200: SessionPeople }
      }
    },
    async ({ params: { user_id, session_id }, body: { speaker, person_id: id = null, name } }) => {
      const who = name === undefined ? id && { id } : { name }
      const corrected = await correctSpeaker(
        db,
        user_id,
        session_id,
        { speaker, field: 'speaker', who: who || null },
        clock.now()
      )
      return { session_id, people: (corrected ?? throwNotFound('Session')).people }
    }
  )
}

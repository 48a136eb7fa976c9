import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { sessionId } from '../contract/common.ts'
import { EXAMPLES } from '../contract/examples.ts'
import { IdempotencyHeaders } from '../contract/idempotency.ts'
import { Person, PersonCreate, PersonMerge, PersonPatch, personId, SpeakerChange } from '../contract/person.ts'
import { REQUESTS } from '../contract/request-examples.ts'
import { TranscriptResponse } from '../contract/transcript.ts'
import { throwNotFound } from '../core/api-error.ts'
import { toTranscript } from '../core/transcript-file.ts'
import type { Services } from '../services.ts'
import { addPerson, changePerson } from './change-person.ts'
import { correctSpeaker } from './correct-speaker.ts'
import { mergePeople } from './merge.ts'

const tags = ['People']
const scopes = ['people:write'] as const
const params = z.object({ id: personId })

export const peopleChangeRoutes: FastifyPluginAsyncZod<Services> = async (app, { db, clock }) => {
  app.post(
    '/people',
    {
      config: { scopes, request: REQUESTS.person, errors: ['conflict'], example: EXAMPLES.person },
      schema: {
        operationId: 'createPerson',
        tags,
        summary: 'Add a person',
        description:
          'Later imports match speakers with this name. If a person with this name exists in any case, answers with that person and 200 instead of 201. An added person is kept even without recordings.',
        headers: IdempotencyHeaders,
        body: PersonCreate,
        response: { 200: Person, 201: Person }
      }
    },
    async ({ actor, body }, reply) =>
      await reply.answerOnce(body, async ({ db }) => {
        const { person, created } = await addPerson(
          db,
          actor.userId,
          { name: body.name, isMe: body.is_me },
          clock.now()
        )
        return { status: created ? 201 : 200, body: person }
      })
  )

  app.patch(
    '/people/:id',
    {
      config: { scopes, request: REQUESTS.personChange, errors: ['conflict'], example: EXAMPLES.person },
      schema: {
        operationId: 'updatePerson',
        tags,
        summary: 'Change a person',
        description:
          'New speakers are matched by the new name. Existing transcripts keep their names. The name of another person is refused: merge the two instead.',
        params,
        body: PersonPatch,
        response: { 200: Person }
      }
    },
    async ({ actor, params: { id }, body: { name, is_me: isMe } }) =>
      await changePerson(db, actor.userId, id, { name, isMe }, clock.now())
  )

  app.post(
    '/people/:id/merge',
    {
      config: { scopes, request: REQUESTS.merge, example: EXAMPLES.person },
      schema: {
        operationId: 'mergePerson',
        tags,
        summary: 'Merge a person into another',
        description:
          'Moves everything of this person to the other, and answers with the other. This id then answers 404 with `error.merged_into`. Repeating it changes nothing.',
        params,
        body: PersonMerge,
        response: { 200: Person }
      }
    },
    async ({ actor, params: { id }, body: { into } }) => await mergePeople(db, actor.userId, id, into, clock.now())
  )

  app.patch(
    '/sessions/:id/speakers',
    {
      config: { scopes, request: REQUESTS.speaker, errors: ['conflict'], example: EXAMPLES.transcript },
      schema: {
        operationId: 'correctSpeaker',
        tags,
        summary: 'Correct who speaks in a session',
        description:
          'Assigns what a speaker says, or chosen segments of it, to a person. Transcript, action items, speaking times and top lines then name that person. Answers with the transcript. Records `session.updated`, and with changed action items also `session.action_items.updated`.',
        params: z.object({ id: sessionId }),
        body: SpeakerChange,
        response: { 200: TranscriptResponse }
      }
    },
    async ({ actor, params: { id }, body: { from, name, person_id: personId = '', segments: chosen } }) => {
      const who = name === undefined ? { id: personId } : { name }
      const corrected = await correctSpeaker(
        db,
        actor.userId,
        id,
        { speaker: from, field: 'from', chosen, who },
        clock.now()
      )
      return { id, ...toTranscript((corrected ?? throwNotFound('Session')).segments) }
    }
  )
}

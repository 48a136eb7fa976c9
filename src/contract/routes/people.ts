import { z } from 'zod'
import { sessionId } from '../common.ts'
import { EXAMPLES } from '../examples.ts'
import { IdempotencyHeaders } from '../idempotency.ts'
import { OPERATIONS } from '../operations.ts'
import {
  PeopleQuery,
  Person,
  PersonCreate,
  PersonList,
  PersonMerge,
  PersonPatch,
  PersonSessionList,
  PersonSessionsQuery,
  personId,
  SessionPeople,
  SpeakerChange
} from '../person.ts'
import { REQUESTS } from '../request-examples.ts'
import { TranscriptResponse } from '../transcript.ts'
import type { RouteDescription } from './route.ts'

const tags = ['People']
const params = z.object({ id: personId })
const session = z.object({ id: sessionId })
const sessionPeople = {
  session_id: EXAMPLES.sessionDetail.id,
  people: [
    {
      person: EXAMPLES.person,
      talk_seconds: 412.5,
      name_in_session: 'Ada Lovelace',
      matched_by: 'manual',
      top_lines: ["I'll send the offer by Friday, with the longer warranty."]
    }
  ]
}

export const PEOPLE_ROUTES = {
  listPeople: {
    method: 'GET',
    url: '/people',
    config: {
      scopes: OPERATIONS.listPeople,
      headers: ['ETag', 'Link'],
      longList: 'people',
      openapi: { example: EXAMPLES.personList }
    },
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
  listPersonSessions: {
    method: 'GET',
    url: '/people/:id/sessions',
    config: {
      scopes: OPERATIONS.listPersonSessions,
      headers: ['ETag', 'Link'],
      openapi: { example: EXAMPLES.personSessions }
    },
    schema: {
      operationId: 'listPersonSessions',
      tags,
      summary: "List a person's sessions",
      description:
        'Completed sessions in which a person speaks, newest first. A merged person is not found; `error.merged_into` is the id of the remaining person.',
      params,
      querystring: PersonSessionsQuery,
      response: { 200: PersonSessionList }
    }
  },
  createPerson: {
    method: 'POST',
    url: '/people',
    config: {
      scopes: OPERATIONS.createPerson,
      openapi: { request: REQUESTS.person, errors: ['conflict', 'limit_exceeded'], example: EXAMPLES.person }
    },
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
  updatePerson: {
    method: 'PATCH',
    url: '/people/:id',
    config: {
      scopes: OPERATIONS.updatePerson,
      openapi: { request: REQUESTS.personChange, errors: ['conflict'], example: EXAMPLES.person }
    },
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
  deletePerson: {
    method: 'DELETE',
    url: '/people/:id',
    config: { scopes: OPERATIONS.deletePerson },
    schema: {
      operationId: 'deletePerson',
      tags,
      summary: 'Delete a person',
      description:
        'What they said stays, under a neutral label: in every session nobody is known to have said it. Records `session.updated` for each session. A new recording with the name makes a new person.',
      params,
      response: { 204: z.undefined() }
    }
  },
  mergePerson: {
    method: 'POST',
    url: '/people/:id/merge',
    config: { scopes: OPERATIONS.mergePerson, openapi: { request: REQUESTS.merge, example: EXAMPLES.person } },
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
  correctSpeaker: {
    method: 'PATCH',
    url: '/sessions/:id/speakers',
    config: {
      scopes: OPERATIONS.correctSpeaker,
      longList: 'segments',
      openapi: { request: REQUESTS.speaker, errors: ['conflict', 'limit_exceeded'], example: EXAMPLES.transcript }
    },
    schema: {
      operationId: 'correctSpeaker',
      tags,
      summary: 'Correct who speaks in a session',
      description:
        'Assigns what a speaker says, or chosen segments of it, to a person, or to nobody with `name: null`; `swap` exchanges two speakers. Transcript, action items, summary, speaking times and top lines then name that person. Answers with the transcript. Records `session.updated`, and with changed action items also `session.action_items.updated`.',
      params: session,
      body: SpeakerChange,
      response: { 200: TranscriptResponse }
    }
  }
} satisfies Record<string, RouteDescription>

/** Routes of the admin API alone. */
export const OPERATOR_PEOPLE_ROUTES = {
  getPerson: {
    method: 'GET',
    url: '/people/:id',
    config: { scopes: OPERATIONS.getPerson, openapi: { example: EXAMPLES.person } },
    schema: {
      operationId: 'getPerson',
      tags,
      summary: 'Get a person',
      description:
        'A person by id, or `me`. A merged person is not found; `error.merged_into` is the id of the remaining person.',
      params,
      response: { 200: Person }
    }
  },
  listSessionPeople: {
    method: 'GET',
    url: '/sessions/:id/people',
    config: { scopes: OPERATIONS.listSessionPeople, openapi: { example: sessionPeople } },
    schema: {
      operationId: 'listSessionPeople',
      tags,
      summary: 'List the people in a session',
      params: session,
      response: { 200: SessionPeople }
    }
  }
} satisfies Record<string, RouteDescription>

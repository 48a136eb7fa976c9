import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { CallCreate, CallPatch } from '../contract/app/call.ts'
import { APP_EXAMPLES } from '../contract/app/examples.ts'
import { APP_REQUESTS } from '../contract/app/request-examples.ts'
import { AppSession } from '../contract/app/session.ts'
import { LIMITS } from '../contract/limits.ts'
import { notFound } from '../core/api-error.ts'
import { moveCall, startCall } from '../ingest/call.ts'
import type { AppDeps } from './deps.ts'
import { session_id, user_id } from './params.ts'

const tags = ['Calls']
const example = APP_EXAMPLES.call

export const callRoutes: FastifyPluginAsyncZod<AppDeps> = async (app, deps) => {
  app.post(
    '/users/:user_id/calls',
    {
      config: { request: APP_REQUESTS.call, errors: ['invalid_request', 'not_found'], example },
      schema: {
        operationId: 'startCall',
        tags,
        summary: 'Begin a call',
        description:
          'A session of type phone, served by its id while it goes on, and listed when it is completed. A second call with the same `external_id` changes nothing and is answered with 200 and the session there is.',
        params: z.object({ user_id }),
        body: CallCreate,
        response: { 200: AppSession, 201: AppSession }
      }
    },
    async ({ params: { user_id }, body }, reply) => {
      const { session, created } = await startCall(deps, user_id, body)
      return reply.code(created ? 201 : 200).send(session ?? noCall())
    }
  )

  app.patch(
    '/users/:user_id/calls/:session_id',
    {
      bodyLimit: LIMITS.documentBytes,
      config: {
        maxValues: LIMITS.documentValues,
        request: APP_REQUESTS.callChange,
        errors: ['invalid_request', 'not_found', 'conflict'],
        example
      },
      schema: {
        operationId: 'moveCall',
        tags,
        summary: 'Move a call on',
        description:
          'From ringing to in_progress, missed or failed; from in_progress to completed or failed. With its end comes what was said; it is then processed as any session. A missed or failed call without a word is a failed session, which no list shows. The status it has already changes nothing.',
        params: z.object({ user_id, session_id }),
        body: CallPatch,
        response: { 200: AppSession }
      }
    },
    async ({ params: { user_id, session_id }, body }) => {
      return (await moveCall(deps, user_id, session_id, body)) ?? noCall()
    }
  )
}

function noCall(): never {
  throw notFound('Call')
}

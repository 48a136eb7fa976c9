import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { CallCreate } from '../contract/admin/call.ts'
import { ADMIN_EXAMPLES } from '../contract/admin/examples.ts'
import { ADMIN_REQUESTS } from '../contract/admin/request-examples.ts'
import { AdminSession, SessionPath } from '../contract/admin/session.ts'
import { UserPath } from '../contract/admin/user.ts'
import { LIMITS } from '../contract/limits.ts'
import { PackedCallPatch } from '../contract/packed-document.ts'
import { startCall, updateCall } from '../ingest/calls.ts'
import type { Services } from '../services.ts'

const tags = ['Calls']
const example = ADMIN_EXAMPLES.call

export const callRoutes: FastifyPluginAsyncZod<Services> = async (app, services) => {
  app.post(
    '/users/:user_id/calls',
    {
      config: { request: ADMIN_REQUESTS.call, example },
      schema: {
        operationId: 'startCall',
        tags,
        summary: 'Start a call',
        description:
          'Creates a session of type phone. It can be read by id during the call, and is listed once completed. A second request with the same `external_id` changes nothing and returns the existing session with 200.',
        params: UserPath,
        body: CallCreate,
        response: { 200: AdminSession, 201: AdminSession }
      }
    },
    async ({ actor, body }, reply) => {
      const { session, created } = await startCall(services, actor, body)
      return reply.code(created ? 201 : 200).send(session)
    }
  )

  app.patch(
    '/users/:user_id/calls/:session_id',
    {
      bodyLimit: LIMITS.documentBytes,
      config: {
        shape: 'PackedCallPatch',
        maxValues: LIMITS.documentValues,
        request: ADMIN_REQUESTS.callChange,
        errors: ['conflict'],
        example
      },
      schema: {
        operationId: 'updateCall',
        tags,
        summary: 'Update a call',
        description:
          'Changes the status from ringing to in_progress, missed or failed; and from in_progress to completed or failed. Send the transcript with the final status; the session is then processed like any other. A missed or failed call without speech becomes a failed session, which is not listed. The current status changes nothing.',
        params: SessionPath,
        body: PackedCallPatch,
        response: { 200: AdminSession }
      }
    },
    ({ actor, params, body }) => updateCall(services, actor, params.session_id, body)
  )
}

import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { EXAMPLES } from '../contract/examples.ts'
import { LIMITS } from '../contract/limits.ts'
import { REQUESTS } from '../contract/request-examples.ts'
import { IfMatch, SessionChange, SessionChanged, SessionDeleted } from '../contract/session-change.ts'
import { notFound } from '../core/api-error.ts'
import type { Deps } from '../deps.ts'
import { changeSession } from './change.ts'
import { deleteSession } from './delete.ts'
import { sessionId } from './params.ts'

const tags = ['Sessions']

export const sessionChangeRoutes: FastifyPluginAsyncZod<Deps> = async (app, { db, clock, jobs }) => {
  app.patch(
    '/sessions/:id',
    {
      bodyLimit: LIMITS.patchBytes,
      config: {
        request: REQUESTS.sessionChange,
        scopes: ['sessions:write'],
        errors: ['invalid_request', 'not_found', 'conflict'],
        example: EXAMPLES.sessionChanged,
        headers: ['ETag']
      },
      schema: {
        operationId: 'updateSession',
        tags,
        summary: 'Change a session',
        description:
          'Send the fields to change; the others stay. `action_items` replaces the whole list: send `If-Match` with the version you have read, or the write overwrites whatever came since. Records `session.updated`, and with `action_items` also `session.action_items.updated`; a PATCH that changes nothing records no event.',
        params: sessionId,
        headers: z.looseObject({ 'if-match': IfMatch }),
        body: SessionChange,
        response: { 200: SessionChanged }
      }
    },
    async ({ caller, params: { id }, headers, body }, reply) => {
      const written = await changeSession(db, caller.userId, id, body, { version: headers['if-match'], now: clock.now() })
      if (!written) throw notFound('Session')
      const { updatedFields, updatedAt, version } = written
      reply.header('etag', `"${version}"`)
      return {
        id,
        updated_fields: updatedFields,
        updated_at: updatedAt.toISOString(),
        ...(body.action_items && { action_items_version: version })
      }
    }
  )

  app.delete(
    '/sessions/:id',
    {
      config: { scopes: ['sessions:delete'], errors: ['invalid_request', 'not_found'], example: EXAMPLES.sessionDeleted },
      schema: {
        operationId: 'deleteSession',
        tags,
        summary: 'Delete a session',
        description: 'For good, with its transcript, recordings, action items and memberships; what it said also goes out of older events.',
        params: sessionId,
        response: { 200: SessionDeleted }
      }
    },
    async ({ caller, params: { id } }) => {
      if (!(await deleteSession({ db, jobs, clock }, caller.userId, id))) throw notFound('Session')
      return { deleted: true, id }
    }
  )
}

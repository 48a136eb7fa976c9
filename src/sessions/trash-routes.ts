import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { sessionId } from '../contract/common.ts'
import { EXAMPLES } from '../contract/examples.ts'
import { IdempotencyHeaders } from '../contract/idempotency.ts'
import { SessionAccepted } from '../contract/session-accepted.ts'
import { SessionDeleted, SessionDeleteQuery } from '../contract/session-change.ts'
import { throwNotFound } from '../core/api-error.ts'
import type { Services } from '../services.ts'
import { sessionPath, toAccepted } from './accepted.ts'
import { deleteSession } from './delete.ts'
import { restoreSession, trashSession } from './trash.ts'

const params = z.object({ id: sessionId })
const tags = ['Sessions']

export const trashRoutes: FastifyPluginAsyncZod<Services> = async (app, { db, clock, jobs }) => {
  app.delete(
    '/sessions/:id',
    {
      config: { scopes: ['sessions:delete'], example: EXAMPLES.sessionDeleted },
      schema: {
        operationId: 'deleteSession',
        tags,
        summary: 'Delete a session',
        description:
          'Deletes a session permanently, with its transcript, recordings, action items and memberships. Its content is also erased from older events. With `permanently=false` moves it to the trash, from which it can be restored.',
        params,
        querystring: SessionDeleteQuery,
        response: { 200: SessionDeleted }
      }
    },
    async ({ actor: { userId }, params: { id }, query: { permanently } }) => {
      const deleted =
        permanently === 'false'
          ? await trashSession(db, userId, id, clock.now())
          : await deleteSession({ db, jobs, clock }, userId, id, { deleted: permanently === 'true' })
      if (!deleted) throwNotFound('Session')
      return { deleted: true, id }
    }
  )

  app.post(
    '/sessions/:id/restore',
    {
      config: {
        scopes: ['sessions:delete', 'sessions:write'],
        example: EXAMPLES.sessionRestored,
        headers: ['Location']
      },
      schema: {
        operationId: 'restoreSession',
        tags,
        summary: 'Restore a session from the trash',
        description:
          'Restores a session with its folders, people and shares. Records `session.updated` if the session is listed again or its deletion was recorded. Repeating it changes nothing.',
        params,
        headers: IdempotencyHeaders,
        response: { 200: SessionAccepted }
      }
    },
    async ({ actor, params: { id } }, reply) =>
      await reply.answerOnce(undefined, async ({ db }) => {
        const body = toAccepted(await restoreSession({ db, jobs }, actor.userId, id, clock.now()))
        return { status: 200, location: sessionPath(id), body }
      })
  )
}

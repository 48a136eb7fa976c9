import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { ADMIN_EXAMPLES } from '../contract/admin/examples.ts'
import { ADMIN_REQUESTS } from '../contract/admin/request-examples.ts'
import {
  AdminSession,
  AdminSessionChange,
  AdminSessionList,
  AdminSessionListQuery,
  AudioDeleted,
  SessionPath,
  SessionRemoved
} from '../contract/admin/session.ts'
import { UserPath } from '../contract/admin/user.ts'
import { LIMITS } from '../contract/limits.ts'
import { IfMatch } from '../contract/session-change.ts'
import { throwNotFound } from '../core/api-error.ts'
import { cutPage } from '../core/page.ts'
import type { Services } from '../services.ts'
import { findAdminSession, listAdminSessions, toAdminSession } from '../sessions/admin-sessions.ts'
import { changeSession } from '../sessions/change.ts'
import { deleteSession } from '../sessions/delete.ts'
import { deleteRecording } from '../sessions/media.ts'
import { restoreSession, trashSession } from '../sessions/trash.ts'

const tags = ['Sessions']
const example = ADMIN_EXAMPLES.session

export const adminSessionRoutes: FastifyPluginAsyncZod<Services> = async (app, { db, jobs, clock }) => {
  app.get(
    '/users/:user_id/sessions',
    {
      config: { example: { sessions: [example], next_cursor: null, has_more: false } },
      schema: {
        operationId: 'listSessions',
        tags,
        summary: 'List sessions',
        description: 'Sessions in every state, or in one. Newest first.',
        params: UserPath,
        querystring: AdminSessionListQuery,
        response: { 200: AdminSessionList }
      }
    },
    async ({ params: { user_id }, query: { state, limit, cursor } }) => {
      const rows = await listAdminSessions(db, user_id, { state, before: cursor, limit })
      const { page, next } = cutPage(rows, limit, ({ position }) => position)
      return { sessions: page.map(({ session }) => session), ...next }
    }
  )

  app.get(
    '/users/:user_id/sessions/:session_id',
    {
      config: { example },
      schema: {
        operationId: 'getSession',
        tags,
        summary: 'Get a session',
        description: 'A session in any state, with its state, failure and time of deletion.',
        params: SessionPath,
        response: { 200: AdminSession }
      }
    },
    async ({ params: { user_id, session_id } }) =>
      (await findAdminSession(db, user_id, session_id)) ?? throwNotFound('Session')
  )

  app.patch(
    '/users/:user_id/sessions/:session_id',
    {
      bodyLimit: LIMITS.patchBytes,
      config: { request: ADMIN_REQUESTS.sessionChange, errors: ['conflict'], example },
      schema: {
        operationId: 'updateSession',
        tags,
        summary: 'Change a session',
        description:
          'Changes the fields of `/v1`, and also summary and timestamp. A new timestamp moves the session in lists, and moves due dates that were given in words. Records `session.updated`, and `session.action_items.updated` if items change. A change to the current values records no event.',
        params: SessionPath,
        headers: z.looseObject({ 'if-match': IfMatch }),
        body: AdminSessionChange,
        response: { 200: AdminSession }
      }
    },
    async ({ params: { user_id, session_id }, headers, body }) => {
      const changed = await changeSession(db, user_id, session_id, body, {
        version: headers['if-match'],
        now: clock.now()
      })
      return changed ? toAdminSession(changed.session, changed.folderIds) : throwNotFound('Session')
    }
  )

  app.delete(
    '/users/:user_id/sessions/:session_id',
    {
      config: { example: { id: example.id, deleted: true, permanently: false } },
      schema: {
        operationId: 'deleteSession',
        tags,
        summary: 'Delete a session',
        description:
          'Moves a session to the trash, from which it can be restored. With `permanently=true` deletes it permanently, from the trash too. Records `session.deleted` once, for completed sessions and for those with an earlier event.',
        params: SessionPath,
        querystring: z.object({ permanently: z.enum(['true', 'false'], 'true or false').default('false') }),
        response: { 200: SessionRemoved }
      }
    },
    async ({ params: { user_id, session_id: id }, query }) => {
      const permanently = query.permanently === 'true'
      const deleted = permanently
        ? await deleteSession({ db, jobs, clock }, user_id, id, { deleted: true })
        : await trashSession(db, user_id, id, clock.now())
      if (!deleted) throwNotFound('Session')
      return { id, deleted, permanently }
    }
  )

  app.post(
    '/users/:user_id/sessions/:session_id/restore',
    {
      config: { example },
      schema: {
        operationId: 'restoreSession',
        tags,
        summary: 'Restore a deleted session',
        description:
          'Restores a session from the trash with its folders, people and shares. Records `session.updated` if the session is listed again or its deletion was recorded. Repeating it changes nothing.',
        params: SessionPath,
        response: { 200: AdminSession }
      }
    },
    async ({ params: { user_id, session_id } }) => {
      return (await restoreSession({ db, jobs }, user_id, session_id, clock.now())) ?? throwNotFound('Session')
    }
  )

  app.delete(
    '/users/:user_id/sessions/:session_id/audio',
    {
      config: { example: { id: example.id, audio_deleted_at: '2026-03-02T10:00:00.000Z' } },
      schema: {
        operationId: 'deleteRecording',
        tags,
        summary: 'Delete the recording of a session',
        description:
          'Deletes audio and video permanently, of a session in the trash too, and keeps transcript and summary. Records no event. Repeating it changes nothing.',
        params: SessionPath,
        response: { 200: AudioDeleted }
      }
    },
    async ({ params: { user_id, session_id: id } }) => {
      const deletedAt = await deleteRecording({ db, jobs, clock }, user_id, id)
      if (!deletedAt) throwNotFound('Session')
      return { id, audio_deleted_at: deletedAt.toISOString() }
    }
  )
}

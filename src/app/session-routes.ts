import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { APP_EXAMPLES } from '../contract/app/examples.ts'
import { APP_REQUESTS } from '../contract/app/request-examples.ts'
import { AppSession, AppSessionChange, AppSessionList, AppSessionListQuery, AudioDeleted, SessionRemoved } from '../contract/app/session.ts'
import { LIMITS } from '../contract/limits.ts'
import { IfMatch } from '../contract/session-change.ts'
import { notFound } from '../core/api-error.ts'
import { retrySession } from '../ingest/retry.ts'
import { changeSession } from '../sessions/change.ts'
import { deleteSession } from '../sessions/delete.ts'
import { deleteAudio } from '../sessions/purge.ts'
import { restoreSession, trashSession } from '../sessions/trash.ts'
import { findWhole, listWhole } from '../sessions/whole.ts'
import type { AppDeps } from './deps.ts'
import { session_id, user_id } from './params.ts'

const tags = ['Sessions']
const params = z.object({ user_id, session_id })
const example = APP_EXAMPLES.session

export const appSessionRoutes: FastifyPluginAsyncZod<AppDeps> = async (app, { db, jobs, clock }) => {
  app.get(
    '/users/:user_id/sessions',
    {
      config: { errors: ['invalid_request', 'not_found'], example: { sessions: [example], next_cursor: null, has_more: false } },
      schema: {
        operationId: 'listSessions',
        tags,
        summary: 'List sessions',
        description: 'In every state, or in one; newest first.',
        params: z.object({ user_id }),
        querystring: AppSessionListQuery,
        response: { 200: AppSessionList }
      }
    },
    async ({ params: { user_id }, query: { state, limit, cursor } }) => {
      const rows = await listWhole(db, user_id, { state, before: cursor, limit })
      const page = rows.slice(0, limit)
      const more = rows.length > limit
      return { sessions: page.map(({ whole }) => whole), next_cursor: more ? (page.at(-1)?.position ?? null) : null, has_more: more }
    }
  )

  app.get(
    '/users/:user_id/sessions/:session_id',
    {
      config: { errors: ['invalid_request', 'not_found'], example },
      schema: {
        operationId: 'getSession',
        tags,
        summary: 'Get a session',
        description: 'In whatever state: how far it is, why it failed, when it was deleted.',
        params,
        response: { 200: AppSession }
      }
    },
    async ({ params: { user_id, session_id } }) => (await findWhole(db, user_id, session_id)) ?? noSession()
  )

  app.patch(
    '/users/:user_id/sessions/:session_id',
    {
      bodyLimit: LIMITS.patchBytes,
      config: { request: APP_REQUESTS.sessionChange, errors: ['invalid_request', 'not_found', 'conflict'], example },
      schema: {
        operationId: 'updateSession',
        tags,
        summary: 'Change a session',
        description:
          'As over `/v1`, and summary and timestamp too. Another timestamp moves the session in lists, and due dates that were said in words count from its day. Records `session.updated`, and where items change also `session.action_items.updated`; a change to what is there already records no event.',
        params,
        headers: z.looseObject({ 'if-match': IfMatch }),
        body: AppSessionChange,
        response: { 200: AppSession }
      }
    },
    async ({ params: { user_id, session_id }, headers, body }) => {
      const change = { version: headers['if-match'], now: clock.now(), whole: true }
      return (await changeSession(db, user_id, session_id, body, change))?.whole ?? noSession()
    }
  )

  app.delete(
    '/users/:user_id/sessions/:session_id',
    {
      config: { errors: ['invalid_request', 'not_found'], example: { id: example.id, deleted: true, permanently: false } },
      schema: {
        operationId: 'deleteSession',
        tags,
        summary: 'Delete a session',
        description:
          'So that it can be restored, or with `permanently=true` for good, also one that was deleted before. Records `session.deleted` once, of a completed session and of any that an event has told of.',
        params,
        querystring: z.object({ permanently: z.enum(['true', 'false'], 'send true or false').default('false') }),
        response: { 200: SessionRemoved }
      }
    },
    async ({ params: { user_id, session_id: id }, query }) => {
      const permanently = query.permanently === 'true'
      const deleted = permanently
        ? await deleteSession({ db, jobs, clock }, user_id, id, { deleted: true })
        : await trashSession(db, user_id, id, clock.now())
      if (!deleted) noSession()
      return { id, deleted, permanently }
    }
  )

  app.post(
    '/users/:user_id/sessions/:session_id/restore',
    {
      config: { errors: ['invalid_request', 'not_found'], example },
      schema: {
        operationId: 'restoreSession',
        tags,
        summary: 'Restore a deleted session',
        description:
          'With its folders, people and shares. Records `session.updated` of one that is listed again, or whose deletion an event has told of. Done again, it changes nothing.',
        params,
        response: { 200: AppSession }
      }
    },
    async ({ params: { user_id, session_id } }) => {
      return (await restoreSession({ db, jobs }, user_id, session_id, clock.now())) ?? noSession()
    }
  )

  app.post(
    '/users/:user_id/sessions/:session_id/retry',
    {
      config: { errors: ['invalid_request', 'not_found', 'conflict'], example: { ...example, state: 'processing' } },
      schema: {
        operationId: 'retrySession',
        tags,
        summary: 'Process a failed session again',
        description:
          'One that is processing is enqueued again if it has lost its job, and left at it otherwise; a completed one is refused.',
        params,
        response: { 200: AppSession }
      }
    },
    async ({ params: { user_id, session_id } }) => {
      return (await retrySession({ db, jobs, clock }, user_id, session_id)) ?? noSession()
    }
  )

  app.delete(
    '/users/:user_id/sessions/:session_id/audio',
    {
      config: { errors: ['invalid_request', 'not_found'], example: { id: example.id, audio_deleted_at: '2026-03-02T10:00:00.000Z' } },
      schema: {
        operationId: 'deleteAudio',
        tags,
        summary: 'Delete the recording of a session',
        description: 'Audio and video, for good; transcript and summary stay. No event tells of it. Done again, it changes nothing.',
        params,
        response: { 200: AudioDeleted }
      }
    },
    async ({ params: { user_id, session_id: id } }) => {
      const deletedAt = await deleteAudio({ db, jobs, clock }, user_id, id)
      if (!deletedAt) noSession()
      return { id, audio_deleted_at: deletedAt.toISOString() }
    }
  )
}

function noSession(): never {
  throw notFound('Session')
}

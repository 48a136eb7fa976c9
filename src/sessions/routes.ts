import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { ActionItemsResponse } from '../contract/action-item.ts'
import { sessionId } from '../contract/common.ts'
import { EXAMPLES } from '../contract/examples.ts'
import { LIMITS } from '../contract/limits.ts'
import { REQUESTS } from '../contract/request-examples.ts'
import { SessionDetail, SessionList, SessionListQuery } from '../contract/session.ts'
import { IfMatch, SessionChange, SessionChanged } from '../contract/session-change.ts'
import { throwNotFound } from '../core/api-error.ts'
import { cutPage } from '../core/page.ts'
import { requirePerson } from '../people/person-row.ts'
import type { Services } from '../services.ts'
import { loadSharedRows, NO_SHARED_ROWS } from '../sharing/recipient-queries.ts'
import { changeSession } from './change.ts'
import { listSessions, requireFolderId } from './list.ts'
import { listChanged } from './list-changed.ts'
import { findActionItems, findSession } from './queries.ts'

const params = z.object({ id: sessionId })
const tags = ['Sessions']

export const sessionRoutes: FastifyPluginAsyncZod<Services> = async (app, { db, clock, publicUrl }) => {
  app.get(
    '/sessions',
    {
      config: {
        scopes: ['sessions:read'],
        errors: ['not_found'],
        example: EXAMPLES.sessionList,
        headers: ['ETag', 'Link']
      },
      schema: {
        operationId: 'listSessions',
        tags,
        summary: 'List sessions',
        description:
          'Completed sessions, newest first. Pass `next_cursor` as `cursor` to get the next page. With `order=updated`, by their last change: keep the last `next_cursor`, and the next sync begins there.',
        querystring: SessionListQuery,
        response: { 200: SessionList }
      }
    },
    async request => {
      const {
        actor: { userId },
        query
      } = request
      if (query.order === 'updated') return await listChanged(db, userId, query, clock.now())
      const { limit, cursor, since, type, folder, person, tag, tag_mode: mode, include, status } = query
      const folderId = folder === undefined ? undefined : await requireFolderId(db, userId, folder)
      const personId = person === undefined ? undefined : (await requirePerson(db, userId, person, 'person')).id
      const tags = tag && { mode, names: tag }
      // Shared sessions have no people of this user.
      const withShared = include === 'shared' && cursor === undefined && personId === undefined
      const [rows, shared] = await Promise.all([
        listSessions(db, userId, { limit, before: cursor, since, type, folderId, personId, tags, status }),
        withShared ? loadSharedRows(db, userId, publicUrl, request.log) : NO_SHARED_ROWS
      ])
      const { page, next } = cutPage(rows, limit, row => row.cursor)
      const own = page.map(({ item }) => (include ? { ...item, access: 'owner' as const } : item))
      return {
        sessions: shared.rows.length > 0 ? [...own, ...shared.rows] : own,
        ...next,
        ...(shared.error && { shared_error: shared.error })
      }
    }
  )

  app.get(
    '/sessions/:id',
    {
      config: { scopes: ['sessions:read'], example: EXAMPLES.sessionDetail, headers: ['ETag'] },
      schema: {
        operationId: 'getSession',
        tags,
        summary: 'Get a session',
        description: 'All fields of a session except its transcript.',
        params,
        response: { 200: SessionDetail }
      }
    },
    async ({ actor, params: { id } }) => (await findSession(db, actor.userId, id)) ?? throwNotFound('Session')
  )

  app.get(
    '/sessions/:id/action-items',
    {
      config: { scopes: ['sessions:read'], example: EXAMPLES.actionItems, headers: ['ETag'] },
      schema: {
        operationId: 'getActionItems',
        tags,
        summary: 'Get the action items of a session',
        description:
          'The action items and their version, which is also the `ETag`. Send it as `If-Match` to avoid overwriting the changes of others.',
        params,
        response: { 200: ActionItemsResponse }
      }
    },
    async ({ actor, params: { id } }, reply) => {
      const found = (await findActionItems(db, actor.userId, id)) ?? throwNotFound('Session')
      reply.header('etag', `"${found.version}"`)
      return found
    }
  )

  app.patch(
    '/sessions/:id',
    {
      bodyLimit: LIMITS.patchBytes,
      config: {
        request: REQUESTS.sessionChange,
        scopes: ['sessions:write'],
        errors: ['conflict'],
        example: EXAMPLES.sessionChanged,
        headers: ['ETag']
      },
      schema: {
        operationId: 'updateSession',
        tags,
        summary: 'Change a session',
        description:
          'Send the fields to change. `action_items` replaces the whole list: send `If-Match` with the version that you have read to avoid overwriting later changes. Records `session.updated` if a value changes. A sent list of `action_items` always counts as a change, and also records `session.action_items.updated`.',
        params,
        headers: z.looseObject({ 'if-match': IfMatch }),
        body: SessionChange,
        response: { 200: SessionChanged }
      }
    },
    async ({ actor, params: { id }, headers, body }, reply) => {
      const written = await changeSession(db, actor.userId, id, body, {
        version: headers['if-match'],
        now: clock.now()
      })
      if (!written) throwNotFound('Session')
      const { updatedFields, session } = written
      const { updatedAt, actionItemsVersion: version } = session
      reply.header('etag', `"${version}"`)
      return {
        id,
        updated_fields: updatedFields,
        updated_at: updatedAt.toISOString(),
        ...(body.action_items && { action_items_version: version })
      }
    }
  )
}

import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { ActionItemsResponse } from '../contract/action-item.ts'
import { EXAMPLES } from '../contract/examples.ts'
import { SessionDetail, SessionList, SessionListQuery } from '../contract/session.ts'
import { TranscriptResponse } from '../contract/transcript.ts'
import { notFound } from '../core/api-error.ts'
import type { Deps } from '../deps.ts'
import { loadShared, NOTHING } from '../sharing/append.ts'
import { folderOf, personOf } from './named.ts'
import { sessionId } from './params.ts'
import { findActionItems, findSegments, findSession, listSessions } from './queries.ts'
import { transcriptResponse } from './transcript.ts'

const tags = ['Sessions']

export const sessionRoutes: FastifyPluginAsyncZod<Deps> = async (app, { db, publicUrl }) => {
  app.get(
    '/sessions',
    {
      config: { scopes: ['sessions:read'], errors: ['invalid_request', 'not_found'], example: EXAMPLES.sessionList },
      schema: {
        operationId: 'listSessions',
        tags,
        summary: 'List sessions',
        description: 'Completed sessions, newest first. Pass `next_cursor` back as `cursor` to go on.',
        querystring: SessionListQuery,
        response: { 200: SessionList }
      }
    },
    async request => {
      const {
        caller: { userId },
        query
      } = request
      const { limit, cursor, since, type, folder, person, tag, tag_mode: mode, include } = query
      const folderId = folder === undefined ? undefined : await folderOf(db, userId, folder)
      const personId = person === undefined ? undefined : await personOf(db, userId, person)
      const tags = tag && { mode, names: tag }
      // Nobody's voice is known in what others have recorded.
      const withShared = include === 'shared' && cursor === undefined && personId === undefined
      const [rows, shared] = await Promise.all([
        listSessions(db, userId, { limit, before: cursor, since, type, folderId, personId, tags }),
        withShared ? loadShared(db, userId, publicUrl, request.log) : NOTHING
      ])
      const page = rows.slice(0, limit)
      const hasMore = rows.length > limit
      const own = page.map(({ item }) => (include ? { ...item, access: 'owner' as const } : item))
      return {
        sessions: shared.rows.length > 0 ? [...own, ...shared.rows] : own,
        next_cursor: hasMore ? (page.at(-1)?.position ?? null) : null,
        has_more: hasMore,
        ...(shared.error && { shared_error: shared.error })
      }
    }
  )

  app.get(
    '/sessions/:id',
    {
      config: { scopes: ['sessions:read'], errors: ['invalid_request', 'not_found'], example: EXAMPLES.sessionDetail },
      schema: {
        operationId: 'getSession',
        tags,
        summary: 'Get a session',
        description: 'Everything about a session but its transcript.',
        params: sessionId,
        response: { 200: SessionDetail }
      }
    },
    async ({ caller, params: { id } }) => (await findSession(db, caller.userId, id)) ?? noSession()
  )

  app.get(
    '/sessions/:id/action-items',
    {
      config: { scopes: ['sessions:read'], errors: ['invalid_request', 'not_found'], example: EXAMPLES.actionItems, headers: ['ETag'] },
      schema: {
        operationId: 'getActionItems',
        tags,
        summary: 'Get the action items of a session',
        description: 'The list with its version, which is also the `ETag`: send it as `If-Match` to change only what you have read.',
        params: sessionId,
        response: { 200: ActionItemsResponse }
      }
    },
    async ({ caller, params: { id } }, reply) => {
      const found = (await findActionItems(db, caller.userId, id)) ?? noSession()
      reply.header('etag', `"${found.version}"`)
      return found
    }
  )

  app.get(
    '/sessions/:id/transcript',
    {
      config: { scopes: ['transcripts:read'], errors: ['invalid_request', 'not_found'], example: EXAMPLES.transcript },
      schema: {
        operationId: 'getTranscript',
        tags,
        summary: 'Get the transcript of a session',
        description: 'As text, and as segments where the source has times. Empty while a session has no transcript yet.',
        params: sessionId,
        response: { 200: TranscriptResponse }
      }
    },
    async ({ caller, params: { id } }) => transcriptResponse(id, (await findSegments(db, caller.userId, id)) ?? noSession())
  )
}

function noSession(): never {
  throw notFound('Session')
}

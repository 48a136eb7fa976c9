import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { sessionId } from '../contract/common.ts'
import { EXAMPLES } from '../contract/examples.ts'
import {
  SHARING_CODES as codes,
  ownerId,
  SharedActionItemsResponse,
  SharedMediaResponse,
  SharedSessionDetail,
  SharedSessionList,
  SharedSessionListQuery
} from '../contract/sharing.ts'
import { ApiError, throwNotFound } from '../core/api-error.ts'
import { cutPage } from '../core/page.ts'
import { mediaLinks } from '../recordings/links.ts'
import type { Services } from '../services.ts'
import { readPosition, writePosition } from './cursor.ts'
import { findSharedMedia } from './recipient-media.ts'
import { findSharedActionItems, findSharedSession, listSharedSessions } from './recipient-queries.ts'

const tags = ['Shared sessions']

const params = z.object({ owner_id: ownerId, id: sessionId })

export const sharedSessionRoutes: FastifyPluginAsyncZod<Services> = async (
  app,
  { db, clock, publicUrl, secretKey }
) => {
  const links = mediaLinks({ publicUrl, secretKey })

  app.get(
    '/shared-sessions',
    {
      config: {
        scopes: ['sessions:read'],
        codes: { ...codes, invalid_request: 'validation_error' },
        example: EXAMPLES.sharedList,
        headers: ['Link']
      },
      schema: {
        operationId: 'listSharedSessions',
        tags,
        summary: 'List shared sessions',
        description: 'Sessions that others share with you, most recently shared first. Pages reach the latest 500.',
        querystring: SharedSessionListQuery,
        response: { 200: SharedSessionList }
      }
    },
    async ({ actor, query: { limit, cursor } }) => {
      const rows = await listSharedSessions(
        db,
        actor.userId,
        publicUrl,
        limit,
        cursor === undefined ? undefined : readPosition(cursor)
      )
      const { page, next } = cutPage(rows, limit, ({ position }) => writePosition(position))
      return { sessions: page.map(({ item }) => item), ...next }
    }
  )

  app.get(
    '/shared-sessions/:owner_id/:id',
    {
      config: { scopes: ['sessions:read'], codes, example: EXAMPLES.sharedDetail },
      schema: {
        operationId: 'getSharedSession',
        tags,
        summary: 'Get a shared session',
        description: 'The parts of the session that its owner shares, as `scope` says.',
        params,
        response: { 200: SharedSessionDetail }
      }
    },
    async ({ actor, params: { owner_id, id } }) =>
      (await findSharedSession(db, actor.userId, owner_id, id, publicUrl)) ?? throwNotFound('Shared session')
  )

  app.get(
    '/shared-sessions/:owner_id/:id/action-items',
    {
      config: { scopes: ['sessions:read'], codes, example: EXAMPLES.sharedActionItems },
      schema: {
        operationId: 'getSharedActionItems',
        tags,
        summary: 'Get the action items of a shared session',
        description: 'The action items, read-only. Not found if they are not shared.',
        params,
        response: { 200: SharedActionItemsResponse }
      }
    },
    async ({ actor, params: { owner_id, id } }) => {
      const { items } = (await findSharedActionItems(db, actor.userId, owner_id, id)) ?? throwNotFound('Shared session')
      if (!items) throwNotFound('Shared action items')
      return { session_id: id, action_items: items, version: 0 as const, updated_at: null }
    }
  )

  app.get(
    '/shared-sessions/:owner_id/:id/media',
    {
      config: {
        scopes: ['media:read'],
        codes,
        errors: ['media_unavailable'],
        example: EXAMPLES.sharedMedia
      },
      schema: {
        operationId: 'getSharedMedia',
        tags,
        summary: 'Get the recording of a shared session',
        description:
          'A link to the audio, or to the video without audio. A link signed by this server ends at `expires_at` or with the access of the recipient. Follow its redirects.',
        params,
        response: { 200: SharedMediaResponse }
      }
    },
    async ({ actor, params: { owner_id, id } }) => {
      const shared =
        (await findSharedMedia(db, actor.userId, owner_id, id, { links, now: clock.now() })) ??
        throwNotFound('Shared session')
      if (!shared.media) throw new ApiError('media_unavailable', 'The shared session has no recording that is shared')
      return shared.media
    }
  )
}

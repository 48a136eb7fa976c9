import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { EXAMPLES } from '../contract/examples.ts'
import {
  SharedActionItemsResponse,
  SharedMediaResponse,
  SharedSessionDetail,
  SharedSessionList,
  SharedSessionListQuery,
  SharedTranscriptResponse
} from '../contract/sharing.ts'
import { ApiError, notFound } from '../core/api-error.ts'
import { flatText, type Segment } from '../core/segment.ts'
import type { Deps } from '../deps.ts'
import { mediaLinks } from '../media/links.ts'
import { SHARING_CODES as codes } from './codes.ts'
import { readCursor, writeCursor } from './cursor.ts'
import { findSharedMedia } from './media.ts'
import { findShared, findSharedItems, findSharedSegments, listShared } from './shared.ts'

const tags = ['Shared sessions']

const params = z.object({
  owner_id: z.string().meta({ description: 'The id of its owner.', examples: ['usr_01m7x0b5t2e9s8d4qj3mzk6cvw'] }),
  id: z.string().meta({ description: 'The id of the session.', examples: ['ses_01m7x9fbe4fey9tg3s33gak8w3'] })
})

export const sharedSessionRoutes: FastifyPluginAsyncZod<Deps> = async (app, { db, clock, publicUrl, secretKey }) => {
  const links = mediaLinks({ publicUrl, secretKey })

  app.get(
    '/shared-sessions',
    {
      config: {
        scopes: ['sessions:read'],
        codes: { ...codes, invalid_request: 'validation_error' },
        errors: ['invalid_request'],
        example: EXAMPLES.sharedList
      },
      schema: {
        operationId: 'listSharedSessions',
        tags,
        summary: 'List shared sessions',
        description: 'What others share with you, the newest shared first. The pages cover the latest 500.',
        querystring: SharedSessionListQuery,
        response: { 200: SharedSessionList }
      }
    },
    async ({ caller, query: { limit, cursor } }) => {
      const rows = await listShared(db, caller.userId, publicUrl, limit, cursor === undefined ? undefined : readCursor(cursor))
      const last = rows.length > limit ? rows[limit - 1] : undefined
      return {
        sessions: rows.slice(0, limit).map(({ item }) => item),
        next_cursor: last ? writeCursor(last.position) : null,
        has_more: last !== undefined
      }
    }
  )

  app.get(
    '/shared-sessions/:owner_id/:id',
    {
      config: { scopes: ['sessions:read'], codes, errors: ['invalid_request', 'not_found'], example: EXAMPLES.sharedDetail },
      schema: {
        operationId: 'getSharedSession',
        tags,
        summary: 'Get a shared session',
        description: 'What its owner shares of it; `scope` says what that is.',
        params,
        response: { 200: SharedSessionDetail }
      }
    },
    async ({ caller, params: { owner_id, id } }) => (await findShared(db, caller.userId, owner_id, id, publicUrl)) ?? noSession()
  )

  app.get(
    '/shared-sessions/:owner_id/:id/transcript',
    {
      config: { scopes: ['transcripts:read'], codes, errors: ['invalid_request', 'not_found'], example: EXAMPLES.sharedTranscript },
      schema: {
        operationId: 'getSharedTranscript',
        tags,
        summary: 'Get the transcript of a shared session',
        description: 'As text, and as segments; times are left out where the source has none. Not found where it is not shared.',
        params,
        response: { 200: SharedTranscriptResponse }
      }
    },
    async ({ caller, params: { owner_id, id } }) => {
      const { segments } = (await findSharedSegments(db, caller.userId, owner_id, id)) ?? noSession()
      if (!segments) throw notFound('Shared transcript')
      return { id, transcript: flatText(segments), segments: segments.map(sharedSegment) }
    }
  )

  app.get(
    '/shared-sessions/:owner_id/:id/action-items',
    {
      config: { scopes: ['sessions:read'], codes, errors: ['invalid_request', 'not_found'], example: EXAMPLES.sharedActionItems },
      schema: {
        operationId: 'getSharedActionItems',
        tags,
        summary: 'Get the action items of a shared session',
        description: 'Read-only, so without a version. Not found where they are not shared.',
        params,
        response: { 200: SharedActionItemsResponse }
      }
    },
    async ({ caller, params: { owner_id, id } }) => {
      const { items } = (await findSharedItems(db, caller.userId, owner_id, id)) ?? noSession()
      if (!items) throw notFound('Shared action items')
      return { session_id: id, action_items: items, version: 0 as const, updated_at: null }
    }
  )

  app.get(
    '/shared-sessions/:owner_id/:id/media',
    {
      config: {
        scopes: ['media:read'],
        codes,
        errors: ['invalid_request', 'not_found', 'media_unavailable'],
        example: EXAMPLES.sharedMedia
      },
      schema: {
        operationId: 'getSharedMedia',
        tags,
        summary: 'Get the recording of a shared session',
        description:
          'The audio, or else the video. A link that the server signs ends with the access it was made under, and when `expires_at` says; follow its redirects.',
        params,
        response: { 200: SharedMediaResponse }
      }
    },
    async ({ caller, params: { owner_id, id } }) => {
      const shared = (await findSharedMedia(db, caller.userId, owner_id, id, { links, now: clock.now() })) ?? noSession()
      return shared.media ?? noMedia()
    }
  )
}

/** Times that the source does not have are left out, as a speaker without a name is. */
function sharedSegment({ speaker, start, end, text }: Segment) {
  return { ...(speaker && { speaker }), ...(start !== null && { start }), ...(end !== null && { end }), text }
}

function noSession(): never {
  throw notFound('Shared session')
}

function noMedia(): never {
  throw new ApiError('media_unavailable', 'The shared session has no recording that is shared')
}

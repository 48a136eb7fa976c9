import { z } from 'zod'
import { sessionId } from '../common.ts'
import { EXAMPLES } from '../examples.ts'
import { OPERATIONS } from '../operations.ts'
import {
  SHARING_CODES as codes,
  ownerId,
  SharedActionItemsResponse,
  SharedMediaResponse,
  SharedSessionDetail,
  SharedSessionList,
  SharedSessionListQuery,
  SharedTranscriptResponse
} from '../sharing.ts'
import { ABOUT_FILES, FILE_BY_ACCEPT, TranscriptFile, TranscriptRange, transcriptFormat } from '../transcript.ts'
import type { RouteDescription } from './route.ts'

const shared = z.object({ owner_id: ownerId, id: sessionId })

/** The routes of recipients, who only read. */
export const SHARED_SESSION_ROUTES = {
  listSharedSessions: {
    method: 'GET',
    url: '/shared-sessions',
    config: {
      scopes: OPERATIONS.listSharedSessions,
      codes: { ...codes, invalid_request: 'validation_error' },
      headers: ['Link'],
      openapi: { example: EXAMPLES.sharedList }
    },
    schema: {
      operationId: 'listSharedSessions',
      tags: ['Shared sessions'],
      summary: 'List shared sessions',
      description: 'Sessions that others share with you, most recently shared first. Pages reach the latest 500.',
      querystring: SharedSessionListQuery,
      response: { 200: SharedSessionList }
    }
  },
  getSharedSession: {
    method: 'GET',
    url: '/shared-sessions/:owner_id/:id',
    config: { scopes: OPERATIONS.getSharedSession, codes, openapi: { example: EXAMPLES.sharedDetail } },
    schema: {
      operationId: 'getSharedSession',
      tags: ['Shared sessions'],
      summary: 'Get a shared session',
      description: 'The parts of the session that its owner shares, as `scope` says.',
      params: shared,
      response: { 200: SharedSessionDetail }
    }
  },
  getSharedActionItems: {
    method: 'GET',
    url: '/shared-sessions/:owner_id/:id/action-items',
    config: { scopes: OPERATIONS.getSharedActionItems, codes, openapi: { example: EXAMPLES.sharedActionItems } },
    schema: {
      operationId: 'getSharedActionItems',
      tags: ['Shared sessions'],
      summary: 'Get the action items of a shared session',
      description: 'The action items, read-only. Not found if they are not shared.',
      params: shared,
      response: { 200: SharedActionItemsResponse }
    }
  },
  getSharedMedia: {
    method: 'GET',
    url: '/shared-sessions/:owner_id/:id/media',
    config: {
      scopes: OPERATIONS.getSharedMedia,
      codes,
      openapi: { errors: ['media_unavailable'], example: EXAMPLES.sharedMedia }
    },
    schema: {
      operationId: 'getSharedMedia',
      tags: ['Shared sessions'],
      summary: 'Get the recording of a shared session',
      description:
        'A link to the audio, or to the video without audio. A link signed by this server ends at `expires_at` or with the access of the recipient. Follow its redirects.',
      params: shared,
      response: { 200: SharedMediaResponse }
    }
  },
  getSharedTranscript: {
    method: 'GET',
    url: '/shared-sessions/:owner_id/:id/transcript',
    config: {
      scopes: OPERATIONS.getSharedTranscript,
      codes,
      headers: ['Content-Disposition', 'Vary'],
      openapi: { errors: ['conflict'], example: EXAMPLES.sharedTranscript, files: EXAMPLES.transcriptFile }
    },
    schema: {
      operationId: 'getSharedTranscript',
      tags: ['Shared sessions'],
      summary: 'Get the transcript of a shared session',
      description: `The transcript as text and as segments. Times are absent if the source has none. Not found if the transcript is not shared. ${FILE_BY_ACCEPT}`,
      params: shared,
      querystring: TranscriptRange,
      response: { 200: SharedTranscriptResponse }
    }
  },
  getSharedTranscriptFile: {
    method: 'GET',
    url: '/shared-sessions/:owner_id/:id/transcript.:format',
    config: {
      scopes: OPERATIONS.getSharedTranscriptFile,
      headers: ['Content-Disposition'],
      codes,
      openapi: { errors: ['conflict'], example: EXAMPLES.transcriptFile }
    },
    schema: {
      operationId: 'getSharedTranscriptFile',
      tags: ['Shared sessions'],
      summary: 'Get the transcript of a shared session as a file',
      description: `${ABOUT_FILES} Not found if the transcript is not shared.`,
      params: shared.extend({ format: transcriptFormat }),
      querystring: TranscriptRange,
      response: { 200: TranscriptFile }
    }
  }
} satisfies Record<string, RouteDescription>

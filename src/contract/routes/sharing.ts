import { z } from 'zod'
import { pathId, sessionId } from '../common.ts'
import { EXAMPLES } from '../examples.ts'
import { IdempotencyHeaders } from '../idempotency.ts'
import { REQUESTS } from '../request-examples.ts'
import {
  SHARING_CODES as codes,
  ownerId,
  SessionSharingResponse,
  SharedActionItemsResponse,
  SharedMediaResponse,
  SharedSessionDetail,
  SharedSessionList,
  SharedSessionListQuery,
  SharedTranscriptResponse,
  ShareInviteCancel,
  ShareInviteCancelled,
  ShareInviteCancelQuery,
  ShareInvites,
  ShareInvitesResponse,
  ShareLink,
  ShareLinkCreate,
  ShareLinkReset,
  ShareLinkResetResponse,
  ShareRecipientRemoved
} from '../sharing.ts'
import { ABOUT_FILES, FILE_BY_ACCEPT, TranscriptFile, TranscriptRange, transcriptFormat } from '../transcript.ts'
import type { RouteDescription } from './route.ts'

const readers = ['sessions:read'] as const
const transcriptReaders = ['transcripts:read'] as const
const managers = ['sharing:manage'] as const
const refusals = ['no_access', 'sharing_rate_limited'] as const
const senderRefusals = [...refusals, 'sender_unverified', 'account_required'] as const
const own = z.object({ id: sessionId })
const shared = z.object({ owner_id: ownerId, id: sessionId })

/** The routes of recipients, who only read. */
export const SHARED_SESSION_ROUTES = {
  listSharedSessions: {
    method: 'GET',
    url: '/shared-sessions',
    config: {
      scopes: readers,
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
    config: { scopes: readers, codes, openapi: { example: EXAMPLES.sharedDetail } },
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
    config: { scopes: readers, codes, openapi: { example: EXAMPLES.sharedActionItems } },
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
      scopes: ['media:read'],
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
      scopes: transcriptReaders,
      codes,
      headers: ['Vary'],
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
    config: { scopes: transcriptReaders, codes, openapi: { errors: ['conflict'], example: EXAMPLES.transcriptFile } },
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

/** The routes of the owner, who decides who has access. */
export const SHARING_ROUTES = {
  getSessionSharing: {
    method: 'GET',
    url: '/sessions/:id/sharing',
    config: { scopes: managers, codes, openapi: { errors: ['no_access'], example: EXAMPLES.sharing } },
    schema: {
      operationId: 'getSessionSharing',
      tags: ['Sharing'],
      summary: 'Get the recipients of a session',
      description: 'The recipients who have access, and the pending invites.',
      params: own,
      response: { 200: SessionSharingResponse }
    }
  },
  createShareLink: {
    method: 'POST',
    url: '/sessions/:id/sharing/link',
    config: {
      scopes: managers,
      codes,
      openapi: { request: REQUESTS.shareLink, errors: senderRefusals, example: EXAMPLES.shareLink }
    },
    schema: {
      operationId: 'createShareLink',
      tags: ['Sharing'],
      summary: 'Create a link to a session',
      description: 'Anyone with the link can claim access for 30 days. Earlier links stay valid until they are reset.',
      params: own,
      headers: IdempotencyHeaders,
      body: ShareLinkCreate,
      response: { 200: ShareLink }
    }
  },
  resetShareLink: {
    method: 'POST',
    url: '/sessions/:id/sharing/link/reset',
    config: {
      scopes: managers,
      codes,
      openapi: { request: REQUESTS.shareLinkReset, errors: senderRefusals, example: EXAMPLES.shareLinkReset }
    },
    schema: {
      operationId: 'resetShareLink',
      tags: ['Sharing'],
      summary: 'Reset the links to a session',
      description: 'Revokes all links and creates a new one. Recipients keep access unless `remove_everyone` is true.',
      params: own,
      headers: IdempotencyHeaders,
      body: ShareLinkReset,
      response: { 200: ShareLinkResetResponse }
    }
  },
  createShareInvites: {
    method: 'POST',
    url: '/sessions/:id/sharing/invites',
    config: {
      scopes: managers,
      codes,
      openapi: { request: REQUESTS.invites, errors: senderRefusals, example: EXAMPLES.shareInvites }
    },
    schema: {
      operationId: 'createShareInvites',
      tags: ['Sharing'],
      summary: 'Invite people to a session by mail',
      description:
        'Mails each address a link that one person can claim. A pending invite is sent again if its last mail is at least one hour old, and skipped otherwise.',
      params: own,
      headers: IdempotencyHeaders,
      body: ShareInvites,
      response: { 200: ShareInvitesResponse }
    }
  },
  cancelShareInvite: {
    method: 'DELETE',
    url: '/sessions/:id/sharing/invites',
    config: {
      scopes: managers,
      codes,
      openapi: { request: REQUESTS.inviteCancel, errors: refusals, example: EXAMPLES.shareInviteCancelled }
    },
    schema: {
      operationId: 'cancelShareInvite',
      tags: ['Sharing'],
      summary: 'Cancel an invite',
      description: 'Cancels the pending invite of an address, given in the body or as `?email=`.',
      params: own,
      querystring: ShareInviteCancelQuery,
      body: ShareInviteCancel,
      response: { 200: ShareInviteCancelled }
    }
  },
  removeShareRecipient: {
    method: 'DELETE',
    url: '/sessions/:id/sharing/people/:recipient_id',
    config: { scopes: managers, codes, openapi: { errors: refusals, example: EXAMPLES.shareRecipientRemoved } },
    schema: {
      operationId: 'removeShareRecipient',
      tags: ['Sharing'],
      summary: 'Remove a recipient',
      description: 'The next request of the recipient gets 404. Earlier links and invites no longer give access.',
      params: own.extend({ recipient_id: pathId('The id of the recipient.') }),
      response: { 200: ShareRecipientRemoved }
    }
  }
} satisfies Record<string, RouteDescription>

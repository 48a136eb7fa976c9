import { z } from 'zod'
import { pathId, sessionId } from '../common.ts'
import { EXAMPLES } from '../examples.ts'
import { IdempotencyHeaders } from '../idempotency.ts'
import { OPERATIONS } from '../operations.ts'
import { REQUESTS } from '../request-examples.ts'
import {
  SHARING_CODES as codes,
  SessionSharingResponse,
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
import type { RouteDescription } from './route.ts'

const refusals = ['no_access', 'sharing_rate_limited'] as const
const senderRefusals = [...refusals, 'sender_unverified', 'account_required'] as const
const own = z.object({ id: sessionId })

/** The routes of the owner, who decides who has access. */
export const SHARING_ROUTES = {
  getSessionSharing: {
    method: 'GET',
    url: '/sessions/:id/sharing',
    config: {
      scopes: OPERATIONS.getSessionSharing,
      codes,
      openapi: { errors: ['no_access'], example: EXAMPLES.sharing }
    },
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
      scopes: OPERATIONS.createShareLink,
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
      scopes: OPERATIONS.resetShareLink,
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
      scopes: OPERATIONS.createShareInvites,
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
      scopes: OPERATIONS.cancelShareInvite,
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
    config: {
      scopes: OPERATIONS.removeShareRecipient,
      codes,
      openapi: { errors: refusals, example: EXAMPLES.shareRecipientRemoved }
    },
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

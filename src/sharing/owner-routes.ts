import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { sessionId } from '../contract/common.ts'
import { EXAMPLES } from '../contract/examples.ts'
import { IdempotencyHeaders } from '../contract/idempotency.ts'
import { REQUESTS } from '../contract/request-examples.ts'
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
} from '../contract/sharing.ts'
import { invalid } from '../core/api-error.ts'
import type { Services } from '../services.ts'
import { cancelInvite, createShareLink, removeRecipient, resetShareLinks } from './change-sharing.ts'
import { invitePeople } from './invites.ts'
import { findSharing, throwNotOwner } from './queries.ts'

const tags = ['Sharing']
const scopes = ['sharing:manage'] as const
const refusals = ['no_access', 'sharing_rate_limited'] as const
const senderRefusals = [...refusals, 'sender_unverified', 'account_required'] as const

export const sharingRoutes: FastifyPluginAsyncZod<Services> = async (
  app,
  { db, clock, jobs, publicUrl, secretKey }
) => {
  app.get(
    '/sessions/:id/sharing',
    {
      config: { scopes, codes, errors: ['no_access'], example: EXAMPLES.sharing },
      schema: {
        operationId: 'getSessionSharing',
        tags,
        summary: 'Get the recipients of a session',
        description: 'The recipients who have access, and the pending invites.',
        params: z.object({ id: sessionId }),
        response: { 200: SessionSharingResponse }
      }
    },
    async ({ actor: { userId }, params }) =>
      (await findSharing(db, userId, params.id, clock.now())) ?? (await throwNotOwner(db, userId, params.id))
  )

  app.post(
    '/sessions/:id/sharing/link',
    {
      config: { request: REQUESTS.shareLink, scopes, codes, errors: senderRefusals, example: EXAMPLES.shareLink },
      schema: {
        operationId: 'createShareLink',
        tags,
        summary: 'Create a link to a session',
        description:
          'Anyone with the link can claim access for 30 days. Earlier links stay valid until they are reset.',
        params: z.object({ id: sessionId }),
        headers: IdempotencyHeaders,
        body: ShareLinkCreate,
        response: { 200: ShareLink }
      }
    },
    async ({ actor, params }, reply) =>
      await reply.answerOnce(undefined, async ({ db }) => ({
        status: 200,
        body: await createShareLink(db, actor.userId, params.id, publicUrl, clock.now())
      }))
  )

  app.post(
    '/sessions/:id/sharing/link/reset',
    {
      config: {
        request: REQUESTS.shareLinkReset,
        scopes,
        codes,
        errors: senderRefusals,
        example: EXAMPLES.shareLinkReset
      },
      schema: {
        operationId: 'resetShareLink',
        tags,
        summary: 'Reset the links to a session',
        description:
          'Revokes all links and creates a new one. Recipients keep access unless `remove_everyone` is true.',
        params: z.object({ id: sessionId }),
        headers: IdempotencyHeaders,
        body: ShareLinkReset,
        response: { 200: ShareLinkResetResponse }
      }
    },
    async ({ actor, params, body }, reply) =>
      await reply.answerOnce(body, async ({ db }) => ({
        status: 200,
        body: await resetShareLinks(db, actor.userId, params.id, body?.remove_everyone ?? false, {
          publicUrl,
          now: clock.now()
        })
      }))
  )

  app.post(
    '/sessions/:id/sharing/invites',
    {
      config: { request: REQUESTS.invites, scopes, codes, errors: senderRefusals, example: EXAMPLES.shareInvites },
      schema: {
        operationId: 'createShareInvites',
        tags,
        summary: 'Invite people to a session by mail',
        description:
          'Mails each address a link that one person can claim. A pending invite is sent again if its last mail is at least one hour old, and skipped otherwise.',
        params: z.object({ id: sessionId }),
        headers: IdempotencyHeaders,
        body: ShareInvites,
        response: { 200: ShareInvitesResponse }
      }
    },
    async ({ actor, params, body }, reply) =>
      await reply.answerOnce(body, async ({ db }) => ({
        status: 200,
        body: await invitePeople({ db, jobs, secretKey }, actor.userId, params.id, body, clock.now())
      }))
  )

  app.delete(
    '/sessions/:id/sharing/invites',
    {
      config: {
        request: REQUESTS.inviteCancel,
        scopes,
        codes,
        errors: refusals,
        example: EXAMPLES.shareInviteCancelled
      },
      schema: {
        operationId: 'cancelShareInvite',
        tags,
        summary: 'Cancel an invite',
        description: 'Cancels the pending invite of an address, given in the body or as `?email=`.',
        params: z.object({ id: sessionId }),
        querystring: ShareInviteCancelQuery,
        body: ShareInviteCancel,
        response: { 200: ShareInviteCancelled }
      }
    },
    async ({ actor, params, query, body }) => {
      const email = body?.email ?? query.email
      if (email === undefined) throw invalid({ field: 'email', expected: 'it in the body, or as ?email=' })
      if (query.email !== undefined && query.email !== email)
        throw invalid({ field: 'email', problem: 'the body and ?email= name two addresses', expected: 'one' })
      return {
        cancelled: await cancelInvite(db, actor.userId, params.id, { email, inviteId: body?.invite_id }, clock.now())
      }
    }
  )

  app.delete(
    '/sessions/:id/sharing/people/:recipient_id',
    {
      config: { scopes, codes, errors: refusals, example: EXAMPLES.shareRecipientRemoved },
      schema: {
        operationId: 'removeShareRecipient',
        tags,
        summary: 'Remove a recipient',
        description: 'The next request of the recipient gets 404. Earlier links and invites no longer give access.',
        params: z.object({ id: sessionId, recipient_id: z.string().meta({ description: 'The id of the recipient.' }) }),
        response: { 200: ShareRecipientRemoved }
      }
    },
    async ({ actor, params: { id, recipient_id } }) => {
      await removeRecipient(db, actor.userId, id, recipient_id, clock.now())
      return { removed: true as const, id: recipient_id }
    }
  )
}

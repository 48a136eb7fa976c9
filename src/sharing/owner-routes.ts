import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { EXAMPLES } from '../contract/examples.ts'
import { REQUESTS } from '../contract/request-examples.ts'
import {
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
import type { Deps } from '../deps.ts'
import { SHARING_CODES as codes } from './codes.ts'
import { invitePeople } from './invites.ts'
import { cancelInvite, removeRecipient, resetLink, shareByLink } from './owner.ts'
import { findSharing, refuseStranger } from './queries.ts'

const tags = ['Sharing']
const scopes = ['sharing:manage'] as const
const id = z.string().meta({ description: 'The id of the session.', examples: ['ses_01m7x9fbe4fey9tg3s33gak8w3'] })
const refusals = ['invalid_request', 'no_access', 'not_found', 'sharing_rate_limited'] as const
const senderRefusals = [...refusals, 'sender_unverified', 'account_required'] as const

export const sharingRoutes: FastifyPluginAsyncZod<Deps> = async (app, { db, clock, jobs, publicUrl, secretKey }) => {
  app.get(
    '/sessions/:id/sharing',
    {
      config: { scopes, codes, errors: ['invalid_request', 'no_access', 'not_found'], example: EXAMPLES.sharing },
      schema: {
        operationId: 'getSessionSharing',
        tags,
        summary: 'Get who has access to a session',
        description: 'Who can read it, and which invites wait to be taken up.',
        params: z.object({ id }),
        response: { 200: SessionSharingResponse }
      }
    },
    async ({ caller: { userId }, params }) =>
      (await findSharing(db, userId, params.id, clock.now())) ?? (await refuseStranger(db, userId, params.id))
  )

  app.post(
    '/sessions/:id/sharing/link',
    {
      config: { request: REQUESTS.shareLink, scopes, codes, errors: senderRefusals, example: EXAMPLES.shareLink },
      schema: {
        operationId: 'createShareLink',
        tags,
        summary: 'Make a link to a session',
        description: 'Whoever has it can claim access for 30 days. Links made before stay valid; reset them to end them.',
        params: z.object({ id }),
        body: ShareLinkCreate,
        response: { 200: ShareLink }
      }
    },
    async ({ caller, params }) => await shareByLink(db, caller.userId, params.id, publicUrl, clock.now())
  )

  app.post(
    '/sessions/:id/sharing/link/reset',
    {
      config: { request: REQUESTS.shareLinkReset, scopes, codes, errors: senderRefusals, example: EXAMPLES.shareLinkReset },
      schema: {
        operationId: 'resetShareLink',
        tags,
        summary: 'End the links to a session and make another',
        description: 'Who has claimed one keeps access unless everyone is removed.',
        params: z.object({ id }),
        body: ShareLinkReset,
        response: { 200: ShareLinkResetResponse }
      }
    },
    async ({ caller, params, body }) =>
      await resetLink(db, caller.userId, params.id, body?.remove_everyone ?? false, { publicUrl, now: clock.now() })
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
          'Each address gets a link that one person can claim. A pending one is sent again when the last mail is an hour old; until then it is skipped.',
        params: z.object({ id }),
        body: ShareInvites,
        response: { 200: ShareInvitesResponse }
      }
    },
    async ({ caller, params, body }) => await invitePeople({ db, jobs, secretKey }, caller.userId, params.id, body, clock.now())
  )

  app.delete(
    '/sessions/:id/sharing/invites',
    {
      config: { request: REQUESTS.inviteCancel, scopes, codes, errors: refusals, example: EXAMPLES.shareInviteCancelled },
      schema: {
        operationId: 'cancelShareInvite',
        tags,
        summary: 'Cancel an invite',
        description: 'Its link stops working. Name the address in the body, or as `?email=`.',
        params: z.object({ id }),
        querystring: ShareInviteCancelQuery,
        body: ShareInviteCancel,
        response: { 200: ShareInviteCancelled }
      }
    },
    async ({ caller, params, query, body }) => {
      const email = body?.email ?? query.email ?? noEmail()
      if (query.email !== undefined && query.email !== email) throw invalid('email: the body and ?email= name two addresses; send one')
      return { cancelled: await cancelInvite(db, caller.userId, params.id, { email, inviteId: body?.invite_id }, clock.now()) }
    }
  )

  app.delete(
    '/sessions/:id/sharing/people/:recipient_id',
    {
      config: { scopes, codes, errors: refusals, example: EXAMPLES.shareRecipientRemoved },
      schema: {
        operationId: 'removeShareRecipient',
        tags,
        summary: "Take a recipient's access away",
        description: 'From the next request on they get 404; links and invites from before let them in no more.',
        params: z.object({ id, recipient_id: z.string().meta({ description: 'The id of the recipient.' }) }),
        response: { 200: ShareRecipientRemoved }
      }
    },
    async ({ caller, params: { id, recipient_id } }) => {
      await removeRecipient(db, caller.userId, id, recipient_id, clock.now())
      return { removed: true as const, id: recipient_id }
    }
  )
}

function noEmail(): never {
  throw invalid('email: send it in the body, or as ?email=')
}

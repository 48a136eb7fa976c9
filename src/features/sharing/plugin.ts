import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { OPERATOR_SHARING_ROUTES } from '../../contract/admin/share-routes.ts'
import { SHARED_SESSION_ROUTES, SHARING_ROUTES } from '../../contract/routes/sharing.ts'
import type { ShareInviteCancel, ShareInviteCancelQuery } from '../../contract/sharing.ts'
import { invalid } from '../../platform/core/api-error.ts'
import type { Services } from '../services.ts'
import { sendTranscript } from '../transcripts/plugin.ts'
import { preferredFormat } from '../transcripts/transcript-file.ts'
import {
  cancelShareInvite,
  createShareInvites,
  createShareLink,
  getSessionSharing,
  getShareScope,
  removeShareRecipient,
  resetShareLink,
  updateShareScope
} from './operations.ts'
import {
  claimShare,
  getSharedActionItems,
  getSharedMedia,
  getSharedSession,
  getSharedTranscriptFile,
  listSharedSessions
} from './recipient-operations.ts'

/** Sharing over HTTP, for owners and for recipients: for tokens below `/v1`, and for the operator below a user's path. */
export const sharingPlugin: FastifyPluginAsyncZod<{ services: Services }> = async (app, { services }) => {
  await app.register(recipientPlugin, { services })
  await app.register(ownerPlugin, { services })
}

const recipientPlugin: FastifyPluginAsyncZod<{ services: Services }> = async (app, { services }) => {
  const routes = SHARED_SESSION_ROUTES

  app.get('/shared-sessions', routes.listSharedSessions, ({ actor, query }) =>
    listSharedSessions(services, actor, query)
  )

  app.get('/shared-sessions/:owner_id/:id', routes.getSharedSession, ({ actor, params: { owner_id, id } }) =>
    getSharedSession(services, actor, owner_id, id)
  )

  app.get(
    '/shared-sessions/:owner_id/:id/action-items',
    routes.getSharedActionItems,
    ({ actor, params: { owner_id, id } }) => getSharedActionItems(services, actor, owner_id, id)
  )

  app.get('/shared-sessions/:owner_id/:id/media', routes.getSharedMedia, ({ actor, params: { owner_id, id } }) =>
    getSharedMedia(services, actor, owner_id, id)
  )

  app.get(
    '/shared-sessions/:owner_id/:id/transcript',
    routes.getSharedTranscript,
    async ({ actor, params: { owner_id, id }, query: range, headers }, reply) => {
      reply.header('vary', 'Accept')
      const format = preferredFormat(headers.accept) ?? 'json'
      const file = { format, range, field: 'Accept' } as const
      return sendTranscript(reply, format, await getSharedTranscriptFile(services, actor, owner_id, id, file))
    }
  )

  app.get(
    '/shared-sessions/:owner_id/:id/transcript.:format',
    routes.getSharedTranscriptFile,
    async ({ actor, params: { owner_id, id, format }, query: range }, reply) =>
      sendTranscript(reply, format, await getSharedTranscriptFile(services, actor, owner_id, id, { format, range }))
  )
}

const ownerPlugin: FastifyPluginAsyncZod<{ services: Services }> = async (app, { services }) => {
  const routes = SHARING_ROUTES

  app.get('/sessions/:id/sharing', routes.getSessionSharing, ({ actor, params }) =>
    getSessionSharing(services, actor, params.id)
  )

  app.post('/sessions/:id/sharing/link', routes.createShareLink, ({ actor, params }, reply) =>
    reply.answerOnce(undefined, async services => ({
      status: 200,
      body: await createShareLink(services, actor, params.id)
    }))
  )

  app.post('/sessions/:id/sharing/link/reset', routes.resetShareLink, ({ actor, params, body }, reply) =>
    reply.answerOnce(body, async services => ({
      status: 200,
      body: await resetShareLink(services, actor, params.id, body)
    }))
  )

  app.post('/sessions/:id/sharing/invites', routes.createShareInvites, ({ actor, params, body }, reply) =>
    reply.answerOnce(body, async services => ({
      status: 200,
      body: await createShareInvites(services, actor, params.id, body)
    }))
  )

  app.delete('/sessions/:id/sharing/invites', routes.cancelShareInvite, ({ actor, params, query, body }) =>
    cancelShareInvite(services, actor, params.id, { email: addressOf(query, body), inviteId: body?.invite_id })
  )

  app.delete('/sessions/:id/sharing/people/:recipient_id', routes.removeShareRecipient, ({ actor, params }) =>
    removeShareRecipient(services, actor, params.id, params.recipient_id)
  )
}

/** The address is in the body or in the query. */
function addressOf(query: ShareInviteCancelQuery, body: ShareInviteCancel) {
  const email = body?.email ?? query.email
  if (email === undefined) throw invalid({ field: 'email', expected: 'it in the body, or as ?email=' })
  if (query.email !== undefined && query.email !== email)
    throw invalid({ field: 'email', problem: 'the body and ?email= name two addresses', expected: 'one' })
  return email
}

/** The same for the operator, who also claims for a user and decides which parts of a session are shared. */
export const operatorSharingPlugin: FastifyPluginAsyncZod<{ services: Services }> = async (app, { services }) => {
  const routes = OPERATOR_SHARING_ROUTES
  await app.register(sharingPlugin, { services })

  app.post('/claims', routes.claimShare, ({ actor, body }) => claimShare(services, actor, body))

  app.get('/sessions/:session_id/share-scope', routes.getShareScope, ({ actor, params }) =>
    getShareScope(services, actor, params.session_id)
  )

  app.patch('/sessions/:session_id/share-scope', routes.updateShareScope, ({ actor, params, body }) =>
    updateShareScope(services, actor, params.session_id, body)
  )
}

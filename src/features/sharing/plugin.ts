import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { OPERATOR_SHARING_ROUTES } from '../../contract/admin/share-routes.ts'
import { SHARED_SESSION_ROUTES } from '../../contract/routes/shared-sessions.ts'
import { SHARING_ROUTES } from '../../contract/routes/sharing.ts'
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

  app.route({
    ...routes.listSharedSessions,
    handler: ({ actor, query }) => listSharedSessions(services, actor, query)
  })

  app.route({
    ...routes.getSharedSession,
    handler: ({ actor, params: { owner_id, id } }) => getSharedSession(services, actor, owner_id, id)
  })

  app.route({
    ...routes.getSharedActionItems,
    handler: ({ actor, params: { owner_id, id } }) => getSharedActionItems(services, actor, owner_id, id)
  })

  app.route({
    ...routes.getSharedMedia,
    handler: ({ actor, params: { owner_id, id } }) => getSharedMedia(services, actor, owner_id, id)
  })

  app.route({
    ...routes.getSharedTranscript,
    handler: async ({ actor, params: { owner_id, id }, query: range, headers }, reply) => {
      reply.header('vary', 'Accept')
      const format = preferredFormat(headers.accept) ?? 'json'
      const file = { format, range, field: 'Accept' } as const
      return sendTranscript(reply, format, await getSharedTranscriptFile(services, actor, owner_id, id, file))
    }
  })

  app.route({
    ...routes.getSharedTranscriptFile,
    handler: async ({ actor, params: { owner_id, id, format }, query: range }, reply) =>
      sendTranscript(reply, format, await getSharedTranscriptFile(services, actor, owner_id, id, { format, range }))
  })
}

const ownerPlugin: FastifyPluginAsyncZod<{ services: Services }> = async (app, { services }) => {
  const routes = SHARING_ROUTES

  app.route({
    ...routes.getSessionSharing,
    handler: ({ actor, params }) => getSessionSharing(services, actor, params.id)
  })

  app.route({
    ...routes.createShareLink,
    handler: ({ actor, params }, reply) =>
      reply.answerOnce(undefined, async services => ({
        status: 200,
        body: await createShareLink(services, actor, params.id)
      }))
  })

  app.route({
    ...routes.resetShareLink,
    handler: ({ actor, params, body }, reply) =>
      reply.answerOnce(body, async services => ({
        status: 200,
        body: await resetShareLink(services, actor, params.id, body)
      }))
  })

  app.route({
    ...routes.createShareInvites,
    handler: ({ actor, params, body }, reply) =>
      reply.answerOnce(body, async services => ({
        status: 200,
        body: await createShareInvites(services, actor, params.id, body)
      }))
  })

  app.route({
    ...routes.cancelShareInvite,
    handler: ({ actor, params, query, body }) =>
      cancelShareInvite(services, actor, params.id, { email: addressOf(query, body), inviteId: body?.invite_id })
  })

  app.route({
    ...routes.removeShareRecipient,
    handler: ({ actor, params }) => removeShareRecipient(services, actor, params.id, params.recipient_id)
  })
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

  app.route({
    ...routes.claimShare,
    handler: ({ actor, body }) => claimShare(services, actor, body)
  })

  app.route({
    ...routes.getShareScope,
    handler: ({ actor, params }) => getShareScope(services, actor, params.session_id)
  })

  app.route({
    ...routes.updateShareScope,
    handler: ({ actor, params, body }) => updateShareScope(services, actor, params.session_id, body)
  })
}

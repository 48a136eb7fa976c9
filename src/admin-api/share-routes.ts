import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { ADMIN_REQUESTS } from '../contract/admin/request-examples.ts'
import { SessionPath } from '../contract/admin/session.ts'
import { ClaimCreate, Claimed, SessionShareScope, ShareScopePatch } from '../contract/admin/share.ts'
import { UserPath } from '../contract/admin/user.ts'
import { ApiError, invalid, throwNotFound } from '../core/api-error.ts'
import type { Services } from '../services.ts'
import { changeShareScope, findShareScope } from '../sharing/change-sharing.ts'
import { ClaimRefused, claimShare } from '../sharing/claim.ts'
import { sessionUrl } from '../sharing/recipient-queries.ts'
import { secretOf } from '../sharing/secret.ts'

const tags = ['Sharing']
const scope = { summary: true, transcript: true, audio: false, action_items: true }
const example = { session_id: 'ses_01m7x9fbe4fey9tg3s33gak8w3', scope }

export const adminShareRoutes: FastifyPluginAsyncZod<Services> = async (app, { db, clock, publicUrl }) => {
  app.post(
    '/users/:user_id/claims',
    {
      config: {
        request: ADMIN_REQUESTS.claim,
        example: {
          owner_id: 'usr_01m7x1q4t8f0kr8y2sdc4n6vqe',
          session_id: example.session_id,
          session_url: `http://127.0.0.1:8080/shared/usr_01m7x1q4t8f0kr8y2sdc4n6vqe/${example.session_id}`
        }
      },
      schema: {
        operationId: 'claimShare',
        tags,
        summary: 'Claim a link or an invite',
        description:
          'Gives the user access to the shared session. Anyone may claim a link; one person may claim an invite. Repeating it changes nothing. Records no event.',
        params: UserPath,
        body: ClaimCreate,
        response: { 200: Claimed }
      }
    },
    async ({ params: { user_id }, body: { url } }) => {
      const { ownerId, sessionId } = await claimShare(db, user_id, secretOf(url) ?? '', clock.now()).catch(refuse)
      return { owner_id: ownerId, session_id: sessionId, session_url: sessionUrl(publicUrl, ownerId, sessionId) }
    }
  )

  app.get(
    '/users/:user_id/sessions/:session_id/share-scope',
    {
      config: { example },
      schema: {
        operationId: 'getShareScope',
        tags,
        summary: 'Get the shared parts of a session',
        description: 'The shared parts of a session. By default all parts are shared.',
        params: SessionPath,
        response: { 200: SessionShareScope }
      }
    },
    async ({ params: { user_id, session_id } }) => ({
      session_id,
      scope: (await findShareScope(db, user_id, session_id)) ?? throwNotFound('Session')
    })
  )

  app.patch(
    '/users/:user_id/sessions/:session_id/share-scope',
    {
      config: { request: ADMIN_REQUESTS.shareScope, example },
      schema: {
        operationId: 'updateShareScope',
        tags,
        summary: 'Change the shared parts of a session',
        description:
          'Changes the shared parts for all recipients, from the next request on. Send only the parts to change.',
        params: SessionPath,
        body: ShareScopePatch,
        response: { 200: SessionShareScope }
      }
    },
    async ({ params: { user_id, session_id }, body }) => ({
      session_id,
      scope: (await changeShareScope(db, user_id, session_id, body)) ?? throwNotFound('Session')
    })
  )
}

function refuse(error: unknown): never {
  if (!(error instanceof ClaimRefused)) throw error
  throw error.refusal === 'own'
    ? invalid({ field: 'url', problem: error.message })
    : new ApiError('not_found', error.message)
}

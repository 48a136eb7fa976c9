import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { APP_REQUESTS } from '../contract/app/request-examples.ts'
import { ClaimCreate, Claimed, SessionShareScope, ShareScopePatch } from '../contract/app/share.ts'
import { ApiError, invalid, notFound } from '../core/api-error.ts'
import { ClaimRefused, claimShare } from '../sharing/claim.ts'
import { changeShareScope, findShareScope } from '../sharing/scope.ts'
import { secretOf } from '../sharing/secret.ts'
import { sessionUrl } from '../sharing/shared.ts'
import type { AppDeps } from './deps.ts'
import { session_id, user_id } from './params.ts'

const tags = ['Sharing']
const params = z.object({ user_id, session_id })
const scope = { summary: true, transcript: true, audio: false, action_items: true }
const example = { session_id: 'ses_01m7x9fbe4fey9tg3s33gak8w3', scope }

export const appShareRoutes: FastifyPluginAsyncZod<AppDeps> = async (app, { db, clock, publicUrl }) => {
  app.post(
    '/users/:user_id/claims',
    {
      config: {
        request: APP_REQUESTS.claim,
        errors: ['invalid_request', 'not_found'],
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
          'Gives the user access to the session it was made for. A link is good for whoever has it, an invite for one. Done again, it changes nothing. No event tells of it.',
        params: z.object({ user_id }),
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
      config: { errors: ['invalid_request', 'not_found'], example },
      schema: {
        operationId: 'getShareScope',
        tags,
        summary: 'Get what is shared of a session',
        description: 'Everything, unless it was changed.',
        params,
        response: { 200: SessionShareScope }
      }
    },
    async ({ params: { user_id, session_id } }) => ({
      session_id,
      scope: (await findShareScope(db, user_id, session_id)) ?? noSession()
    })
  )

  app.patch(
    '/users/:user_id/sessions/:session_id/share-scope',
    {
      config: { request: APP_REQUESTS.shareScope, errors: ['invalid_request', 'not_found'], example },
      schema: {
        operationId: 'updateShareScope',
        tags,
        summary: 'Change what is shared of a session',
        description: 'For everyone it is shared with, from the next request on. Send what is to change.',
        params,
        body: ShareScopePatch,
        response: { 200: SessionShareScope }
      }
    },
    async ({ params: { user_id, session_id }, body }) => ({
      session_id,
      scope: (await changeShareScope(db, user_id, session_id, body)) ?? noSession()
    })
  )
}

function refuse(fault: unknown): never {
  if (!(fault instanceof ClaimRefused)) throw fault
  throw fault.refusal === 'own' ? invalid(`url: ${fault.message}`) : new ApiError('not_found', fault.message)
}

function noSession(): never {
  throw notFound('Session')
}

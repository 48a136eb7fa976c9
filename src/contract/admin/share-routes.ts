import { OPERATIONS } from '../operations.ts'
import type { RouteDescription } from '../routes/route.ts'
import { ADMIN_REQUESTS } from './request-examples.ts'
import { SessionPath } from './session.ts'
import { ClaimCreate, Claimed, SessionShareScope, ShareScopePatch } from './share.ts'
import { UserPath } from './user.ts'

const tags = ['Sharing']
const ownerId = 'usr_01m7x1q4t8f0kr8y2sdc4n6vqe'
const sessionId = 'ses_01m7x9fbe4fey9tg3s33gak8w3'
const shareScope = {
  session_id: sessionId,
  scope: { summary: true, transcript: true, audio: false, action_items: true }
}

/** Routes of the admin API alone. */
export const OPERATOR_SHARING_ROUTES = {
  claimShare: {
    method: 'POST',
    url: '/claims',
    config: {
      scopes: OPERATIONS.claimShare,
      openapi: {
        request: ADMIN_REQUESTS.claim,
        example: {
          owner_id: ownerId,
          session_id: sessionId,
          session_url: `http://127.0.0.1:8080/shared/${ownerId}/${sessionId}`
        }
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
  getShareScope: {
    method: 'GET',
    url: '/sessions/:session_id/share-scope',
    config: { scopes: OPERATIONS.getShareScope, openapi: { example: shareScope } },
    schema: {
      operationId: 'getShareScope',
      tags,
      summary: 'Get the shared parts of a session',
      description: 'The shared parts of a session. By default all parts are shared.',
      params: SessionPath,
      response: { 200: SessionShareScope }
    }
  },
  updateShareScope: {
    method: 'PATCH',
    url: '/sessions/:session_id/share-scope',
    config: {
      scopes: OPERATIONS.updateShareScope,
      openapi: { request: ADMIN_REQUESTS.shareScope, example: shareScope }
    },
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
  }
} satisfies Record<string, RouteDescription>

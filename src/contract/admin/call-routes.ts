import { LIMITS } from '../limits.ts'
import { OPERATIONS } from '../operations.ts'
import { PackedCallPatch } from '../packed-document.ts'
import type { RouteDescription } from '../routes/route.ts'
import { CallCreate } from './call.ts'
import { ADMIN_EXAMPLES } from './examples.ts'
import { ADMIN_REQUESTS } from './request-examples.ts'
import { AdminSession, SessionPath } from './session.ts'
import { UserPath } from './user.ts'

const tags = ['Calls']
const example = ADMIN_EXAMPLES.call

export const CALL_ROUTES = {
  startCall: {
    method: 'POST',
    url: '/calls',
    config: { scopes: OPERATIONS.startCall, openapi: { request: ADMIN_REQUESTS.call, example } },
    schema: {
      operationId: 'startCall',
      tags,
      summary: 'Start a call',
      description:
        'Creates a session of type phone. It can be read by id during the call, and is listed once completed. A second request with the same `external_id` changes nothing and returns the existing session with 200.',
      params: UserPath,
      body: CallCreate,
      response: { 200: AdminSession, 201: AdminSession }
    }
  },
  updateCall: {
    method: 'PATCH',
    url: '/calls/:session_id',
    bodyLimit: LIMITS.documentBytes,
    config: {
      scopes: OPERATIONS.updateCall,
      shape: 'PackedCallPatch',
      maxValues: LIMITS.documentValues,
      openapi: { request: ADMIN_REQUESTS.callChange, errors: ['conflict'], example }
    },
    schema: {
      operationId: 'updateCall',
      tags,
      summary: 'Update a call',
      description:
        'Changes the status from ringing to in_progress, missed or failed; and from in_progress to completed or failed. Send the transcript with the final status; the session is then processed like any other. A missed or failed call without speech becomes a failed session, which is not listed. The current status changes nothing.',
      params: SessionPath,
      body: PackedCallPatch,
      response: { 200: AdminSession }
    }
  }
} satisfies Record<string, RouteDescription>

import { EXAMPLES } from '../examples.ts'
import { OPERATIONS } from '../operations.ts'
import type { RouteDescription } from '../routes/route.ts'
import { sessionRoutes } from '../routes/sessions.ts'
import { ADMIN_EXAMPLES } from './examples.ts'
import { ADMIN_REQUESTS } from './request-examples.ts'
import {
  AdminSession,
  AdminSessionChange,
  AdminSessionDeleteQuery,
  AdminSessionList,
  AdminSessionListQuery,
  AudioDeleted,
  SessionPath
} from './session.ts'

const { state, failure, external_id, deleted_at } = ADMIN_EXAMPLES.session
const [row] = EXAMPLES.sessionList.sessions

/** The routes of `/v1` as the operator has them below a user's path. */
export const ADMIN_SESSION_ROUTES = sessionRoutes({
  list: {
    description:
      'Sessions in every state, or in one, newest first. The other filters are those of `/v1`. Pass `next_cursor` as `cursor` to get the next page.',
    query: AdminSessionListQuery,
    response: AdminSessionList,
    example: {
      sessions: [{ ...row, status: 'completed', failure_reason: null, state, failure, external_id, deleted_at }],
      next_cursor: null,
      has_more: false
    }
  },
  get: {
    description: 'A session in any state, with its state, failure and time of deletion.',
    response: AdminSession,
    example: ADMIN_EXAMPLES.session
  },
  update: {
    description:
      'Changes the fields of `/v1`, and also summary, timestamp and type. A new timestamp moves the session in lists, and moves due dates that were given in words. Records `session.updated`, and `session.action_items.updated` if items change. A change to the current values records no event.',
    body: AdminSessionChange,
    shape: 'AdminSessionChange',
    request: ADMIN_REQUESTS.sessionChange
  },
  delete: {
    description:
      'Moves a session to the trash, from which it can be restored. With `permanently=true` deletes it permanently, from the trash too. Records `session.deleted` once, for completed sessions and for those with an earlier event.',
    query: AdminSessionDeleteQuery
  }
})

/** Operations that only the operator has. */
export const OPERATOR_ROUTES = {
  deleteRecording: {
    method: 'DELETE',
    url: '/sessions/:session_id/audio',
    config: {
      scopes: OPERATIONS.deleteRecording,
      openapi: { example: { id: EXAMPLES.sessionDetail.id, audio_deleted_at: '2026-03-02T10:00:00.000Z' } }
    },
    schema: {
      operationId: 'deleteRecording',
      tags: ['Sessions'],
      summary: 'Delete the recording of a session',
      description:
        'Deletes audio and video permanently, of a session in the trash too, and keeps transcript and summary. Records no event. Repeating it changes nothing.',
      params: SessionPath,
      response: { 200: AudioDeleted }
    }
  }
} satisfies Record<string, RouteDescription>

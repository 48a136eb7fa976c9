import { z } from 'zod'
import type { AdminSession, AdminSessionList } from '../admin/session.ts'
import { BulkRequest, BulkResponse } from '../bulk.ts'
import { sessionId } from '../common.ts'
import { EXAMPLES } from '../examples.ts'
import { IdempotencyHeaders } from '../idempotency.ts'
import { SessionIfMatch } from '../if-match.ts'
import { LIMITS } from '../limits.ts'
import { OPERATIONS } from '../operations.ts'
import { REQUESTS } from '../request-examples.ts'
import { SessionDetail, SessionList, SessionListQuery, type SessionListRequest } from '../session.ts'
import { SessionAccepted } from '../session-accepted.ts'
import {
  SessionChange,
  SessionChanged,
  type SessionChangeRequest,
  SessionDeleted,
  SessionDeleteQuery
} from '../session-change.ts'
import { StatsQuery, StatsResponse } from '../stats.ts'
import type { BodyShape, RouteDescription } from './route.ts'

const tags = ['Sessions']
const params = z.object({ id: sessionId })

/** The parts of the routes in which the doors differ. */
interface SessionDoor {
  list: {
    description: string
    query: z.ZodType<SessionListRequest>
    response: z.ZodType<SessionList | AdminSessionList, SessionList | AdminSessionList>
    example: object
  }
  get: {
    description: string
    response: z.ZodType<SessionDetail | AdminSession, SessionDetail | AdminSession>
    example: object
  }
  update: { description: string; body: z.ZodType<SessionChangeRequest>; shape: BodyShape; request: object }
  delete: { description: string; query: z.ZodType<SessionDeleteQuery> }
}

export type SessionRoutes = ReturnType<typeof sessionRoutes>

/** The routes of sessions as one door has them. */
export function sessionRoutes(door: SessionDoor) {
  return {
    listSessions: {
      method: 'GET',
      url: '/sessions',
      config: {
        scopes: OPERATIONS.listSessions,
        headers: ['ETag', 'Link'],
        openapi: { errors: ['not_found'], example: door.list.example }
      },
      schema: {
        operationId: 'listSessions',
        tags,
        summary: 'List sessions',
        description: door.list.description,
        querystring: door.list.query,
        response: { 200: door.list.response }
      }
    },
    getSession: {
      method: 'GET',
      url: '/sessions/:id',
      config: { scopes: OPERATIONS.getSession, headers: ['ETag'], openapi: { example: door.get.example } },
      schema: {
        operationId: 'getSession',
        tags,
        summary: 'Get a session',
        description: door.get.description,
        params,
        response: { 200: door.get.response }
      }
    },
    updateSession: {
      method: 'PATCH',
      url: '/sessions/:id',
      bodyLimit: LIMITS.patchBytes,
      config: {
        scopes: OPERATIONS.updateSession,
        headers: ['ETag'],
        shape: door.update.shape,
        openapi: {
          errors: ['conflict', 'precondition_failed'],
          request: door.update.request,
          example: EXAMPLES.sessionChanged
        }
      },
      schema: {
        operationId: 'updateSession',
        tags,
        summary: 'Change a session',
        description: door.update.description,
        params,
        headers: z.looseObject({ 'if-match': SessionIfMatch }),
        body: door.update.body,
        response: { 200: SessionChanged }
      }
    },
    deleteSession: {
      method: 'DELETE',
      url: '/sessions/:id',
      config: { scopes: OPERATIONS.deleteSession, openapi: { example: EXAMPLES.sessionDeleted } },
      schema: {
        operationId: 'deleteSession',
        tags,
        summary: 'Delete a session',
        description: door.delete.description,
        params,
        querystring: door.delete.query,
        response: { 200: SessionDeleted }
      }
    },
    restoreSession: {
      method: 'POST',
      url: '/sessions/:id/restore',
      config: {
        scopes: OPERATIONS.restoreSession,
        headers: ['Location'],
        openapi: { example: EXAMPLES.sessionRestored }
      },
      schema: {
        operationId: 'restoreSession',
        tags,
        summary: 'Restore a session from the trash',
        description:
          'Restores a session with its folders, people and shares. Records `session.updated` if the session is listed again or its deletion was recorded. Repeating it changes nothing.',
        params,
        headers: IdempotencyHeaders,
        response: { 200: SessionAccepted }
      }
    },
    getStats: {
      method: 'GET',
      url: '/sessions/stats',
      config: { scopes: OPERATIONS.getStats, openapi: { example: EXAMPLES.stats } },
      schema: {
        operationId: 'getStats',
        tags,
        summary: 'Count sessions',
        description: 'Counts and durations of the completed sessions in a period, by type and platform.',
        querystring: StatsQuery,
        response: { 200: StatsResponse }
      }
    },
    exportSessions: {
      method: 'POST',
      url: '/sessions/bulk',
      config: { scopes: OPERATIONS.exportSessions, openapi: { request: REQUESTS.bulk, example: EXAMPLES.bulk } },
      schema: {
        operationId: 'exportSessions',
        tags,
        summary: 'Export sessions',
        description:
          'Exports up to 50 sessions with summaries and, on request, transcripts. `errors` lists the sessions that were not found.',
        body: BulkRequest,
        response: { 200: BulkResponse }
      }
    }
  } satisfies Record<string, RouteDescription>
}

/** The routes of `/v1`. */
export const SESSION_ROUTES = sessionRoutes({
  list: {
    description:
      'Completed sessions, newest first. Pass `next_cursor` as `cursor` to get the next page. With `order=updated`, by their last change: keep the last `next_cursor`, and the next sync begins there.',
    query: SessionListQuery,
    response: SessionList,
    example: EXAMPLES.sessionList
  },
  get: {
    description: 'All fields of a session except its transcript.',
    response: SessionDetail,
    example: EXAMPLES.sessionDetail
  },
  update: {
    description:
      'Send the fields to change. To avoid overwriting the changes of others, send `If-Match`: with the `ETag` of the session that you have read, or with the version of its action items, since `action_items` replaces the whole list. Records `session.updated` if a value changes. A sent list of `action_items` always counts as a change, and also records `session.action_items.updated`.',
    body: SessionChange,
    shape: 'SessionChange',
    request: REQUESTS.sessionChange
  },
  delete: {
    description:
      'Deletes a session permanently, with its transcript, recordings, action items and memberships. Its content is also erased from older events. With `permanently=false` moves it to the trash, from which it can be restored.',
    query: SessionDeleteQuery
  }
})

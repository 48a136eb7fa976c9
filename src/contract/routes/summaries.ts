import { z } from 'zod'
import { sessionId } from '../common.ts'
import { EXAMPLES } from '../examples.ts'
import { OPERATIONS } from '../operations.ts'
import { SessionSummary } from '../session-summary.ts'
import type { RouteDescription } from './route.ts'

export const SUMMARY_ROUTES = {
  getSummary: {
    method: 'GET',
    url: '/sessions/:id/summary',
    config: { scopes: OPERATIONS.getSummary, openapi: { example: EXAMPLES.summary } },
    schema: {
      operationId: 'getSummary',
      tags: ['Sessions'],
      summary: 'Get the summary of a session in parts',
      description:
        'The summary as plain text in parts, each statement with the lines of the transcript that it comes from. The session has the same as Markdown. A summary without sources is read from its Markdown. Everything is empty while a session has no summary.',
      params: z.object({ id: sessionId }),
      response: { 200: SessionSummary }
    }
  }
} satisfies Record<string, RouteDescription>

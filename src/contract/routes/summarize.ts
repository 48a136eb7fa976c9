import { z } from 'zod'
import { sessionId } from '../common.ts'
import { OPERATIONS } from '../operations.ts'
import { SUMMARY_REQUEST_EXAMPLES, SummaryOptions, SummaryRequest } from '../summary-request.ts'
import type { RouteDescription } from './route.ts'

const tags = ['Sessions']
const params = z.object({ id: sessionId })

export const SUMMARIZE_ROUTES = {
  summarizeSession: {
    method: 'POST',
    url: '/sessions/:id/summarize',
    config: {
      scopes: OPERATIONS.summarizeSession,
      openapi: { request: { action_items: 'merge' }, errors: ['conflict'], example: SUMMARY_REQUEST_EXAMPLES.accepted }
    },
    schema: {
      operationId: 'summarizeSession',
      tags,
      summary: 'Summarize a session again',
      description:
        'Makes a new summary of the transcript as it is now, in the background. Follow it with `GET /v1/sessions/{id}/summarize`. Records `session.updated`, and with changed action items also `session.action_items.updated`. A failure leaves everything as it was.',
      params,
      body: SummaryOptions,
      response: { 202: SummaryRequest }
    }
  },
  getSummaryRequest: {
    method: 'GET',
    url: '/sessions/:id/summarize',
    config: {
      scopes: OPERATIONS.getSummaryRequest,
      openapi: { example: SUMMARY_REQUEST_EXAMPLES.completed }
    },
    schema: {
      operationId: 'getSummaryRequest',
      tags,
      summary: 'Get the progress of a new summary',
      description: 'The last request to summarize the session again. Not found before the first one.',
      params,
      response: { 200: SummaryRequest }
    }
  }
} satisfies Record<string, RouteDescription>

import { z } from 'zod'
import { sessionId } from '../common.ts'
import { EXAMPLES } from '../examples.ts'
import { OPERATIONS } from '../operations.ts'
import {
  ABOUT_FILES,
  FILE_BY_ACCEPT,
  TranscriptFile,
  TranscriptRange,
  TranscriptResponse,
  transcriptFormat
} from '../transcript.ts'
import type { RouteDescription } from './route.ts'

const tags = ['Sessions']
const errors = ['conflict'] as const

export const TRANSCRIPT_ROUTES = {
  getTranscript: {
    method: 'GET',
    url: '/sessions/:id/transcript',
    config: {
      scopes: OPERATIONS.getTranscript,
      headers: ['Content-Disposition', 'Vary', 'ETag'],
      openapi: { errors, example: EXAMPLES.transcript, files: EXAMPLES.transcriptFile }
    },
    schema: {
      operationId: 'getTranscript',
      tags,
      summary: 'Get the transcript of a session',
      description: `The transcript as text, and as segments if the source has times. Empty while a session has no transcript. ${FILE_BY_ACCEPT}`,
      params: z.object({ id: sessionId }),
      querystring: TranscriptRange,
      response: { 200: TranscriptResponse }
    }
  },
  getTranscriptFile: {
    method: 'GET',
    url: '/sessions/:id/transcript.:format',
    config: {
      scopes: OPERATIONS.getTranscriptFile,
      headers: ['Content-Disposition'],
      openapi: { errors, example: EXAMPLES.transcriptFile }
    },
    schema: {
      operationId: 'getTranscriptFile',
      tags,
      summary: 'Get the transcript of a session as a file',
      description: ABOUT_FILES,
      params: z.object({ id: sessionId, format: transcriptFormat }),
      querystring: TranscriptRange,
      response: { 200: TranscriptFile }
    }
  }
} satisfies Record<string, RouteDescription>

import { z } from 'zod'
import { sessionId } from '../common.ts'
import { EXAMPLES } from '../examples.ts'
import { TranscriptIfMatch } from '../if-match.ts'
import { LIMITS } from '../limits.ts'
import { OPERATIONS } from '../operations.ts'
import { REQUESTS } from '../request-examples.ts'
import {
  ABOUT_FILES,
  FILE_BY_ACCEPT,
  TranscriptFile,
  TranscriptQuery,
  TranscriptRange,
  TranscriptResponse,
  transcriptFormat
} from '../transcript.ts'
import { TranscriptChange, TranscriptChanged } from '../transcript-change.ts'
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
      querystring: TranscriptQuery,
      response: { 200: TranscriptResponse }
    }
  },
  correctTranscript: {
    method: 'PATCH',
    url: '/sessions/:id/transcript',
    bodyLimit: LIMITS.openBodies.above,
    config: {
      scopes: OPERATIONS.correctTranscript,
      headers: ['ETag'],
      openapi: {
        errors: ['conflict', 'limit_exceeded'],
        request: REQUESTS.transcriptChange,
        example: EXAMPLES.transcriptChanged
      }
    },
    schema: {
      operationId: 'correctTranscript',
      tags,
      summary: 'Correct the transcript of a session',
      description:
        'Corrects lines of a transcript: their text, speaker or times; a `text` of null removes a line. All of them, or none. Files, search, talk times and what is shared follow. `?original=true` keeps showing what was heard. Records `session.updated`, unless every line stays the same.',
      params: z.object({ id: sessionId }),
      headers: z.looseObject({ 'if-match': TranscriptIfMatch }),
      body: TranscriptChange,
      response: { 200: TranscriptChanged }
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

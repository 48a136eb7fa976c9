import type { FastifyReply } from 'fastify'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { sessionId } from '../contract/common.ts'
import { EXAMPLES } from '../contract/examples.ts'
import {
  ABOUT_FILES,
  FILE_BY_ACCEPT,
  TRANSCRIPT_TYPES,
  TranscriptFile,
  type TranscriptFormat,
  TranscriptRange,
  TranscriptResponse,
  transcriptFormat
} from '../contract/transcript.ts'
import { throwNotFound } from '../core/api-error.ts'
import { preferredFormat, toTranscript, writeTranscript } from '../core/transcript-file.ts'
import type { Services } from '../services.ts'
import { findTranscript } from './queries.ts'

const tags = ['Sessions']

export const transcriptRoutes: FastifyPluginAsyncZod<Services> = async (app, { db }) => {
  app.get(
    '/sessions/:id/transcript',
    {
      config: {
        scopes: ['transcripts:read'],
        errors: ['conflict'],
        example: EXAMPLES.transcript,
        files: EXAMPLES.transcriptFile,
        headers: ['Vary', 'ETag']
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
    async ({ actor, params: { id }, query, headers }, reply) => {
      const transcript = (await findTranscript(db, actor.userId, id)) ?? throwNotFound('Session')
      reply.header('vary', 'Accept')
      const format = preferredFormat(headers.accept)
      if (format) return sendFile(reply, format, writeTranscript(format, transcript, query, 'Accept'))
      return { id, ...toTranscript(transcript.segments, query) }
    }
  )

  app.get(
    '/sessions/:id/transcript.:format',
    {
      config: { scopes: ['transcripts:read'], errors: ['conflict'], example: EXAMPLES.transcriptFile },
      schema: {
        operationId: 'getTranscriptFile',
        tags,
        summary: 'Get the transcript of a session as a file',
        description: ABOUT_FILES,
        params: z.object({ id: sessionId, format: transcriptFormat }),
        querystring: TranscriptRange,
        response: { 200: TranscriptFile }
      }
    },
    async ({ actor, params: { id, format }, query }, reply) => {
      const transcript = (await findTranscript(db, actor.userId, id)) ?? throwNotFound('Session')
      return sendFile(reply, format, writeTranscript(format, transcript, query))
    }
  )
}

function sendFile(reply: FastifyReply, format: TranscriptFormat, text: string) {
  return reply.type(`${TRANSCRIPT_TYPES[format]}; charset=utf-8`).send(text)
}

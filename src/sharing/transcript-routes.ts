import type { FastifyReply } from 'fastify'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { sessionId } from '../contract/common.ts'
import { EXAMPLES } from '../contract/examples.ts'
import { SHARING_CODES as codes, ownerId, SharedTranscriptResponse } from '../contract/sharing.ts'
import {
  ABOUT_FILES,
  FILE_BY_ACCEPT,
  TRANSCRIPT_TYPES,
  TranscriptFile,
  type TranscriptFormat,
  TranscriptRange,
  transcriptFormat
} from '../contract/transcript.ts'
import { throwNotFound } from '../core/api-error.ts'
import type { Services } from '../services.ts'
import { flatText, type Segment } from '../transcripts/segment.ts'
import { preferredFormat, segmentsWithin, writeTranscript } from '../transcripts/transcript-file.ts'
import { findSharedTranscript } from './recipient-queries.ts'

const tags = ['Shared sessions']
const errors = ['conflict'] as const

export const sharedTranscriptRoutes: FastifyPluginAsyncZod<Services> = async (app, { db }) => {
  async function loadTranscript(recipientId: string, owner: string, id: string) {
    const { title, segments } =
      (await findSharedTranscript(db, recipientId, owner, id)) ?? throwNotFound('Shared session')
    return { title, segments: segments ?? throwNotFound('Shared transcript') }
  }

  app.get(
    '/shared-sessions/:owner_id/:id/transcript',
    {
      config: {
        scopes: ['transcripts:read'],
        codes,
        errors,
        example: EXAMPLES.sharedTranscript,
        files: EXAMPLES.transcriptFile,
        headers: ['Vary']
      },
      schema: {
        operationId: 'getSharedTranscript',
        tags,
        summary: 'Get the transcript of a shared session',
        description: `The transcript as text and as segments. Times are absent if the source has none. Not found if the transcript is not shared. ${FILE_BY_ACCEPT}`,
        params: z.object({ owner_id: ownerId, id: sessionId }),
        querystring: TranscriptRange,
        response: { 200: SharedTranscriptResponse }
      }
    },
    async ({ actor, params: { owner_id, id }, query, headers }, reply) => {
      const transcript = await loadTranscript(actor.userId, owner_id, id)
      reply.header('vary', 'Accept')
      const format = preferredFormat(headers.accept)
      if (format) return sendFile(reply, format, writeTranscript(format, transcript, query, 'Accept'))
      const segments = segmentsWithin(transcript.segments, query)
      return { id, transcript: flatText(segments), segments: segments.map(sharedSegment) }
    }
  )

  app.get(
    '/shared-sessions/:owner_id/:id/transcript.:format',
    {
      config: { scopes: ['transcripts:read'], codes, errors, example: EXAMPLES.transcriptFile },
      schema: {
        operationId: 'getSharedTranscriptFile',
        tags,
        summary: 'Get the transcript of a shared session as a file',
        description: `${ABOUT_FILES} Not found if the transcript is not shared.`,
        params: z.object({ owner_id: ownerId, id: sessionId, format: transcriptFormat }),
        querystring: TranscriptRange,
        response: { 200: TranscriptFile }
      }
    },
    async ({ actor, params: { owner_id, id, format }, query }, reply) => {
      const transcript = await loadTranscript(actor.userId, owner_id, id)
      return sendFile(reply, format, writeTranscript(format, transcript, query))
    }
  )
}

/** Omits unknown times and empty speakers. */
function sharedSegment({ speaker, start, end, text }: Segment) {
  return { ...(speaker && { speaker }), ...(start !== null && { start }), ...(end !== null && { end }), text }
}

function sendFile(reply: FastifyReply, format: TranscriptFormat, text: string) {
  return reply.type(`${TRANSCRIPT_TYPES[format]}; charset=utf-8`).send(text)
}

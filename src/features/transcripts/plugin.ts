import type { FastifyReply } from 'fastify'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { TRANSCRIPT_ROUTES as routes } from '../../contract/routes/transcripts.ts'
import { TRANSCRIPT_TYPES, type TranscriptFormat } from '../../contract/transcript.ts'
import { attachment, fileName } from '../../platform/net/attachment.ts'
import type { TranscriptFile } from '../../platform/ports/transcript-writer.ts'
import type { Services } from '../services.ts'
import { getTranscriptFile } from './operations.ts'
import { preferredFormat } from './transcript-file.ts'

/** Transcripts over HTTP: for tokens below `/v1`, and for the operator below a user's path. */
export const transcriptsPlugin: FastifyPluginAsyncZod<{ services: Services }> = async (app, { services }) => {
  app.route({
    ...routes.getTranscript,
    handler: async ({ actor, params: { id }, query, headers }, reply) => {
      reply.header('vary', 'Accept')
      const format = preferredFormat(headers.accept) ?? 'json'
      const { original, lines, ...range } = query
      const wanted = { original: original === 'true', lines: lines === 'true' }
      const file = await getTranscriptFile(services, actor, id, { format, range, field: 'Accept', ...wanted })
      // A correction can't name a version of the original.
      if (format === 'json' && !wanted.original) reply.header('etag', `"${file.version}"`)
      return sendTranscript(reply, format, file)
    }
  })

  app.route({
    ...routes.getTranscriptFile,
    handler: async ({ actor, params: { id, format }, query: range }, reply) => {
      return sendTranscript(reply, format, await getTranscriptFile(services, actor, id, { format, range }))
    }
  })
}

export function sendTranscript(
  reply: FastifyReply,
  format: TranscriptFormat | 'json',
  { title, content }: TranscriptFile
) {
  if (format === 'json') return reply.type('application/json; charset=utf-8').send(content)
  reply.header('content-disposition', attachment(fileName(title, format)))
  return reply.type(`${TRANSCRIPT_TYPES[format]}; charset=utf-8`).send(content)
}

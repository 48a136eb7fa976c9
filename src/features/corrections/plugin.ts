import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { TRANSCRIPT_ROUTES as routes } from '../../contract/routes/transcripts.ts'
import type { Services } from '../services.ts'
import { correctTranscript } from './correct-transcript.ts'

/** Corrections of transcripts over HTTP: for tokens below `/v1`, and for the operator below a user's path. */
export const correctionsPlugin: FastifyPluginAsyncZod<{ services: Services }> = async (app, { services }) => {
  app.route({
    ...routes.correctTranscript,
    handler: async ({ actor, params, headers, body }, reply) => {
      const precondition = headers['if-match']
      const changed = await correctTranscript(services, actor, params.id, body, { precondition })
      reply.header('etag', `"${changed.version}"`)
      return changed
    }
  })
}

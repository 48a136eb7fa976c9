import type { FastifyRequest } from 'fastify'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { RECORDING_ROUTES as routes } from '../../contract/routes/recordings.ts'
import { throwNotFound } from '../../platform/core/api-error.ts'
import { mediaLinks } from '../library/media-links.ts'
import type { Services } from '../services.ts'
import { trackDownloads } from './follow-downloads.ts'
import { findLinkedRecording, getMedia } from './operations.ts'
import { sendFile } from './send-file.ts'

/** Links to recordings over HTTP: for tokens below `/v1`, and for the operator below a user's path. */
export const recordingsPlugin: FastifyPluginAsyncZod<{ services: Services }> = async (app, { services }) => {
  app.route({
    ...routes.getMedia,
    handler: ({ actor, params }) => getMedia(services, actor, params.id)
  })
}

/** The recordings that signed links lead to. A link needs no token. */
export const mediaLinkPlugin: FastifyPluginAsyncZod<{ services: Services }> = async (app, { services }) => {
  const links = mediaLinks(services)
  const downloads = trackDownloads()
  app.addHook('preClose', () => downloads.stop())

  /** Returns the link if this server signed it. */
  function signedLink(request: FastifyRequest) {
    const sent = readLink(request)
    return sent && links.matches(sent.link, sent.signature) ? sent.link : undefined
  }

  app.get(
    '/media/:owner/:session/:kind',
    {
      config: { scopes: 'public', hasSignature: request => signedLink(request) !== undefined },
      schema: { hide: true }
    },
    async (request, reply) => {
      const link = signedLink(request) ?? throwNotFound('Media')
      const found = await findLinkedRecording(services, link, request.method === 'HEAD' ? 'HEAD' : 'GET')
      if ('address' in found) return reply.header('cache-control', 'no-store').redirect(found.address)
      downloads.follow(reply.raw)
      return await sendFile(request, reply, found.root, found.stored)
    }
  )
}

const SignedLink = z.object({
  owner: z.string(),
  session: z.string(),
  kind: z.string(),
  expires: z.string().regex(/^[1-9]\d{0,11}$/),
  grant: z.string().default(''),
  signature: z.string()
})

/** Returns undefined if the URL is not a media link. */
function readLink({ params, query }: FastifyRequest) {
  const { data } = SignedLink.safeParse({ ...Object(query), ...Object(params) })
  if (!data) return undefined
  const { owner: userId, session, kind, expires, grant, signature } = data
  return { link: { userId, sessionId: session, kind, expires: Number(expires), grant }, signature }
}

import send from '@fastify/send'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { sessionId } from '../contract/common.ts'
import { EXAMPLES } from '../contract/examples.ts'
import { MediaResponse } from '../contract/media.ts'
import { ApiError, throwNotFound } from '../core/api-error.ts'
import { mediaLinks } from '../media/links.ts'
import { MediaError, type StoredMedia } from '../media/media.ts'
import type { Services } from '../services.ts'
import { findGrantedMedia } from '../sharing/recipient-media.ts'
import { trackDownloads } from './downloads.ts'
import { findMedia, findStoredMedia } from './media.ts'

const tags = ['Sessions']

export const mediaRoutes: FastifyPluginAsyncZod<Services> = async (app, { db, clock, media, publicUrl, secretKey }) => {
  const links = mediaLinks({ publicUrl, secretKey })
  const downloads = trackDownloads()
  app.addHook('preClose', () => downloads.stop())

  /** Returns the link if this server signed it. */
  function signedLink(request: FastifyRequest) {
    const sent = readLink(request)
    return sent && links.matches(sent.link, sent.signature) ? sent.link : undefined
  }

  app.get(
    '/sessions/:id/media',
    {
      config: { scopes: ['media:read'], example: EXAMPLES.media },
      schema: {
        operationId: 'getMedia',
        tags,
        summary: 'Get links to the recording of a session',
        description:
          'Links signed by this server are valid for one hour, for anyone who has them. Follow their redirects. URLs of recordings on other servers are returned unchanged.',
        params: z.object({ id: sessionId }),
        response: { 200: MediaResponse }
      }
    },
    async ({ actor, params: { id } }) =>
      (await findMedia(db, actor.userId, id, links, clock.now())) ?? throwNotFound('Session')
  )

  app.get(
    '/media/:owner/:session/:kind',
    {
      config: { scopes: 'public', hasSignature: request => signedLink(request) !== undefined },
      // Overrides the request deadline, which would abort long downloads.
      handlerTimeout: MAX_DOWNLOAD_MS,
      schema: { hide: true }
    },
    async (request, reply) => {
      const link = signedLink(request)
      if (!link || link.expires * 1_000 <= clock.now().getTime()) throwNotFound('Media')
      // The lookup runs for every request, so that a link ends when its recording or the access of its recipient does.
      const { userId, sessionId, kind, grant } = link
      const stored =
        grant === ''
          ? await findStoredMedia(db, userId, sessionId, kind)
          : await findGrantedMedia(db, userId, sessionId, kind, grant)
      if (!stored) throwNotFound('Media')
      const { source } = media
      if ('presign' in source) {
        const method = request.method === 'HEAD' ? 'HEAD' : 'GET'
        const address = await source.presign(stored.key, method, clock.now()).catch(toUnavailable)
        return reply.header('cache-control', 'no-store').redirect(address)
      }
      downloads.follow(reply.raw)
      return await sendFile(request, reply, source.root, stored)
    }
  )
}

const MAX_DOWNLOAD_MS = 24 * 3_600_000

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

async function sendFile(
  { raw, log }: FastifyRequest,
  reply: FastifyReply,
  root: string,
  { key, contentType, bytes }: StoredMedia
) {
  raw.headers.range = understoodRange(raw.headers.range, bytes)
  const { type, statusCode, headers, stream } = await send(raw, `/${key}`, {
    root,
    index: false,
    cacheControl: false,
    contentType: false
  })
  if (type === 'file') {
    const own = { 'content-type': contentType, 'content-disposition': 'inline', 'cache-control': 'private' }
    return reply
      .code(statusCode)
      .headers({ ...headers, ...own })
      .send(stream)
  }
  if (statusCode === 416) {
    reply.header('content-range', `bytes */${bytes}`)
    throw new ApiError('invalid_request', `the recording has ${bytes} bytes`, {
      field: 'Range',
      expected: 'a range within them',
      status: 416
    })
  }
  if (statusCode === 412)
    throw new ApiError('invalid_request', 'The recording does not match the precondition of the request', {
      status: 412
    })
  // The database has a row for the file, so a missing file needs the operator.
  log.error({ recording: key }, 'recording cannot be read')
  if (statusCode >= 500)
    throw new ApiError('service_unavailable', 'The recording cannot be read now; try again', { retryAfter: 60 })
  throwNotFound('Media')
}

/**
 * Adapts a Range header for @fastify/send 4.2, so that it follows RFC 9110: an invalid range, and a suffix longer than the recording,
 * return the whole.
 */
function understoodRange(range: string | undefined, bytes: number) {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(range ?? '') ?? []
  if (first === undefined || last === undefined || (first === '' && last === '')) return undefined
  if (first === '') return Number(last) > bytes ? undefined : range
  return last !== '' && Number(last) < Number(first) ? undefined : range
}

function toUnavailable(error: unknown): never {
  if (!(error instanceof MediaError)) throw error
  throw new ApiError('service_unavailable', 'The recording cannot be read now; try again', {
    retryAfter: 60,
    cause: error
  })
}

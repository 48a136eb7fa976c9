import send from '@fastify/send'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { EXAMPLES } from '../contract/examples.ts'
import { MediaResponse } from '../contract/media.ts'
import { ApiError, notFound } from '../core/api-error.ts'
import type { Deps } from '../deps.ts'
import { mediaLinks } from '../media/links.ts'
import { MediaError } from '../media/media.ts'
import { findStoredOfGrant } from '../sharing/media.ts'
import { openDownloads } from './downloads.ts'
import { findMedia, findStored } from './media.ts'
import { sessionId } from './params.ts'

const tags = ['Sessions']

export const mediaRoutes: FastifyPluginAsyncZod<Deps> = async (app, { db, clock, media, publicUrl, secretKey }) => {
  const links = mediaLinks({ publicUrl, secretKey })
  const downloads = openDownloads()
  app.addHook('preClose', () => downloads.stop())

  /** The link of a request, when this server has signed it. */
  function signedLink(request: FastifyRequest) {
    const sent = readLink(request)
    return sent && links.matches(sent.link, sent.signature) ? sent.link : undefined
  }

  app.get(
    '/sessions/:id/media',
    {
      config: { scopes: ['media:read'], errors: ['invalid_request', 'not_found'], example: EXAMPLES.media },
      schema: {
        operationId: 'getMedia',
        tags,
        summary: 'Get links to the recording of a session',
        description:
          'Links that the server signs are good for an hour, for whoever has them; follow their redirects. Those of a recording kept elsewhere are as they came.',
        params: sessionId,
        response: { 200: MediaResponse }
      }
    },
    async ({ caller, params: { id } }) => (await findMedia(db, caller.userId, id, links, clock.now())) ?? noSession()
  )

  app.get(
    '/media/:owner/:session/:kind',
    {
      config: { scopes: 'public', errors: ['not_found'], hasSignature: request => signedLink(request) !== undefined },
      // As long as somebody listens: the usual limit would cut off an answer that is under way.
      handlerTimeout: LONGEST_DOWNLOAD_MS,
      schema: { hide: true }
    },
    async (request, reply) => {
      const link = signedLink(request)
      if (!link || link.expires * 1_000 <= clock.now().getTime()) throw noMedia()
      // Looked up for every request: the moment a recording is deleted, or a recipient's access taken away, the links are dead.
      const { userId, sessionId, kind, grant } = link
      const stored =
        grant === '' ? await findStored(db, userId, sessionId, kind) : await findStoredOfGrant(db, userId, sessionId, kind, grant)
      if (!stored) throw noMedia()
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

const LONGEST_DOWNLOAD_MS = 24 * 3_600_000

const SignedLink = z.object({
  owner: z.string(),
  session: z.string(),
  kind: z.string(),
  expires: z.string().regex(/^[1-9]\d{0,11}$/),
  grant: z.string().default(''),
  signature: z.string()
})

/** Undefined for what has not the form of a link. */
function readLink({ params, query }: FastifyRequest) {
  const { data } = SignedLink.safeParse({ ...Object(query), ...Object(params) })
  if (!data) return undefined
  const { owner: userId, session, kind, expires, grant, signature } = data
  return { link: { userId, sessionId: session, kind, expires: Number(expires), grant }, signature }
}

interface Stored {
  key: string
  contentType: string
  bytes: number
}

async function sendFile({ raw, log }: FastifyRequest, reply: FastifyReply, root: string, { key, contentType, bytes }: Stored) {
  raw.headers.range = understoodRange(raw.headers.range, bytes)
  const { type, statusCode, headers, stream } = await send(raw, `/${key}`, { root, index: false, cacheControl: false, contentType: false })
  if (type === 'file') {
    const own = { 'content-type': contentType, 'content-disposition': 'inline', 'cache-control': 'private' }
    return reply
      .code(statusCode)
      .headers({ ...headers, ...own })
      .send(stream)
  }
  if (statusCode === 416) {
    reply.header('content-range', `bytes */${bytes}`)
    throw new ApiError('invalid_request', `Range: the recording has ${bytes} bytes; send a range within them`, { status: 416 })
  }
  if (statusCode === 412) throw new ApiError('invalid_request', 'The recording is not the one that the request insists on', { status: 412 })
  // A session has it, so that it ought to be there: only the operator can help.
  log.error({ recording: key }, 'recording cannot be read')
  if (statusCode >= 500) throw new ApiError('service_unavailable', 'The recording cannot be read now; try again', { retryAfter: 60 })
  throw noMedia()
}

/**
 * A Range header that @fastify/send 4.2 reads as RFC 9110 has it. One that is no single range is answered with the whole;
 * so is the end of a recording that is shorter than the end asked for.
 */
function understoodRange(range: string | undefined, bytes: number) {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(range ?? '') ?? []
  if (first === undefined || last === undefined || (first === '' && last === '')) return undefined
  if (first === '') return Number(last) > bytes ? undefined : range
  return last !== '' && Number(last) < Number(first) ? undefined : range
}

function toUnavailable(fault: unknown): never {
  if (!(fault instanceof MediaError)) throw fault
  throw new ApiError('service_unavailable', 'The recording cannot be read now; try again', { retryAfter: 60, cause: fault })
}

function noMedia() {
  return notFound('Media')
}

function noSession(): never {
  throw notFound('Session')
}

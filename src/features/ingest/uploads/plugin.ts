import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { LIMITS } from '../../../contract/limits.ts'
import { CHECKSUM_ALGORITHMS, PART_TYPE, TUS_EXTENSIONS, TUS_VERSION } from '../../../contract/part-upload.ts'
import { UPLOAD_ROUTES } from '../../../contract/routes/uploads.ts'
import { ApiError } from '../../../platform/core/api-error.ts'
import type { Services } from '../../services.ts'
import { appendToUpload, cancelUpload, createUpload, getUpload, type UploadState } from './operations.ts'

interface Options {
  services: Services
  /** The routes as this door has them. Default: those of `/v1`. */
  routes?: typeof UPLOAD_ROUTES
}

/** Uploads in parts, by the tus protocol: for tokens below `/v1`, and for the page of uploads. */
export const uploadPartsPlugin: FastifyPluginAsyncZod<Options> = async (app, { services, routes = UPLOAD_ROUTES }) => {
  app.addContentTypeParser(PART_TYPE, (_request, payload, done) => done(null, payload))
  app.addHook('onSend', async ({ method }, reply) => {
    if (method === 'OPTIONS') reply.headers(OFFERED)
    else reply.header('tus-resumable', TUS_VERSION)
  })
  app.addHook('preValidation', async ({ method, headers }, reply) => {
    if (method === 'OPTIONS' || headers['tus-resumable'] === TUS_VERSION) return
    reply.header('tus-version', TUS_VERSION)
    const problem = `Tus-Resumable: send ${TUS_VERSION}, the version of tus that this server speaks`
    throw new ApiError('precondition_failed', problem)
  })

  app.route({
    ...routes.createUpload,
    handler: async (request, reply) => {
      const { actor, headers } = request
      const made = await createUpload(services, actor, {
        bytes: headers['upload-length'],
        metadata: headers['upload-metadata']
      })
      const { id } = made
      reply.code(201).header('location', `${app.basePath}${app.prefix}/uploads/${id}`)
      const bytes = bodyOf(request)
      const part = bytes && { offset: 0, bytes, announcedBytes: announcedBytesOf(request) }
      const state = part ? await appendToUpload(services, actor, id, part) : made
      show(reply, state)
      return { id, offset: state.offset, bytes: state.bytes ?? null, expires_at: state.expiresAt.toISOString() }
    }
  })

  app.route({
    ...routes.getUpload,
    handler: async ({ actor, params: { id } }, reply) => {
      const state = await getUpload(services, actor, id)
      const length = state.bytes === undefined ? { 'upload-defer-length': 1 } : { 'upload-length': state.bytes }
      reply.code(200).headers({ ...length, 'upload-metadata': state.metadata })
      show(reply, state)
    }
  })

  app.route({
    ...routes.appendToUpload,
    handler: async (request, reply) => {
      const { actor, params, headers } = request
      const part = {
        offset: headers['upload-offset'],
        bytes: bodyOf(request) ?? Readable.from([]),
        announcedBytes: announcedBytesOf(request),
        checksum: checksumOf(headers['upload-checksum']),
        length: headers['upload-length']
      }
      reply.code(204)
      show(reply, await appendToUpload(services, actor, params.id, part))
    }
  })

  app.route({
    ...routes.cancelUpload,
    handler: async ({ actor, params: { id } }, reply) => {
      await cancelUpload(services, actor, id)
      reply.code(204)
    }
  })

  for (const url of ['/uploads', '/uploads/:id'])
    app.options(url, { config: { scopes: 'public' }, schema: { hide: true } }, async (_request, reply) => {
      reply.code(204)
    })
}

/** The headers by which the server says what it speaks. */
const OFFERED = {
  'tus-version': TUS_VERSION,
  'tus-extension': TUS_EXTENSIONS.join(','),
  'tus-max-size': LIMITS.uploadBytes,
  'tus-checksum-algorithm': CHECKSUM_ALGORITHMS.join(',')
}

function show(reply: FastifyReply, { offset, expiresAt }: UploadState) {
  reply.headers({ 'upload-offset': offset, 'upload-expires': expiresAt.toUTCString() })
}

function bodyOf({ body }: FastifyRequest) {
  if (body === undefined || body instanceof Readable) return body
  throw new ApiError('invalid_request', `Send the body as Content-Type: ${PART_TYPE}`, { status: 415 })
}

function announcedBytesOf({ headers }: FastifyRequest) {
  return Number(headers['content-length'] ?? 0)
}

function checksumOf(header: string | undefined) {
  const [name = '', digest = ''] = header?.split(' ') ?? []
  const algorithm = CHECKSUM_ALGORITHMS.find(known => known === name)
  return algorithm && { algorithm, digest: Buffer.from(digest, 'base64') }
}

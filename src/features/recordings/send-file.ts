import { extname } from 'node:path'
import send from '@fastify/send'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError, throwNotFound } from '../../platform/core/api-error.ts'
import type { StoredMedia } from '../../platform/ports/media-store.ts'

/** The name that errors have for the file, and its Content-Disposition. */
interface Named {
  what: string
  disposition: string
}

/** Sends a stored recording, or the range of it that the request names. */
export async function sendFile(request: FastifyRequest, reply: FastifyReply, root: string, stored: StoredMedia) {
  const disposition = `inline; filename="recording${extname(stored.key)}"`
  return await sendStored(request, reply, root, stored, { what: 'recording', disposition })
}

/** Sends a file below `root`, or the range of it that the request names. */
export async function sendStored(
  { raw, log }: FastifyRequest,
  reply: FastifyReply,
  root: string,
  { key, contentType, bytes }: StoredMedia,
  { what, disposition }: Named
) {
  raw.headers.range = understoodRange(raw.headers.range, bytes)
  const { type, statusCode, headers, stream } = await send(raw, `/${key}`, {
    root,
    index: false,
    cacheControl: false,
    contentType: false
  })
  if (type === 'file') {
    const own = {
      'content-type': contentType,
      'content-disposition': disposition,
      'cache-control': 'private'
    }
    return reply
      .code(statusCode)
      .headers({ ...headers, ...own })
      .send(stream)
  }
  if (statusCode === 416) {
    reply.header('content-range', `bytes */${bytes}`)
    throw new ApiError('invalid_request', `the ${what} has ${bytes} bytes`, {
      field: 'Range',
      expected: 'a range within them',
      status: 416
    })
  }
  if (statusCode === 412)
    throw new ApiError('invalid_request', `The ${what} does not match the precondition of the request`, {
      status: 412
    })
  // The database has a row for the file, so a missing file needs the operator.
  log.error({ file: key }, `${what} cannot be read`)
  if (statusCode >= 500)
    throw new ApiError('service_unavailable', `The ${what} cannot be read now; try again`, { retryAfter: 60 })
  throwNotFound(what === 'recording' ? 'Media' : 'Export')
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

import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { LIMITS } from '../../../contract/limits.ts'
import type { Services } from '../../../features/services.ts'
import { ApiError } from '../../../platform/core/api-error.ts'
import { readJson } from '../../../platform/core/read-json.ts'
import { openBudget } from '../../../platform/work/budget.ts'
import { hasBody } from './arrival.ts'
import { INLINE_BYTES, receiveBody } from './large-body.ts'

/** A body that was validated where it was parsed. */
export class ValidBody {
  readonly value: unknown

  constructor(value: unknown) {
    this.value = value
  }
}

/**
 * Reads JSON bodies. An empty body under a JSON content type counts as no body, because many clients always send the header. A large body is
 * parsed and validated in another process, so that it delays no other request.
 */
export function readJsonBodies(
  app: FastifyInstance,
  { reader, uploadFolder, diskReserve }: Pick<Services, 'reader' | 'uploadFolder' | 'diskReserve'>
) {
  const reserve = openBudget(LIMITS.openBodies, 'Too many large bodies are arriving at once; try again')
  app.addHook('onRoute', ({ method, url, bodyLimit = 0, config }) => {
    if (bodyLimit > INLINE_BYTES && !config?.shape)
      throw new Error(`${method} ${url} takes large bodies and declares no shape`)
  })
  app.addHook('preParsing', async request => {
    if (!request.is404 && hasBody(request)) refuseCompression(request)
  })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', async (request: FastifyRequest, payload: IncomingMessage) => {
    const { bodyLimit, config } = request.routeOptions
    const { maxValues = LIMITS.bodyValues, repairsText = false, shape } = config
    const owner = request.actor?.userId ?? 'admin'
    const arrival = {
      limit: bodyLimit,
      folder: uploadFolder,
      diskReserve,
      reserve: (bytes: number) => reserve(owner, bytes)
    }
    await using body = await receiveBody(payload, arrival)
    if (body.path === undefined && body.bytes.length === 0) return undefined
    refuseCharset(request)
    if (body.path === undefined || shape === undefined) return readJson(body.bytes, { maxValues, repairsText })
    const { value, ignored } = await reader.readBody(body.path, owner, { shape, maxValues, repairsText })
    request.ignored = ignored
    return new ValidBody(value)
  })
}

/** Compressed bytes would be read as they are, a file's included. */
function refuseCompression({ headers }: FastifyRequest) {
  const compression = headers['content-encoding'] ?? 'identity'
  if (compression.toLowerCase() !== 'identity') throw refusal('Send the body without Content-Encoding')
}

function refuseCharset({ headers }: FastifyRequest) {
  for (const [, charset = ''] of (headers['content-type'] ?? '').matchAll(/;\s*charset\s*=\s*"?([^\s;"]*)/gi))
    if (!/^utf-?8$/i.test(charset)) throw refusal('Send the body in UTF-8, as Content-Type: application/json')
}

function refusal(message: string) {
  return new ApiError('invalid_request', message, { status: 415 })
}

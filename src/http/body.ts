import { isUtf8 } from 'node:buffer'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { LIMITS } from '../contract/limits.ts'
import { ApiError, invalid } from '../core/api-error.ts'
import { scanJson } from './json.ts'
import { unstorableFault } from './text.ts'

/**
 * Reads JSON bodies. A scan of the bytes first refuses what would cost too much to parse or could not be stored.
 * No body under a JSON content type is no body: many clients send the header always.
 */
export function readJsonBodies(app: FastifyInstance) {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    if (bytes.length === 0) return done(null, undefined)
    const { maxValues = LIMITS.bodyValues, repairsText = false } = request.routeOptions.config
    const { faultAt, tooManyValues, unstorable } = scanJson(bytes, maxValues)
    const encoding = encodingFault(request, bytes)
    if (encoding) return done(encoding)
    if (faultAt !== undefined) return done(invalid(`The body is not valid JSON at ${placeOf(bytes, faultAt)}`))
    if (tooManyValues) return done(refusal(413, `The body has more than ${maxValues} values; send fewer`))
    void parse(request, bytes.toString(), (poisoned, body) => {
      if (poisoned) done(invalid('The body has the key __proto__ or constructor; leave it out'))
      else done((unstorable && !repairsText && unstorableFault(body)) || null, body)
    })
  })
}

function encodingFault({ headers }: FastifyRequest, bytes: Buffer) {
  const compression = headers['content-encoding'] ?? 'identity'
  if (compression.toLowerCase() !== 'identity') return refusal(415, 'Send the body without Content-Encoding')
  for (const [, charset = ''] of (headers['content-type'] ?? '').matchAll(/;\s*charset\s*=\s*"?([^\s;"]*)/gi))
    if (!/^utf-?8$/i.test(charset)) return refusal(415, 'Send the body in UTF-8, as Content-Type: application/json')
  return isUtf8(bytes) ? undefined : invalid('The body is not valid UTF-8')
}

function refusal(status: number, message: string) {
  return new ApiError('invalid_request', message, { status })
}

/** A place in the text as an editor shows it. */
function placeOf(bytes: Buffer, at: number) {
  let [line, lineStart] = [1, 0]
  for (let index = 0; index < at; index++) if (bytes[index] === 0x0a) [line, lineStart] = [line + 1, index + 1]
  return `line ${line}, column ${bytes.toString('utf8', lineStart, at).length + 1}`
}

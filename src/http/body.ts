import { isUtf8 } from 'node:buffer'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { LIMITS } from '../contract/limits.ts'
import { ApiError, invalid } from '../core/api-error.ts'
import { unstorableError } from '../core/unstorable-text.ts'

/**
 * Reads JSON bodies. An empty body under a JSON content type counts as no body, because many clients always send the header.
 * Values are counted before they are parsed, because parsed values take many times the memory of their bytes.
 */
export function readJsonBodies(app: FastifyInstance) {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    if (bytes.length === 0) return done(null, undefined)
    const { maxValues = LIMITS.bodyValues, repairsText = false } = request.routeOptions.config
    const encoding = encodingError(request, bytes)
    if (encoding) return done(encoding)
    if (countJsonValues(bytes) > maxValues)
      return done(refusal(413, `The body has more than ${maxValues} values; send fewer`))
    const text = bytes.toString().replace(/^\uFEFF/, '')
    void parse(request, text, (error, body) => {
      if (error) done(syntaxError(text))
      else done((!repairsText && UNSTORABLE_ESCAPE.test(text) && unstorableError(body)) || null, body)
    })
  })
}

/** Valid UTF-8 holds NUL and halves of surrogate pairs only where JSON escapes them. */
const UNSTORABLE_ESCAPE = /\\u(?:0000|d[89a-f])/i

function encodingError({ headers }: FastifyRequest, bytes: Buffer) {
  const compression = headers['content-encoding'] ?? 'identity'
  if (compression.toLowerCase() !== 'identity') return refusal(415, 'Send the body without Content-Encoding')
  for (const [, charset = ''] of (headers['content-type'] ?? '').matchAll(/;\s*charset\s*=\s*"?([^\s;"]*)/gi))
    if (!/^utf-?8$/i.test(charset)) return refusal(415, 'Send the body in UTF-8, as Content-Type: application/json')
  return isUtf8(bytes) ? undefined : invalid({ problem: 'The body is not valid UTF-8' })
}

const [QUOTE, BACKSLASH, COMMA, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = Buffer.from('"\\,[]{}')

/** The number of objects, lists, strings, numbers, booleans and nulls. A container has one value more than commas, unless it is empty. */
function countJsonValues(bytes: Buffer) {
  let values = 1
  let inString = false
  let opened = false
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0
    if (byte === BACKSLASH) at++
    else if (byte === QUOTE) inString = !inString
    if (inString || byte <= 0x20) continue
    const opens = byte === OPEN_LIST || byte === OPEN_OBJECT
    if (opens || byte === COMMA) values++
    else if (opened && (byte === CLOSE_LIST || byte === CLOSE_OBJECT)) values--
    opened = opens
  }
  return values
}

/** Returns the reason why the parser refused the text: the engine's own message, or a key that would reach an object's prototype. */
function syntaxError(text: string) {
  try {
    JSON.parse(text)
    return invalid({ problem: 'The body has the key __proto__ or constructor; leave it out' })
  } catch (error) {
    return invalid({
      problem: `The body is not valid JSON: ${error instanceof Error ? error.message.toWellFormed() : 'unreadable'}`
    })
  }
}

function refusal(status: number, message: string) {
  return new ApiError('invalid_request', message, { status })
}

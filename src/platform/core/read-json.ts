import { isUtf8 } from 'node:buffer'
import { parse } from 'secure-json-parse'
import { ApiError, invalid } from './api-error.ts'
import { unstorableError } from './unstorable-text.ts'

export interface JsonLimits {
  maxValues: number
  /** True if NUL and lone surrogates may remain, because the reader removes them. */
  repairsText: boolean
}

/** No input of the API is deeper than six levels; a key that is ignored may be. */
export const MAX_DEPTH = 100
/** The keys of one object. */
export const MAX_KEYS = 10_000

/**
 * Reads JSON in UTF-8. Values and depth are counted before it is parsed, because parsed values take many times the memory of their bytes.
 * Throws an ApiError that says what is wrong with the body.
 */
export function readJson(bytes: Buffer, { maxValues, repairsText }: JsonLimits): unknown {
  if (!isUtf8(bytes)) throw invalid({ problem: 'The body is not valid UTF-8' })
  const { values, depth, keys } = measureJson(bytes)
  if (values > maxValues) throw tooLarge(`The body has more than ${maxValues} values; send fewer`)
  const text = bytes.toString().replace(/^\uFEFF/, '')
  if (depth > MAX_DEPTH)
    throw invalid({ problem: `The body has lists and objects more than ${MAX_DEPTH} deep`, expected: 'flatter ones' })
  if (keys > MAX_KEYS)
    throw invalid({ problem: `The body has an object with more than ${MAX_KEYS} keys`, expected: 'fewer' })
  const json = parseText(text)
  const unstorable = !repairsText && UNSTORABLE_ESCAPE.test(text) && unstorableError(json)
  if (unstorable) throw unstorable
  return json
}

/** Valid UTF-8 holds NUL and halves of surrogate pairs only where JSON escapes them. */
const UNSTORABLE_ESCAPE = /\\u(?:0000|d[89a-f])/i

function parseText(text: string): unknown {
  try {
    return parse(text, null, { protoAction: 'error', constructorAction: 'error' })
  } catch {
    throw syntaxError(text)
  }
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

function tooLarge(message: string) {
  return new ApiError('invalid_request', message, { status: 413 })
}

const [QUOTE, BACKSLASH, COMMA, COLON, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = Buffer.from('"\\,:[]{}')

/**
 * Counts objects, lists, strings, numbers, booleans and nulls, the depth of lists and objects, and the keys of the object that has most. A
 * container has one value more than commas, unless it is empty.
 */
export function measureJson(bytes: Uint8Array) {
  let values = 1
  let open = 0
  let depth = 0
  let keys = 0
  let inString = false
  let opened = false
  /** Counts the keys of each open container, down to the greatest depth that is read. */
  const keysOf = new Uint32Array(MAX_DEPTH + 1)
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0
    if (byte === BACKSLASH) at++
    else if (byte === QUOTE) inString = !inString
    if (inString || byte <= 0x20) continue
    const opens = byte === OPEN_LIST || byte === OPEN_OBJECT
    const closes = byte === CLOSE_LIST || byte === CLOSE_OBJECT
    if (opens) keysOf[++open] = 0
    if (closes) open--
    if (byte === COLON) {
      const known = (keysOf[open] ?? 0) + 1
      keysOf[open] = known
      keys = Math.max(keys, known)
    }
    depth = Math.max(depth, open)
    if (opens || byte === COMMA) values++
    else if (opened && closes) values--
    opened = opens
  }
  return { values, depth, keys }
}

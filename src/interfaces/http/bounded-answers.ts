import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { CURSOR_ERROR } from '../../contract/common.ts'
import { LIMITS } from '../../contract/limits.ts'
import { ApiError, invalid } from '../../platform/core/api-error.ts'
import { cutJson, type Place } from '../../platform/text/cut-json.ts'
import { isOfActions, isRead } from './document/actions-profile.ts'

/** Assistants that read the profile `actions` of the document send their requests below this path. */
const BOUNDED_PATH = '/actions'

/** The rest of a page of an operation: the place in its answer, and the cursor of the operation that this answer is of. */
interface Rest {
  place: Place
  cursor: string
}

const REST = /^~((?:\d{1,9}\.){0,9}\d{1,9})~(.*)$/s
/** Lists that are whole unless their query has a limit. */
const UNLIMITED: Partial<Record<string, number>> = {
  '/v1/people': LIMITS.peoplePage.max,
  '/v1/folders': LIMITS.foldersPage.max
}

/** Bounds the answers of an application to requests below the path. */
export function openBoundedAnswers() {
  const bounded = new WeakMap<IncomingMessage, Rest>()
  return {
    /** Returns the URL of the operation that a request below the path means, and notes that its answer is bounded. Any other URL stays as it is. */
    meantUrl(request: IncomingMessage, url: string) {
      const read = readBounded(url, request.method)
      if (read) bounded.set(request, read.rest)
      return read?.url ?? url
    },
    /** Cuts the answers to those requests into pages. Call it after the guards, and before hooks that read what is sent. */
    install(app: FastifyInstance) {
      app.addHook('preValidation', ({ raw, routeOptions: { schema } }, _reply, done) => {
        const rest = bounded.get(raw)
        const name: unknown = Object(schema).operationId
        if (!rest) done()
        else if (!isOfActions(name)) done(new ApiError('not_found', 'This operation is none of the profile actions'))
        else if (rest.place.length > 0 && !isRead(name)) done(invalid({ field: 'cursor', expected: CURSOR_ERROR }))
        else done()
      })
      app.addHook('onSend', ({ raw }, reply, payload, done) => {
        const rest = bounded.get(raw)
        const isText = typeof payload === 'string' || Buffer.isBuffer(payload)
        if (!rest || !isText || reply.statusCode !== 200) return done(null, payload)
        // The links lead to the operation.
        reply.removeHeader('link')
        done(null, cutAnswer(String(payload), rest))
      })
    }
  }
}

/** Reads the URL of a bounded request. Returns undefined for any other. */
function readBounded(url: string, method: string | undefined) {
  if (!url.startsWith(`${BOUNDED_PATH}/v1/`)) return undefined
  const [path = '', query = ''] = url.slice(BOUNDED_PATH.length).split(/\?(.*)/s)
  const params = new URLSearchParams(query)
  const sent = params.get('cursor') ?? ''
  const [, place, cursor = sent] = REST.exec(sent) ?? []
  if (place !== undefined) {
    if (cursor === '') params.delete('cursor')
    else params.set('cursor', cursor)
  }
  const limit = method === 'GET' ? UNLIMITED[path] : undefined
  if (limit !== undefined && !params.has('limit')) params.set('limit', String(limit))
  const rest: Rest = { place: place?.split('.').map(Number) ?? [], cursor }
  return { url: params.size > 0 ? `${path}?${params}` : path, rest }
}

/** Left free for the cursor. */
const CURSOR_ROOM = 1_000

function cutAnswer(text: string, { place, cursor }: Rest) {
  const most = LIMITS.actionsAnswer
  if (text.length <= most && place.length === 0) return text
  const { value, next } = cutJson(saidOnce(JSON.parse(text)), place, most - CURSOR_ROOM)
  if (!next) return JSON.stringify(value)
  return JSON.stringify({ ...value, next_cursor: `~${next.join('.')}~${cursor}`, has_more: true })
}

/** A transcript with segments or lines has the same words up to three times. */
function saidOnce({ transcript, segments, lines, ...answer }: Record<string, unknown>): Record<string, unknown> {
  const words = [lines, segments, transcript]
  const first = words.find(part => (Array.isArray(part) || typeof part === 'string') && part.length > 0)
  return {
    ...answer,
    ...(transcript !== undefined && { transcript: transcript === first ? transcript : '' }),
    ...(segments !== undefined && { segments: segments === first ? segments : [] }),
    ...(lines !== undefined && { lines })
  }
}

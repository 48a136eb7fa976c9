import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { afterEach } from 'vitest'
import { validatorsOf } from './schemas.ts'

interface Described {
  headers?: Record<string, { $ref: string }>
  content?: Record<string, { schema: object; examples?: Record<string, unknown> }>
}

type Responses = Record<string, Described & { $ref?: string }>

interface Operation {
  responses: Responses
}

export interface DescribedApi {
  paths: Record<string, Record<string, Operation>>
  components: {
    schemas: Record<string, object>
    responses: Record<string, Described>
    headers: Record<string, { required: boolean }>
  }
}

export interface Answered {
  status: number
  headers: OutgoingHttpHeaders
  body: string
}

/** Headers of HTTP itself, and those that tell browsers and caches how to treat JSON. */
const UNDESCRIBED = new Set([
  'content-type',
  'content-length',
  'date',
  'connection',
  'keep-alive',
  'transfer-encoding',
  'cache-control',
  'x-content-type-options',
  'vary',
  'x-accel-buffering',
  'access-control-allow-origin',
  'access-control-expose-headers'
])

/** Lists the differences between an answer and the document: undescribed statuses, headers, error codes and fields, and missing ones. */
export function answerFaultsOf(document: DescribedApi) {
  const strict: DescribedApi = JSON.parse(JSON.stringify(document), withoutMore)
  const validatorOf = validatorsOf(strict)
  const { headers: headerOf, responses: responseOf } = strict.components
  const named = (reference: string) => reference.split('/').at(-1)!
  /** The last body of each answer, so that a repeated answer is checked once. */
  const seen = new Map<object, string>()

  return (operation: Operation, { status, headers, body }: Answered): string[] => {
    const described = operation.responses[status]
    if (!described) return [`answers with ${status}, which is not described`]
    const { headers: known = {}, content } = described.$ref ? responseOf[named(described.$ref)]! : described
    const names = new Set(Object.keys(known).map(name => name.toLowerCase()))
    const sent = Object.keys(headers).map(name => name.toLowerCase())
    const faults = [
      ...sent
        .filter(name => !names.has(name) && !UNDESCRIBED.has(name))
        .map(name => `${status} has the header ${name}`),
      ...Object.entries(known)
        .filter(([name, { $ref }]) => headerOf[named($ref)]!.required && !sent.includes(name.toLowerCase()))
        .map(([name]) => `${status} lacks the header ${name}`)
    ]
    const [type = ''] = String(headers['content-type']).split(';')
    if (!content) return body === '' ? faults : [...faults, `${status} has a body`]
    const media = content[type]
    if (!media) return [...faults, `${status} has the type ${headers['content-type']}`]
    if (type !== 'application/json') return faults
    if (seen.get(described) === body) return faults
    seen.set(described, body)
    const value = JSON.parse(body)
    const validate = validatorOf(media.schema)
    if (!validate(value))
      faults.push(`${status} is not as described: ${JSON.stringify(validate.errors)} ${body.slice(0, 500)}`)
    else if (status >= 400 && !Object.hasOwn(media.examples ?? {}, value.error.code))
      faults.push(`${status} has the code ${value.error.code}`)
    return faults
  }
}

/** Forbids unknown fields: clients ignore them, tests do not. */
function withoutMore(_: string, value: unknown) {
  const isShape =
    typeof value === 'object' && value !== null && 'properties' in value && 'type' in value && value.type === 'object'
  return isShape && typeof (value as { additionalProperties?: unknown }).additionalProperties !== 'object'
    ? { ...value, additionalProperties: false }
    : value
}

const documents = new Map<string, { document: DescribedApi; faultsOf: ReturnType<typeof answerFaultsOf> }>()
const undescribed: string[] = []

/** Checks every answer of the application's routes against its document. Applications of one `kind` have the same document. */
export function holdToDocument(app: FastifyInstance, kind: string) {
  app.addHook('onRequest', (request, reply, done) => {
    const { method, url = '' } = request.routeOptions
    const { document, faultsOf } = documentOf(app, kind)
    const operation = document.paths[url.replace(/:(\w+)/g, '{$1}')]?.[String(method).toLowerCase()]
    // Pages of bounded answers have a document of their own.
    const isBounded = request.originalUrl.startsWith('/actions/')
    if (operation && request.method !== 'HEAD' && !isBounded) {
      collect(reply.raw, answered => {
        for (const fault of faultsOf(operation, answered)) undescribed.push(`${request.method} ${url} ${fault}`)
      })
    }
    done()
  })
}

function documentOf(app: FastifyInstance, kind: string) {
  const known = documents.get(kind)
  if (known) return known
  const document = JSON.parse(JSON.stringify(app.swagger()))
  const made = { document, faultsOf: answerFaultsOf(document) }
  documents.set(kind, made)
  return made
}

/** Passes a complete answer to `take` before its end is sent. */
function collect(response: ServerResponse, take: (answered: Answered) => void) {
  const chunks: (string | Uint8Array)[] = []
  const keep = (chunk: unknown) => {
    if (typeof chunk === 'string' || chunk instanceof Uint8Array) chunks.push(chunk)
  }
  const whole = () => {
    const [only = ''] = chunks
    return chunks.length < 2 && typeof only === 'string'
      ? only
      : Buffer.concat(chunks.map(chunk => Buffer.from(chunk))).toString()
  }
  const { write, end, writeHead } = response
  let named: OutgoingHttpHeaders = {}
  Object.assign(response, {
    writeHead(...given: unknown[]) {
      named = Object.assign({}, ...given.filter(one => typeof one === 'object'))
      return Reflect.apply(writeHead, response, given)
    },
    write(...given: unknown[]) {
      keep(given[0])
      return Reflect.apply(write, response, given)
    },
    end(...given: unknown[]) {
      keep(given[0])
      take({ status: response.statusCode, headers: { ...response.getHeaders(), ...named }, body: whole() })
      return Reflect.apply(end, response, given)
    }
  })
}

/** Fails the test in which an answer differed from its document. */
export function failUndescribed() {
  afterEach(() => {
    const faults = undescribed.splice(0)
    if (faults.length > 0) throw new Error(`Not as the OpenAPI document says:\n${[...new Set(faults)].join('\n')}`)
  })
}

import swagger from '@fastify/swagger'
import type { FastifyInstance, RouteOptions } from 'fastify'
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod'
import { GUARD_ERRORS } from '../contract/common.ts'
import { ERROR_MEANING, ERROR_STATUS, type ErrorCode } from '../contract/errors.ts'
import { SCOPES } from '../contract/scopes.ts'

/** Collects what the routes declare into the OpenAPI document. Register it before them. */
export async function describeApi(app: FastifyInstance, publicUrl: string) {
  const routes = new Map<string, RouteOptions>()
  app.addHook('onRoute', route => {
    for (const method of [route.method].flat()) routes.set(`${method.toLowerCase()} ${route.url.replace(/:(\w+)/g, '{$1}')}`, route)
  })
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Parlance',
        version: '1.0.0',
        summary: 'Recorded conversations: summaries, action items and transcripts over HTTP.',
        description: ABOUT,
        license: { name: 'MIT', identifier: 'MIT' }
      },
      servers: [{ url: publicUrl }],
      tags: [
        { name: 'Sessions', description: 'Recorded conversations with their summaries, action items and transcripts.' },
        { name: 'Folders', description: 'Named groups of sessions; a session may be in many.' },
        { name: 'People', description: 'Who is heard in the sessions, by name.' },
        { name: 'Events', description: 'What happened, in order: a feed to poll and acknowledge.' },
        { name: 'Webhooks', description: 'The same events, pushed to your URL and signed.' },
        { name: 'Account', description: 'The owner of the token.' },
        { name: 'About', description: 'The service about itself.' }
      ],
      components: {
        securitySchemes: {
          token: { type: 'http', scheme: 'bearer', description: `A token, with scopes: ${scopeList()}` }
        }
      }
    },
    transform: jsonSchemaTransform,
    transformObject: input => completeDocument(jsonSchemaTransformObject(input), routes)
  })
}

const ABOUT = `Every answer carries \`X-Request-Id\` and the \`X-RateLimit-*\` headers. Every refusal has the shape \`{"error": {"code", "message"}}\`;
checks come in the order path, token, rate limit, scope, parameters, existence. What another user owns answers exactly as what does not exist.`

function scopeList() {
  return Object.entries(SCOPES)
    .map(([scope, grants]) => `\`${scope}\` (${grants})`)
    .join(', ')
}

type Json = { [key: string]: Json } | Json[] | string | number | boolean | null
type Document = ReturnType<typeof jsonSchemaTransformObject>

/** Adds to each operation what its guard promises: scopes, error answers and headers. */
function completeDocument(document: Document, routes: Map<string, RouteOptions>): Document {
  const plain: { paths?: Record<string, Record<string, Record<string, Json>>>; components?: Record<string, Record<string, Json>> } =
    JSON.parse(JSON.stringify(document))
  for (const [path, operations] of Object.entries(plain.paths ?? {})) {
    for (const [method, operation] of Object.entries(operations)) {
      const { scopes = 'public', errors = [], example } = routes.get(`${method} ${path}`)?.config ?? {}
      const isPublic = scopes === 'public'
      operation.parameters = documented(operation.parameters)
      operation.security = isPublic ? [] : scopes.map(scope => ({ token: [scope] }))
      const codes: ErrorCode[] = [...errors, ...(isPublic ? PUBLIC_ERRORS : GUARD_ERRORS)]
      operation.responses = { ...withHeaders(operation.responses, example), ...errorAnswers(codes) }
    }
  }
  plain.components = {
    ...plain.components,
    headers: HEADERS,
    schemas: { ...reachable(plain.paths, plain.components?.schemas ?? {}), Error: ERROR_SCHEMA }
  }
  return plain as unknown as Document
}

/** A parameter that no value is valid for is one that is refused, not one to document. */
function documented(parameters: Json | undefined) {
  return Array.isArray(parameters) ? parameters.filter(parameter => !JSON.stringify(parameter).includes('"schema":{}')) : []
}

/** The schemas that some operation refers to, directly or not. Every shape with an id arrives here in two versions. */
function reachable(root: unknown, schemas: Record<string, Json>) {
  const kept: Record<string, Json> = {}
  const open = [JSON.stringify(root)]
  for (let text = open.pop(); text; text = open.pop()) {
    for (const [, name = ''] of text.matchAll(/#\/components\/schemas\/(\w+)/g)) {
      if (kept[name] || !schemas[name]) continue
      // Clients must bear fields that are added later.
      const schema = JSON.stringify(schemas[name]).replaceAll('"additionalProperties":false', '"additionalProperties":true')
      kept[name] = JSON.parse(schema)
      open.push(schema)
    }
  }
  return kept
}

const PUBLIC_ERRORS = ['rate_limit_exceeded', 'internal_error'] as const

const HEADERS = {
  RequestId: { description: 'The id of this request, to quote when something is wrong.', schema: { type: 'string' } },
  RateLimit: { description: 'How many requests the window nearest to its end allows.', schema: { type: 'integer' } },
  RateRemaining: { description: 'How many of them are left.', schema: { type: 'integer' } },
  RateReset: { description: 'When that window ends, in epoch seconds.', schema: { type: 'integer' } }
}

const HEADER_REFS = {
  'X-Request-Id': { $ref: '#/components/headers/RequestId' },
  'X-RateLimit-Limit': { $ref: '#/components/headers/RateLimit' },
  'X-RateLimit-Remaining': { $ref: '#/components/headers/RateRemaining' },
  'X-RateLimit-Reset': { $ref: '#/components/headers/RateReset' }
}

const ERROR_SCHEMA = {
  type: 'object',
  description: 'What every refusal and failure looks like.',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message'],
      properties: {
        code: { type: 'string', enum: Object.keys(ERROR_STATUS) },
        message: { type: 'string', description: 'A sentence for people.' }
      }
    }
  }
}

function withHeaders(responses: Json | undefined, example: unknown) {
  const answers: Record<string, Record<string, Json>> = JSON.parse(JSON.stringify(responses ?? {}))
  for (const [status, answer] of Object.entries(answers)) {
    const content: Record<string, Record<string, Json>> = JSON.parse(JSON.stringify(answer.content ?? {}))
    if (content['application/json'] && example !== undefined) content['application/json'].example = JSON.parse(JSON.stringify(example))
    answers[status] = { ...answer, description: 'Success.', headers: HEADER_REFS, ...(answer.content && { content }) }
  }
  return answers
}

function errorAnswers(codes: readonly ErrorCode[]) {
  const byStatus = Map.groupBy(codes, code => ERROR_STATUS[code])
  return Object.fromEntries(
    [...byStatus]
      .sort(([a], [b]) => a - b)
      .map(([status, same]) => [
        String(status),
        {
          description: same.map(code => `\`${code}\`: ${ERROR_MEANING[code]}`).join('\n\n'),
          headers: status === 429 || status === 503 ? { ...HEADER_REFS, 'Retry-After': RETRY_AFTER } : HEADER_REFS,
          content: {
            'application/json': {
              schema: { $ref: '#/components/schemas/Error' },
              examples: Object.fromEntries(same.map(code => [code, { value: { error: { code, message: ERROR_MEANING[code] } } }]))
            }
          }
        }
      ])
  )
}

const RETRY_AFTER = { description: 'Seconds after which to try again.', schema: { type: 'integer' } }

/** `GET /v1/openapi.json`: the document of this very server. */
export async function openapiRoute(app: FastifyInstance) {
  let text: string | undefined
  app.get(
    '/openapi.json',
    {
      config: { scopes: 'public' },
      schema: {
        operationId: 'getOpenapi',
        tags: ['About'],
        summary: 'Get this document',
        description: 'The OpenAPI document of the server. Needs no token.'
      }
    },
    async (_request, reply) => {
      text ??= JSON.stringify(app.swagger())
      return reply.type('application/json; charset=utf-8').send(text)
    }
  )
}

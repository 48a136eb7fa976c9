import swagger from '@fastify/swagger'
import type { FastifyContextConfig, FastifyInstance, RouteOptions } from 'fastify'
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { ERROR_STATUS, type ErrorCode } from '../contract/errors.ts'

/** What an OpenAPI document says besides what its routes declare. */
export interface ApiDescription {
  info: { title: string; version: string; summary: string; description: string }
  serverUrl: string
  tags: { name: string; description: string }[]
  securitySchemes: Record<string, { type: 'http'; scheme: 'bearer'; description: string }>
  /** What one has to bring for an operation; an empty list for nothing. */
  securityOf(scopes: FastifyContextConfig['scopes']): { [scheme: string]: string[] }[]
  /** What every operation may refuse with: one that is open to all, and one that is not. */
  errors: { open: readonly ErrorCode[]; guarded: readonly ErrorCode[] }
  meaning: Record<ErrorCode, string>
  /** Headers of every answer, by their name and that of their component. */
  headers: { name: string; component: string; description: string; type: 'string' | 'integer' }[]
}

/** Collects what the routes declare into the OpenAPI document. Register it before them. */
export async function describeApi(app: FastifyInstance, api: ApiDescription) {
  const routes = new Map<string, RouteOptions>()
  app.addHook('onRoute', route => {
    for (const method of [route.method].flat()) routes.set(`${method.toLowerCase()} ${route.url.replace(/:(\w+)/g, '{$1}')}`, route)
  })
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { ...api.info, license: { name: 'MIT', identifier: 'MIT' } },
      servers: [{ url: api.serverUrl }],
      tags: api.tags,
      components: { securitySchemes: api.securitySchemes }
    },
    transform: jsonSchemaTransform,
    transformObject: input => completeDocument(jsonSchemaTransformObject(input), routes, api)
  })
}

type Json = { [key: string]: Json } | Json[] | string | number | boolean | null
type Document = ReturnType<typeof jsonSchemaTransformObject>

/** Adds to each operation what its guard promises: scopes, error answers and headers. */
function completeDocument(document: Document, routes: Map<string, RouteOptions>, api: ApiDescription): Document {
  const plain: { paths?: Record<string, Record<string, Record<string, Json>>>; components?: Record<string, Record<string, Json>> } =
    JSON.parse(JSON.stringify(document))
  const headers = Object.fromEntries(api.headers.map(({ name, component }) => [name, { $ref: `#/components/headers/${component}` }]))
  for (const [path, operations] of Object.entries(plain.paths ?? {})) {
    for (const [method, operation] of Object.entries(operations)) {
      const { scopes, errors = [], codes: ownCodes = {}, example, request } = routes.get(`${method} ${path}`)?.config ?? {}
      operation.parameters = documented(operation.parameters)
      operation.security = api.securityOf(scopes)
      const all = [...errors, ...(scopes === 'public' ? api.errors.open : api.errors.guarded)]
      const codes = new Set(all.map(code => ownCodes[code] ?? code))
      if (operation.requestBody) operation.requestBody = withExample(operation.requestBody, request)
      operation.responses = { ...withHeaders(operation.responses, example, headers), ...errorAnswers(codes, headers, api.meaning) }
    }
  }
  plain.components = {
    ...plain.components,
    headers: Object.fromEntries(api.headers.map(({ component, description, type }) => [component, { description, schema: { type } }])),
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

function withHeaders(responses: Json | undefined, example: unknown, headers: Json) {
  const answers: Record<string, Record<string, Json>> = JSON.parse(JSON.stringify(responses ?? {}))
  for (const [status, answer] of Object.entries(answers)) {
    answers[status] = { ...withExample(answer, example), description: 'Success.', headers }
  }
  return answers
}

/** A request or an answer with an example of its JSON, if it has any. */
function withExample(described: Json, example: unknown) {
  const copy: Record<string, Json> & { content?: Record<string, Record<string, Json>> } = JSON.parse(JSON.stringify(described))
  const json = copy.content?.['application/json']
  if (json && example !== undefined) json.example = JSON.parse(JSON.stringify(example))
  return copy
}

function errorAnswers(codes: ReadonlySet<ErrorCode>, headers: { [name: string]: Json }, meaning: Record<ErrorCode, string>) {
  const byStatus = Map.groupBy(codes, code => ERROR_STATUS[code])
  return Object.fromEntries(
    [...byStatus]
      .sort(([a], [b]) => a - b)
      .map(([status, same]) => [
        String(status),
        {
          description: same.map(code => `\`${code}\`: ${meaning[code]}`).join('\n\n'),
          headers: status === 429 || status === 503 ? { ...headers, 'Retry-After': RETRY_AFTER } : headers,
          content: {
            'application/json': {
              schema: { $ref: '#/components/schemas/Error' },
              examples: Object.fromEntries(same.map(code => [code, { value: { error: { code, message: meaning[code] } } }]))
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
        description: 'The OpenAPI document of the server. Needs no token.',
        response: { 200: z.looseObject({ openapi: z.string() }) }
      }
    },
    async (_request, reply) => {
      text ??= JSON.stringify(app.swagger())
      return reply.type('application/json; charset=utf-8').send(text)
    }
  )
}

import { STATUS_CODES } from 'node:http'
import type { RouteOptions } from 'fastify'
import { z } from 'zod'
import { ERROR_STATUS, type ErrorCode, OTHER_STATUS } from '../../../contract/errors.ts'
import { isConditional } from '../reads.ts'
import type { ApiDescription } from './api-description.ts'
import { markDeprecated } from './deprecated-parts.ts'
import { copyOf, type Json, type JsonObject, parametersOf } from './document-parameters.ts'

interface Document {
  paths?: Record<string, Record<string, JsonObject>>
  components?: Record<string, JsonObject>
  webhooks?: JsonObject
}

/** Adds to each operation what all operations have: scopes, headers, errors, defaults and examples. */
export function completeDocument<T extends object>(
  document: T,
  routes: Map<string, RouteOptions>,
  api: ApiDescription
): T {
  const plain: Document = copyOf(document)
  const responses: JsonObject = {}
  for (const [path, operations] of Object.entries(plain.paths ?? {})) {
    for (const [method, operation] of Object.entries(operations)) {
      const route = routes.get(`${method} ${path}`)
      const { scopes, content, headers = [], headersOfAll = [], deprecations = [], openapi = {} } = route?.config ?? {}
      const { example, files, request } = openapi
      operation.parameters = parametersOf(operation.parameters, route)
      operation.security = api.securityOf(scopes)
      if (content) operation.requestBody = { content: copyOf(content), required: true }
      else if (operation.requestBody) {
        operation.requestBody = {
          ...withExample(operation.requestBody, request),
          required: isRequired(route?.schema?.body)
        }
      }
      const refusals = refusalsOf(method, route, api)
      for (const { name, answer } of refusals.values()) responses[name] = answer
      const ownHeaders = [
        ...headers,
        ...headersOfAll,
        ...(takesHeader(route, 'idempotency-key') ? ['Idempotent-Replayed'] : []),
        ...(deprecations.length > 0 ? DEPRECATION_HEADERS : [])
      ]
      operation.responses = {
        ...successesOf(operation.responses, { example, files, headers: ownHeaders, api }),
        ...(route &&
          isConditional(route) && { 304: { description: NOT_MODIFIED, headers: headersOf(304, ownHeaders, api) } }),
        ...Object.fromEntries(
          [...refusals].map(([status, { name }]) => [status, { $ref: `#/components/responses/${name}` }])
        )
      }
      markDeprecated(operation, deprecations, plain.components?.schemas)
    }
  }
  if (api.webhooks) plain.webhooks = copyOf(api.webhooks)
  const described = JSON.stringify([plain.paths, responses])
  plain.components = {
    ...plain.components,
    headers: Object.fromEntries(
      Object.entries(api.headers)
        .filter(([name]) => described.includes(`/headers/${name}"`))
        .map(([name, { description, type, required }]) => [name, { description, required, schema: { type } }])
    ),
    responses,
    schemas: { ...reachable([plain.paths, plain.webhooks], plain.components?.schemas ?? {}), Error: ERROR_SCHEMA }
  }
  return copyOf(plain)
}

const DEPRECATION_HEADERS = ['Deprecation', 'Sunset', 'Link']
const NOT_MODIFIED = 'The answer is the one whose `ETag` was sent as `If-None-Match`.'

function isRequired(body: unknown) {
  return !(body instanceof z.ZodType && body.safeParse(undefined).success)
}

function successesOf(
  described: Json | undefined,
  {
    example,
    files,
    headers,
    api
  }: { example: unknown; files?: Record<string, string>; headers: readonly string[]; api: ApiDescription }
) {
  const answers: Record<string, JsonObject> = copyOf(described ?? {})
  return Object.fromEntries(
    Object.entries(answers).map(([status, answer]) => {
      const shown = withExample(answer, example)
      // The media type has no schema: with one, generators of clients would type every answer as JSON or text.
      for (const [type, file] of Object.entries(files ?? {}))
        shown.content = { ...shown.content, [type]: { example: file } }
      return [status, { ...shown, description: 'Success.', headers: headersOf(Number(status), headers, api) }]
    })
  )
}

/** A request or response body with its example; if it has several media types, `example` holds one for each by name. */
function withExample(described: Json, example: unknown) {
  const copy: JsonObject & { content?: Record<string, JsonObject> } = copyOf(described)
  const types = Object.entries(copy.content ?? {})
  for (const [type, media] of types) {
    const shown: unknown = types.length > 1 ? Object(example)[type] : example
    if (shown !== undefined) media.example = copyOf(shown)
  }
  return copy
}

function headersOf(status: number, named: readonly string[], { headers }: ApiDescription) {
  const names = Object.keys(headers).filter(name => headers[name]?.on?.(status) || named.includes(name))
  return Object.fromEntries(names.map(name => [name, { $ref: `#/components/headers/${name}` }]))
}

/** The error responses of an operation by status, each with its name among the shared components. */
function refusalsOf(method: string, route: RouteOptions | undefined, api: ApiDescription) {
  const { scopes, codes: ownCodes = {}, headersOfAll = [], openapi = {} } = route?.config ?? {}
  const { errors = [] } = openapi
  const general = scopes === 'public' ? api.errors.open : api.errors.guarded
  const unknown = route?.url.includes(':') ? (['not_found'] as const) : []
  const conflicts = takesHeader(route, 'idempotency-key') ? (['conflict'] as const) : []
  const all = [...errors, ...unknown, ...conflicts, ...general].map(code => ownCodes[code] ?? code)
  // Malformed HTTP is refused before routing, so every operation can answer invalid_request.
  const codes = new Set<ErrorCode>(['invalid_request', ...all])
  const byStatus = [...Map.groupBy([...codes].sort(), code => ERROR_STATUS[code])].map(([status, same]) => ({
    status: Number(status),
    name: same.map(pascalCase).join('Or'),
    meanings: same.map(code => ({ code, message: api.meaning[code] }))
  }))
  const others = Object.entries(OTHER_STATUS)
    .filter(
      ([, { ofBody, ofKey, ofChecksum }]) =>
        (!ofBody || method !== 'get') &&
        (!ofKey || takesHeader(route, 'idempotency-key')) &&
        (!ofChecksum || takesHeader(route, 'upload-checksum'))
    )
    .map(([status, { meaning: message }]) => ({
      status: Number(status),
      name: pascalCase(STATUS_CODES[status] ?? `Status ${status}`),
      meanings: [{ code: 'invalid_request', message }]
    }))
  const refusals = [...byStatus, ...others].sort((a, b) => a.status - b.status)
  const suffix = headersOfAll.length > 0 ? `With${headersOfAll[0]?.replaceAll('-', '')}` : ''
  return new Map(
    refusals.map(({ status, name, meanings }) => [
      status,
      { name: name + suffix, answer: refusal(status, meanings, headersOfAll, api) }
    ])
  )
}

function takesHeader(route: RouteOptions | undefined, name: string) {
  const headers = route?.schema?.headers
  return headers instanceof z.ZodObject && name in headers.shape
}

function pascalCase(name: string) {
  return name.replace(/(?:^|[_ ])(\w)/g, (_, letter: string) => letter.toUpperCase())
}

function refusal(
  status: number,
  meanings: { code: string; message: string }[],
  named: readonly string[],
  api: ApiDescription
): JsonObject {
  return {
    description: meanings.map(({ code, message }) => `\`${code}\`: ${message}`).join('\n\n'),
    headers: headersOf(status, named, api),
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Error' },
        examples: Object.fromEntries(meanings.map(error => [error.code, { value: { error } }]))
      }
    }
  }
}

/**
 * The schemas that some operation refers to, directly or not. Each shape with an id comes in two versions, one for requests and one for
 * responses.
 */
export function reachable(root: unknown, schemas: JsonObject) {
  const kept: JsonObject = {}
  const open = [JSON.stringify(root)]
  for (let text = open.pop(); text; text = open.pop()) {
    for (const [, name = ''] of text.matchAll(/#\/components\/schemas\/(\w+)/g)) {
      if (kept[name] || !schemas[name]) continue
      // Clients must ignore unknown fields: later versions add some.
      const schema = JSON.stringify(schemas[name]).replaceAll(
        '"additionalProperties":false',
        '"additionalProperties":true'
      )
      kept[name] = JSON.parse(schema)
      open.push(schema)
    }
  }
  return kept
}

const ERROR_SCHEMA = {
  type: 'object',
  description: 'The shape of every error.',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message'],
      properties: {
        code: { type: 'string', enum: Object.keys(ERROR_STATUS) },
        message: { type: 'string', description: 'A sentence for people.' },
        param: {
          type: 'string',
          description: 'The name of the invalid parameter, header or field, such as `action_items.0.text`.'
        },
        merged_into: {
          type: 'string',
          description: 'With `not_found` for a merged person: the id of the person that remains.'
        }
      }
    }
  }
}

/** What the served OpenAPI document says of each route, with every reference followed. */

export interface Schema {
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  format?: string
  pattern?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  items?: Schema
  minItems?: number
  maxItems?: number
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  examples?: unknown[]
  $ref?: string
}

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  schema: Schema
  /** Where the document has one, it stands here rather than in the schema. */
  example?: unknown
  examples?: { default: { value: unknown } }
}

export interface Operation {
  name: string
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  path: string
  isPublic: boolean
  parameters: Parameter[]
  body: Schema | undefined
  bodyExample: unknown
  /** The media type of a body that is a file, which the document has no schema for. */
  fileType: 'application/octet-stream' | 'text/csv' | undefined
  /** By status: what the answer's body is; undefined where there is none. */
  answers: Map<number, { types: string[]; schema: Schema } | undefined>
}

interface Document {
  paths: Record<string, Record<string, RawOperation>>
  components: { schemas: Record<string, Schema>; responses: Record<string, RawAnswer> }
}

interface RawAnswer {
  $ref?: string
  content?: Record<string, { schema: Schema }>
}

interface RawOperation {
  operationId: string
  security?: unknown[]
  parameters?: Parameter[]
  requestBody?: { content: Record<string, { schema: Schema; example?: unknown }> }
  responses: Record<string, RawAnswer>
}

function fileTypeOf({ operationId, requestBody }: RawOperation) {
  if (operationId === 'uploadSession') return 'application/octet-stream'
  return requestBody?.content['text/csv'] && 'text/csv'
}

export function operationsOf(document: Document): Operation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, raw]) => ({
      name: raw.operationId,
      method: method.toUpperCase() as Operation['method'],
      path,
      isPublic: raw.security?.length === 0,
      parameters: (raw.parameters ?? []).map(parameter => ({ ...parameter, schema: withExample(parameter) })),
      body: raw.requestBody?.content['application/json']?.schema,
      bodyExample: raw.requestBody?.content['application/json']?.example,
      fileType: fileTypeOf(raw),
      answers: new Map(
        Object.entries(raw.responses).flatMap(([status, answer]) => {
          const { content } = answer.$ref ? document.components.responses[answer.$ref.split('/').at(-1)!]! : answer
          const [described] = Object.values(content ?? {})
          const shape = described && { types: Object.keys(content ?? {}), schema: described.schema }
          return statusesOf(status).map(code => [code, shape] as const)
        })
      )
    }))
  )
}

/** The profile of assistants describes all refusals at once, as `4XX`. */
function statusesOf(status: string) {
  return status === '4XX' ? Array.from({ length: 100 }, (_, at) => 400 + at) : [Number(status)]
}

function withExample({ schema, example: sent, examples }: Parameter): Schema {
  const example = sent ?? examples?.default.value
  return example === undefined ? schema : { ...schema, examples: [...(schema.examples ?? []), example] }
}

/** Follows a reference of the document. */
export function resolverOf(document: Document) {
  return (schema: Schema): Schema => {
    let found = schema
    while (found.$ref) found = document.components.schemas[found.$ref.split('/').at(-1)!]!
    return found
  }
}

export type { Document }

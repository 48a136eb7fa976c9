import { expect, test } from 'vitest'
import { adminApiDocument, openapiDocument } from '../../src/server/openapi-documents.ts'

interface Shape {
  $ref?: string
  type?: string | string[]
  format?: string
  pattern?: string
  enum?: unknown[]
  const?: unknown
  maxLength?: number
  maxItems?: number
  maxProperties?: number
  items?: Shape
  properties?: Record<string, Shape>
  additionalProperties?: boolean | Shape
  propertyNames?: Shape
  anyOf?: Shape[]
  oneOf?: Shape[]
  allOf?: Shape[]
}

interface Operation {
  operationId: string
  parameters?: { name: string; in: string; schema: Shape }[]
  requestBody?: { content: Record<string, { schema?: Shape }> }
}

interface Document {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Shape> }
}

/** A pattern bounds a text if it holds for the whole text and repeats nothing without end. */
function isBounded({ pattern = '' }: Shape) {
  return /^\^.*\$$/.test(pattern) && !/[^\\][*+]|\{\d+,\}/.test(pattern)
}

/** Returns the path of each text, list and record of the shape that has no maximum. */
function unlimited(shape: Shape, path: string, schemas: Document['components']['schemas']): string[] {
  if (shape.$ref) return unlimited(schemas[shape.$ref.split('/').at(-1) ?? ''] ?? {}, path, schemas)
  const parts = [...(shape.anyOf ?? []), ...(shape.oneOf ?? []), ...(shape.allOf ?? [])]
  const nested = parts.flatMap(part => unlimited(part, path, schemas))
  const types = [shape.type ?? []].flat()
  // The bytes of a file have the limits of uploads.
  const known = shape.enum !== undefined || shape.const !== undefined || shape.format === 'binary'
  if (types.includes('string') && !known && shape.maxLength === undefined && !isBounded(shape)) nested.push(path)
  if (types.includes('array')) {
    if (shape.maxItems === undefined) nested.push(`${path}[]`)
    nested.push(...unlimited(shape.items ?? {}, `${path}[]`, schemas))
  }
  if (types.length === 0 && parts.length === 0 && !known) nested.push(`${path}?`)
  // Unknown keys are dropped before anything is stored, but a record keeps them.
  if (typeof shape.additionalProperties === 'object' && Object.keys(shape.additionalProperties).length > 0) {
    if (shape.maxProperties === undefined || shape.propertyNames?.maxLength === undefined) nested.push(`${path}{}`)
    nested.push(...unlimited(shape.additionalProperties, `${path}{}`, schemas))
  }
  const fields = Object.entries(shape.properties ?? {})
  return [...nested, ...fields.flatMap(([name, field]) => unlimited(field, `${path}.${name}`, schemas))]
}

function unlimitedIn({ paths, components: { schemas } }: Document) {
  const operations = Object.values(paths).flatMap(path => Object.values(path))
  return operations.flatMap(({ operationId, parameters = [], requestBody }) => [
    ...parameters.flatMap(one => unlimited(one.schema, `${operationId} ${one.in} ${one.name}`, schemas)),
    ...Object.entries(requestBody?.content ?? {})
      .filter(([, { schema }]) => schema !== undefined)
      .flatMap(([type, { schema = {} }]) => unlimited(schema, `${operationId} ${type} `, schemas))
  ])
}

test.each([
  ['/v1', openapiDocument],
  ['the admin API', adminApiDocument]
])('every text, list and record that a request to %s may have has a maximum', async (_, read) => {
  expect(unlimitedIn((await read()) as unknown as Document)).toEqual([])
})

test.each<[string, Shape]>([
  ['a text', { type: 'string' }],
  ['a text of a pattern without end', { type: 'string', pattern: '^a+$' }],
  ['a text of a pattern that holds for a part', { type: 'string', pattern: 'a' }],
  ['a list', { type: 'array', items: { type: 'number' } }],
  ['the texts of a list', { type: 'array', maxItems: 2, items: { type: 'string' } }],
  ['a record', { type: 'object', additionalProperties: { type: 'number' } }],
  ['a record with names', { type: 'object', maxProperties: 2, additionalProperties: { type: 'number' } }],
  [
    'the texts of a record',
    {
      type: 'object',
      maxProperties: 2,
      propertyNames: { maxLength: 2 },
      additionalProperties: { type: 'string' }
    }
  ],
  ['a text that may be null', { anyOf: [{ type: 'string' }, { type: 'null' }] }],
  ['a text inside', { type: 'object', properties: { name: { type: 'string' } } }],
  ['a text behind a name', { $ref: '#/components/schemas/Named' }],
  ['anything', {}]
])('%s without a maximum is found', (_, shape) => {
  expect(unlimited(shape, '', { Named: { type: 'string' } })).toHaveLength(1)
})

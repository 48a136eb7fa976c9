import type { Deprecation } from '../../../contract/routes/route.ts'
import type { Json, JsonObject } from './document-parameters.ts'

/** Marks what will go in the description of an operation. `schemas` are the shared shapes, in which its fields may be. */
export function markDeprecated(
  operation: JsonObject,
  deprecations: readonly Deprecation[],
  schemas: Record<string, Json> = {}
) {
  for (const { part, since, until, instead } of deprecations) {
    const found = part === undefined ? operation : findPart(operation, part, schemas)
    if (!found) throw new Error(`${operation.operationId} has no ${part?.name}, so it cannot go`)
    // Several routes may share a shape.
    if (found.deprecated === true) continue
    const words = `Deprecated since ${since}, and there until ${until}: use ${instead}.`
    const { description } = found
    found.deprecated = true
    found.description = typeof description === 'string' ? `${description} ${words}` : words
  }
}

function findPart(operation: JsonObject, part: NonNullable<Deprecation['part']>, schemas: Record<string, Json>) {
  if (part.in === 'query') return listOf(operation.parameters).find(({ name }) => name === part.name)
  const { requestBody, responses } = operation
  const [success] = Object.entries(objectOf(responses)).filter(([status]) => status.startsWith('2'))
  const described = part.in === 'body' ? requestBody : success?.[1]
  return findField(Object(described).content?.['application/json']?.schema, part.name.split('.'), schemas)
}

/** Follows a path of fields, through lists and references. */
function findField(schema: unknown, path: string[], schemas: Record<string, Json>): JsonObject | undefined {
  const [name = '', ...rest] = path
  const { $ref, items, properties, ...shape } = Object(schema)
  if (typeof $ref === 'string') return findField(schemas[$ref.split('/').at(-1) ?? ''], path, schemas)
  if (items) return findField(items, path, schemas)
  const variants: unknown[] = shape.anyOf ?? shape.allOf ?? []
  const field = properties?.[name]
  if (field) return rest.length > 0 ? findField(field, rest, schemas) : field
  return variants.map(variant => findField(variant, path, schemas)).find(found => found)
}

function objectOf(value: Json | undefined): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}
}

function listOf(value: Json | undefined): JsonObject[] {
  return Array.isArray(value) ? value.map(objectOf) : []
}

import { z } from 'zod'

/** The keywords that the converters of all makers of models take. Others, such as patterns and examples, would also make the list longer. */
const LISTED = ['type', 'description', 'enum', 'minimum', 'maximum', 'required']

/**
 * The keywords of a row in an answer. Which of its fields are always there is left out, because that would be a twentieth of the list, which models
 * read with each conversation.
 */
const OF_ROWS = LISTED.filter(key => key !== 'required')

/** A shape as tools list it, in the part of JSON Schema that every client can convert. The errors of a tool say what else it expects. */
export function listedSchema(shape: z.ZodObject, io: 'input' | 'output') {
  const schema = z.toJSONSchema(shape, { io, unrepresentable: 'any', override: nameKinds })
  return reduce(schema, LISTED, io === 'input' ? LISTED : OF_ROWS)
}

type Schema = Record<string, unknown>

function reduce(schema: Schema, keys: readonly string[], within: readonly string[]): Schema {
  const kept = keys.flatMap(key => (schema[key] === undefined || schema[key] === '' ? [] : [[key, schema[key]]]))
  const { properties, items } = schema
  return {
    ...Object.fromEntries(kept),
    ...(isSchema(properties) && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, part]) => [name, reduce(Object(part), within, within)])
      )
    }),
    ...(isSchema(items) && { items: reduce(items, within, within) })
  }
}

/** Whole numbers have the bounds of exact ones unless their shape has nearer ones. */
function nameKinds({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }) {
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

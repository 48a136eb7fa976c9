import type { RouteOptions } from 'fastify'
import { z } from 'zod'
import { headerName } from '../transport/raw-headers.ts'

export type Json = { [key: string]: Json } | Json[] | string | number | boolean | null
export type JsonObject = { [key: string]: Json }

/**
 * The parameters of an operation, without those for which no value is valid. Adds the defaults and examples that zod leaves out of
 * transformed types.
 */
export function parametersOf(described: Json | undefined, route: RouteOptions | undefined) {
  if (!Array.isArray(described)) return []
  const given = { query: route?.schema?.querystring, header: route?.schema?.headers }
  return described.flatMap((parameter): JsonObject[] => {
    const { in: where, name, schema, example, ...rest }: JsonObject = copyOf(parameter)
    if (JSON.stringify(schema) === '{}' || typeof name !== 'string') return []
    const from = where === 'query' ? given.query : where === 'header' ? given.header : undefined
    const field: unknown = from instanceof z.ZodObject ? from.shape[name] : undefined
    const usual = field instanceof z.ZodDefault ? { default: copyOf(field.def.defaultValue) } : {}
    const shown = example ?? exampleOf(field) ?? firstOf(schema)
    const isFilter = where === 'query' && !rest.required
    return [
      {
        in: copyOf(where),
        name: where === 'header' ? headerName(name) : name,
        schema: { ...copyOf(schema), ...usual },
        // The reference page sends every example that is not disabled; a filter by an example value would find nothing.
        ...(isFilter &&
          shown !== undefined &&
          !('default' in usual) && { examples: { default: { value: shown, 'x-disabled': true } } }),
        ...(!isFilter && shown !== undefined && { example: shown }),
        ...rest
      }
    ]
  })
}

function exampleOf(field: unknown): Json | undefined {
  const examples: unknown = field instanceof z.ZodType ? field.meta()?.examples : undefined
  return Array.isArray(examples) ? copyOf(examples[0]) : undefined
}

/** The first enum value: the reference page sends it where there is no example. */
function firstOf(schema: Json | undefined): Json | undefined {
  const { enum: values }: { enum?: Json[] } = copyOf(schema ?? {})
  return values?.[0]
}

export function copyOf(value: unknown) {
  return JSON.parse(JSON.stringify(value))
}

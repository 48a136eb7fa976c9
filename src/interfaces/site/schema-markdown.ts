/** A JSON Schema, as far as the API uses it. */
export interface Schema {
  $ref?: string
  type?: string | string[]
  description?: string
  properties?: Record<string, Schema>
  required?: string[]
  minProperties?: number
  items?: Schema
  anyOf?: Schema[]
  allOf?: Schema[]
  additionalProperties?: boolean | Schema
  enum?: unknown[]
  const?: unknown
  format?: string
  pattern?: string
  default?: unknown
  examples?: unknown[]
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  minimum?: number
  maximum?: number
}

interface Field {
  name: string
  schema: Schema
  required: boolean
  /** The place where a parameter is sent. */
  place?: string
  description?: string | undefined
}

/** A line on a field or parameter. A `?` after the name marks an optional one. */
export function fieldLine({ name, schema, required, place, description = schema.description }: Field) {
  const [example] = schema.examples ?? []
  const details = [
    typeInWords(schema),
    ...(schema.default === undefined ? [] : [`default ${literal(schema.default)}`]),
    ...(example === undefined ? [] : [`such as ${literal(example)}`])
  ]
  const where = place === undefined ? '' : ` (${place})`
  return `- \`${name}${required ? '' : '?'}\`${where}: ${details.join(', ')}${description ? `. ${description}` : ''}`
}

/** A line for each property of a schema, and below it, indented, those of an object inside it. */
export function fieldLines(schema: Schema, indent = ''): string[] {
  const { properties = {}, required = [] } = objectIn(schema) ?? {}
  return Object.entries(properties).flatMap(([name, property]) => [
    indent + fieldLine({ name, schema: property, required: required.includes(name) }),
    ...fieldLines(property, `${indent}  `)
  ])
}

/** The type in a few words, such as `string (1 to 500 characters) | null`. */
export function typeInWords(schema: Schema): string {
  return [...new Set(variantsOf(schema))].join(' | ')
}

/** The object in a field, even in a list or as an alternative to null. A named schema has a section of its own. */
function objectIn(schema: Schema): Schema | undefined {
  if (schema.properties) return schema
  return [schema.items, ...(schema.anyOf ?? []), ...(schema.allOf ?? [])]
    .flatMap(inner => (inner && objectIn(inner)) ?? [])
    .at(0)
}

function variantsOf(schema: Schema): string[] {
  if (schema.$ref !== undefined) return [`\`${schema.$ref.split('/').at(-1)}\``]
  if (schema.anyOf) return schema.anyOf.flatMap(variantsOf)
  if (schema.allOf) return [schema.allOf.map(typeInWords).join(' with ')]
  if (schema.const !== undefined) return [literal(schema.const)]
  if (schema.enum) return schema.enum.map(literal)
  return [schema.type ?? 'any value'].flat().map(type => describeType(type, schema))
}

function describeType(type: string, schema: Schema) {
  const { items = {}, additionalProperties: values } = schema
  if (type === 'null') return type
  if (type === 'object')
    return typeof values === 'object' && typeInWords(values) !== 'any value'
      ? `object of ${typeInWords(values)} by name`
      : type
  if (type === 'array')
    return `array of ${typeInWords(items)}${inBrackets([range(schema.minItems, schema.maxItems, 'item')])}`
  return (
    type +
    inBrackets([
      schema.format,
      // The format says the same in a word.
      schema.format === undefined && schema.pattern !== undefined ? `\`${schema.pattern}\`` : undefined,
      range(schema.minLength, schema.maxLength, 'character'),
      range(schema.minimum, schema.maximum, '')
    ])
  )
}

function range(min: number | undefined, max: number | undefined, unit: string) {
  const count = (number: number) => (unit === '' ? String(number) : `${number} ${unit}${number === 1 ? '' : 's'}`)
  if (min !== undefined && max !== undefined) return `${min} to ${count(max)}`
  if (min !== undefined) return `at least ${count(min)}`
  return max === undefined ? undefined : `at most ${count(max)}`
}

function inBrackets(words: (string | undefined)[]) {
  const known = words.filter(word => word !== undefined)
  return known.length > 0 ? ` (${known.join(', ')})` : ''
}

function literal(value: unknown) {
  return `\`${JSON.stringify(value)}\``
}

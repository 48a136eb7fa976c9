import fc from 'fast-check'
import type { Schema } from './document.ts'

/** Texts that have broken servers before. */
const HOSTILE = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  'a\udfffb',
  '\u202eabc',
  '👩‍👩‍👧‍👦',
  '\u{1F600}'.repeat(400),
  'İıẞß\u0345',
  '%00',
  '%',
  '%2e%2e%2f',
  '../../etc/passwd',
  "'; drop table users; --",
  "' or '1'='1",
  '" onload="alert(1)',
  '<script>alert(1)</script>',
  '{{7*7}}',
  '$\u007bjndi:ldap://x}',
  '__proto__',
  'constructor',
  'null',
  'NaN',
  '1e400',
  '-0',
  '9007199254740993',
  '\r\nSet-Cookie: a=b',
  '0001-01-01T00:00:00Z',
  '+275760-09-13T00:00:00Z',
  '2026-02-30T00:00:00Z',
  '2026-03-01T24:00:00+99:99',
  'tomorrow',
  'http://127.0.0.1:1/',
  'https://user:pass@example.com/',
  'x'.repeat(3_000),
  'e\u0301'.repeat(300)
]

const WRONG = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  -0,
  2 ** 53,
  1e308,
  [],
  {},
  [[]],
  [null],
  { __proto__: 1 },
  { constructor: {} },
  'text',
  nested(200)
]

export const hostileText = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...HOSTILE) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 60 }) }
)
const wrongValue = fc.constantFrom<unknown[]>(...WRONG)

function nested(depth: number): unknown {
  let value: unknown = 1
  for (let n = 0; n < depth; n++) value = [value]
  return value
}

/** What the world has that a made-up request would hardly hit upon. */
export interface Known {
  ids: fc.Arbitrary<string>
  /** By the name of a property that takes it. */
  named: Record<string, fc.Arbitrary<unknown>>
}

/** Values for a schema: mostly those it allows, its boundaries among them, and sometimes what it does not. */
export function valuesOf(schema: Schema, resolve: (schema: Schema) => Schema, known: Known): fc.Arbitrary<unknown> {
  return fc.oneof(
    { weight: 60, arbitrary: allowed(resolve(schema), resolve, known) },
    { weight: 1, arbitrary: wrongValue },
    { weight: 1, arbitrary: hostileText }
  )
}

function allowed(schema: Schema, resolve: (schema: Schema) => Schema, known: Known): fc.Arbitrary<unknown> {
  const inner = (one: Schema) => valuesOf(one, resolve, known)
  if ('const' in schema) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  const ways = schema.anyOf ?? schema.oneOf
  if (ways) return fc.oneof(...ways.map(inner))
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type
  if (type === 'object') return objects(schema, inner, known.named)
  if (type === 'array')
    return fc.array(inner(schema.items ?? {}), { maxLength: Math.min((schema.maxItems ?? 6) + 1, 8), size: 'max' })
  if (type === 'string' && schema.pattern?.startsWith(DAY)) return formatted({ ...schema, format: 'date-time' })
  if (type === 'string' && schema.format) return formatted(schema)
  if (type === 'string') return fc.oneof({ weight: 2, arbitrary: texts(schema) }, known.ids)
  if (type === 'integer' || type === 'number') return numbers(schema)
  if (type === 'boolean') return fc.boolean()
  if (type === 'null') return fc.constant(null)
  return fc.oneof(wrongValue, hostileText)
}

function objects(
  { properties = {}, required = [] }: Schema,
  inner: (schema: Schema) => fc.Arbitrary<unknown>,
  named: Known['named']
) {
  const part = (name: string, schema: Schema) => (named[name] ? fc.oneof(inner(schema), named[name]) : inner(schema))
  const parts = Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, part(name, schema)]))
  const requiredKeys = required.filter(name => name in parts)
  const known = fc.record(parts, { requiredKeys })
  const lacking = fc.record(parts, { requiredKeys: [] })
  const least = fc.record(Object.fromEntries(requiredKeys.map(name => [name, parts[name]!])))
  const more = fc.tuple(known, hostileText, wrongValue).map(([object, key, value]) => ({ ...object, [key]: value }))
  return fc.oneof(
    { weight: 6, arbitrary: known },
    { weight: 4, arbitrary: least },
    { weight: 1, arbitrary: lacking },
    { weight: 1, arbitrary: more }
  )
}

function numbers({ minimum = -1_000_000, maximum = 1_000_000, type }: Schema) {
  const edges = [minimum - 1, minimum, minimum + 1, maximum - 1, maximum, maximum + 1]
  const within =
    type === 'integer'
      ? fc.integer({ min: minimum, max: maximum })
      : fc.double({ min: minimum, max: maximum, noNaN: true })
  return fc.oneof({ weight: 3, arbitrary: within }, fc.constantFrom(...edges))
}

/** The beginning of the pattern of instants that may be days. */
const DAY = '^\\d{4}-\\d{2}-\\d{2}'

/** Mostly what the format is, for nothing else gets far. */
function formatted({ format, examples = [] }: Schema) {
  const right: Record<string, fc.Arbitrary<unknown>> = {
    'date-time': instants,
    uri: fc.oneof(fc.webUrl(), fc.constant('http://127.0.0.1:1/hook')),
    email: fc.emailAddress()
  }
  const usual = [right[format ?? ''] ?? fc.string(), ...(examples.length > 0 ? [fc.constantFrom(...examples)] : [])]
  return fc.oneof({ weight: 8, arbitrary: fc.oneof(...usual) }, { weight: 1, arbitrary: hostileText })
}

function texts({ minLength = 0, maxLength = 40, examples = [] }: Schema) {
  const edges = [minLength - 1, minLength, maxLength, maxLength + 1].filter(length => length >= 0 && length <= 20_000)
  const long = fc.constantFrom(...edges).map(length => 'é'.repeat(length))
  const usual = fc.string({ minLength, maxLength: Math.max(minLength, Math.min(maxLength, 40)), unit: 'grapheme' })
  return fc.oneof(usual, long, hostileText, ...(examples.length > 0 ? [fc.constantFrom(...examples)] : []))
}

const instants = fc
  .date({ min: new Date('2026-01-01T00:00:00Z'), max: new Date('2026-04-01T00:00:00Z'), noInvalidDate: true })
  .map(date => date.toISOString())

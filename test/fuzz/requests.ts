import fc from 'fast-check'
import type { Operation, Parameter, Schema } from './document.ts'
import { hostileText, type Known, valuesOf } from './values.ts'

/** An id that exists when the request is sent: the n-th of those of its kind that are known by then; of any kind without one. */
const PLACE = /\u2983([a-z]*)(\d+)\u2984/g
const places = (kind = '') => fc.nat({ max: 40 }).map(n => `\u2983${kind}${n}\u2984`)

export interface Case {
  operation: Operation
  /** Without the values of `{name}`, which may be places of ids. */
  path: Record<string, string>
  query: [string, string][]
  /** Null is not sent. */
  headers: Record<string, string | null>
  /** What is sent as JSON; undefined for none. */
  body: unknown
  /** What is sent as the bytes of a file instead. */
  file: string | undefined
  /** Whether the ids of the path are those of a session that is shared with the caller, where the path asks for an owner. */
  ofShared: boolean
  /** Which of the ways of not having the right to ask; 0, which is the usual one, for having it. */
  impostor: number
}

/** So many ways there are at most. */
export const IMPOSTORS = 4

const ids = places()
const known: Known = {
  ids,
  named: {
    file: fc.constantFrom('weekly.vtt', 'weekly.srt', 'weekly.txt', 'weekly.json'),
    from: fc.constantFrom('Ada', 'Ben'),
    into: places('per'),
    person_id: places('per'),
    speaker: fc.constantFrom('Ada', 'Ben'),
    template: places('tpl'),
    url: places('http')
  }
}

/** Which kind of id stands behind a part of a path, unless its own name says so. */
const KINDS: Record<string, string> = {
  sessions: 'ses',
  folders: 'fld',
  webhooks: 'whk',
  people: 'per',
  deliveries: 'evt',
  users: 'usr',
  tokens: 'tok',
  calls: 'ses',
  'action-items': 'ai',
  uploads: 'upl',
  terms: 'trm',
  'summary-templates': 'tpl',
  exports: 'exp',
  '{owner_id}': 'ses'
}
const NAMED: Record<string, string> = { owner_id: 'usr', recipient_id: 'usr' }

/** Of the kind that the path asks for, or of another. */
function idsIn(path: string, name: string) {
  const kind = NAMED[name] ?? KINDS[path.split('/').at(path.split('/').indexOf(`{${name}}`) - 1) ?? '']
  return fc.oneof(
    { weight: 8, arbitrary: places(kind) },
    { weight: 1, arbitrary: ids },
    { weight: 1, arbitrary: strange }
  )
}
function wordsIn({ enum: words }: Schema) {
  return (
    words &&
    fc.oneof({ weight: 8, arbitrary: fc.constantFrom(...words.map(String)) }, { weight: 1, arbitrary: strange })
  )
}

const strange = fc.oneof(
  hostileText.filter(text => text !== ''),
  fc.constantFrom('ses_01', 'fld_01jd0000000000000000000000', 'me', '0', '-1', 'ses_01jd0000000000000000000000x')
)

export function casesOf(operations: Operation[], resolve: (schema: Schema) => Schema): fc.Arbitrary<Case> {
  return fc.oneof(...operations.map(operation => caseOf(operation, resolve)))
}

const waits = fc.constantFrom('0', '1', '31', '-1', 'soon', '')

function caseOf(operation: Operation, resolve: (schema: Schema) => Schema): fc.Arbitrary<Case> {
  const of = (where: string) => operation.parameters.filter(parameter => parameter.in === where)
  const path = fc.record(
    Object.fromEntries(of('path').map(({ name, schema }) => [name, wordsIn(schema) ?? idsIn(operation.path, name)]))
  )
  const values = (schema: Schema) => valuesOf(schema, resolve, known)
  // A poll that waits for an event would take as long as it says.
  const pairs = of('query').map(({ name, schema }) => pair(name, name === 'wait' ? waits : values(schema)))
  const unknown = pair('unknown', hostileText)
  const usual = pairs.length === 0 ? fc.constant([]) : fc.array(fc.oneof(...pairs), { maxLength: 3 })
  const optional = fc.oneof({ weight: 20, arbitrary: usual }, { weight: 1, arbitrary: unknown.map(one => [one]) })
  // The bytes of a file come with its name in the query.
  const required = of('query').filter(({ required, name }) => required || (operation.fileType && name === 'file'))
  const needed = fc.tuple(...required.map(({ name, schema }) => fc.option(pair(name, values(schema)), { freq: 20 })))
  const query = fc
    .tuple(needed, optional)
    .map(([first, more]) => [
      ...first.filter(one => one !== null),
      ...more.filter(([name]) => !required.some(one => one.name === name))
    ])
    .map(sent => sent.flatMap(([name, value]) => [value].flat(3).map((one): [string, string] => [name, String(one)])))
  const headers = fc.record(
    Object.fromEntries(of('header').map(parameter => [parameter.name, headerValues(parameter, values)]))
  )
  const body = operation.body
    ? fc.option(withCrowd(withExample(values(operation.body), operation.bodyExample)), { freq: 30, nil: undefined })
    : fc.constant(undefined)
  const file = operation.fileType
    ? fc.option(FILES[operation.fileType], { freq: 30, nil: undefined })
    : fc.constant(undefined)
  const impostor = fc.nat({ max: 80 }).map(n => (n < IMPOSTORS ? n + 1 : 0))
  // The ids of an owner and of their session go together by chance too seldom.
  const ofShared = operation.path.includes('{owner_id}') ? fc.boolean() : fc.constant(false)
  return fc.record({ operation: fc.constant(operation), path, query, headers, body, file, ofShared, impostor })
}

/** A header that a request needs is mostly as in its example: any other value is refused before the rest is read. */
function headerValues(
  { name, schema, required, example }: Parameter,
  values: (schema: Schema) => fc.Arbitrary<unknown>
) {
  const any = fc.option(headerOf(values(schema)))
  const isNeeded = required === true || name === 'Tus-Resumable'
  return isNeeded && example !== undefined
    ? fc.oneof({ weight: 8, arbitrary: fc.constant(String(example)) }, { weight: 1, arbitrary: any })
    : any
}

const spoken = fc.array(
  fc.tuple(
    fc.nat({ max: 100_000 }),
    fc.constantFrom('Ada', 'Ben', 'x'.repeat(300), '00:00'),
    fc.oneof(hostileText, fc.lorem())
  ),
  { maxLength: 5 }
)

/** Transcripts more or less, of the formats that are read; a file may be called one thing and be another. */
const transcripts = fc.oneof(
  hostileText,
  fc.constantFrom(
    'WEBVTT',
    '{"segments":[{"start":0,"end":1e400,"text":7}]}',
    '{"text":"a","segments":{}}',
    '\ufeffWEBVTT\n\n--> -->'
  ),
  spoken.map(
    lines =>
      `WEBVTT\n\n${lines.map(([at, who, what]) => `${stamp(at)} --> ${stamp(at + 900)}\n<v ${who}>${what}\n`).join('\n')}`
  ),
  spoken.map(lines =>
    lines.map(([at, who, what], n) => `${n}\n${stamp(at)} --> ${stamp(at)}\n${who}: ${what}\n`).join('\n')
  ),
  spoken.map(lines => lines.map(([at, who, what]) => `[${stamp(at)}] ${who}: ${what}`).join('\n')),
  spoken.map(lines =>
    JSON.stringify({ segments: lines.map(([at, speaker, text]) => ({ start: at, end: at + 1, speaker, text })) })
  )
)

/** Tables of terms more or less, with other columns, too few values, and quotes that stay open. */
const tables = fc
  .array(fc.array(fc.oneof(fc.lorem({ maxCount: 2 }), hostileText), { minLength: 1, maxLength: 3 }), { maxLength: 5 })
  .chain(rows =>
    fc
      .constantFrom('heard,meant', 'meant,heard,note', 'heard', '"heard')
      .map(head => [head, ...rows.map(row => row.join(','))])
  )
  .map(lines => lines.join('\n'))

const FILES = { 'application/octet-stream': transcripts, 'text/csv': tables }

function stamp(ms: number) {
  return new Date(ms).toISOString().slice(11, 23)
}

function pair(name: string, values: fc.Arbitrary<unknown>) {
  return values.map((value): [string, unknown] => [name, value])
}

/** Headers cannot carry everything; what remains is what a client could send. */
function headerOf(values: fc.Arbitrary<unknown>) {
  return values.map(value => String(value).replace(/[^\x20-\x7e\x80-\xff]/g, '?'))
}

/** Puts ids where their places are. */
export function fillPlaces<T>(value: T, known: readonly string[]): T {
  const text = JSON.stringify(value, (_, one) => (one === undefined ? null : one))
  const filled = text.replace(PLACE, (_, kind: string, n: string) => {
    const fitting = known.filter(id => id.startsWith(kind))
    return fitting[Number(n) % fitting.length] ?? ''
  })
  return JSON.parse(filled)
}

/** The example of the document reaches what bodies with ten made-up fields hardly do. */
function withExample(body: fc.Arbitrary<unknown>, example: unknown) {
  if (example === undefined) return body
  return fc.oneof({ weight: 5, arbitrary: body }, { weight: 1, arbitrary: fc.constant(example) })
}

/** Now and then with a field that no route knows and that holds thousands of tiny values. */
function withCrowd(body: fc.Arbitrary<unknown>) {
  const crowd = fc.record({ value: fc.constantFrom({}, [], 0, '', null), count: fc.constantFrom(9_000, 20_000) })
  const crowded = fc
    .tuple(body, crowd)
    .map(([sent, { value, count }]) => ({ ...Object(sent), crowd: Array(count).fill(value) }))
  return fc.oneof({ weight: 40, arbitrary: body }, { weight: 1, arbitrary: crowded })
}

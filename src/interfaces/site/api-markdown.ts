import { ERROR_MEANING, ERROR_STATUS } from '../../contract/errors.ts'
import { fieldLine, fieldLines, type Schema, typeInWords } from './schema-markdown.ts'

interface DescribedAnswer {
  description: string
  headers?: Record<string, unknown>
  content?: Record<
    string,
    { schema?: Schema; example?: unknown; examples?: Record<string, { value: { error: { message: string } } }> }
  >
}

interface Operation {
  operationId: string
  tags: string[]
  summary: string
  description?: string
  security: Record<string, string[]>[]
  parameters?: {
    name: string
    in: string
    required?: boolean
    description?: string
    schema: Schema
    example?: unknown
  }[]
  requestBody?: { required?: boolean; content: NonNullable<DescribedAnswer['content']> }
  responses: Record<string, (DescribedAnswer & { $ref?: undefined }) | { $ref: string }>
}

/** An OpenAPI document, as far as the Markdown shows it. */
export interface ApiDocument {
  info: { title: string; version: string; summary: string; description: string }
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, Operation>>
  webhooks: Record<string, { post: Operation }>
  components: {
    schemas: Record<string, Schema>
    responses: Record<string, DescribedAnswer>
    headers: Record<string, { description: string }>
    securitySchemes: Record<string, { description: string }>
  }
}

/** The whole document as one page of Markdown. Each schema, header and error code is explained once, and named where it is used. */
export function renderApi(document: ApiDocument, basePath: string) {
  const { info, tags, components } = document
  const operations = operationsOf(document)
  const general = generalHeadersOf(document)
  const render = (operation: Operation) => renderOperation(operation, document, general)
  return [
    `# ${info.title} API ${info.version}`,
    `> ${info.summary}`,
    `Paths begin ${basePath === '' ? 'at the root' : `below \`${basePath}\``} of the server on which you read this. ${NOTATION}`,
    info.description,
    '## Scopes',
    ...Object.values(components.securitySchemes).map(({ description }) => description),
    '## Error codes',
    errorTable(document),
    '## Response headers',
    `Every response has ${names(general)}. Operations name the others.`,
    Object.entries(components.headers).map(([name, { description }]) => `- \`${name}\`: ${description}`),
    ...tags.flatMap(({ name, description }) => [
      `## ${name}`,
      description,
      ...operations
        .filter(({ operation }) => operation.tags.includes(name))
        .flatMap(({ request, operation }) => [`### ${request}`, ...render(operation)])
    ]),
    ...Object.entries(document.webhooks).flatMap(([event, { post }]) => [`### Webhook ${event}`, ...render(post)]),
    '## Schemas',
    ...Object.entries(components.schemas).flatMap(([name, schema]) => [`### ${name}`, ...renderSchema(schema)])
  ]
    .map(block => [block].flat().join('\n'))
    .concat('')
    .join('\n\n')
    .trimEnd()
    .concat('\n')
}

const NOTATION = `A \`?\` after a name marks what may be left out of a request, or be missing in an answer. Names in capitals, such as
\`SessionDetail\`, are schemas; they stand at the end.`

/** Each operation with its request, such as `GET /v1/sessions`. */
export function operationsOf({ paths }: ApiDocument) {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ request: `${method.toUpperCase()} ${path}`, operation }))
  )
}

function renderOperation(operation: Operation, document: ApiDocument, general: string[]) {
  const { operationId, summary, description, security, parameters = [], requestBody } = operation
  const scopes = security.flatMap(scheme => Object.values(scheme).flat())
  const answers = answersOf(operation, document)
  const errors = answers.filter(({ codes }) => codes.length > 0)
  return [
    `${summary}. Operation \`${operationId}\`, ${scopes.length > 0 ? `scope ${scopes.map(code).join(' or ')}` : 'no token'}.`,
    ...(description === undefined ? [] : [description]),
    ...(parameters.length > 0 ? ['Parameters:', parameters.map(renderParameter)] : []),
    ...(requestBody ? renderContent(`Body${requestBody.required ? '' : ' (optional)'}`, requestBody.content) : []),
    ...answers
      .filter(({ codes }) => codes.length === 0)
      .flatMap(({ status, answer }) => {
        const headers = Object.keys(answer.headers ?? {}).filter(name => !general.includes(name))
        const about = answer.description === 'Success.' ? '' : ` ${answer.description}`
        const lead = `Answer ${status}${headers.length > 0 ? `, with ${names(headers)}` : ''}`
        return answer.content ? renderContent(lead, answer.content, about) : [`${lead}, without a body.${about}`]
      }),
    ...(errors.length > 0
      ? [`Errors: ${errors.map(({ status, codes }) => `${status} ${names(codes)}`).join(', ')}.`]
      : [])
  ]
}

function renderParameter({
  name,
  in: place,
  required = false,
  description,
  schema,
  example
}: NonNullable<Operation['parameters']>[number]) {
  const shown = example === undefined || schema.enum ? {} : { examples: [example] }
  return fieldLine({ name, place, required, description, schema: { ...schema, ...shown } })
}

/** A body by media type, with the fields of a schema that has no section of its own, and an example. */
function renderContent(lead: string, content: NonNullable<DescribedAnswer['content']>, about = '') {
  return Object.entries(content).flatMap(([type, { example, schema = typeof example === 'string' ? TEXT : BYTES }]) => [
    `${lead}: \`${type}\`, ${typeInWords(schema)}.${about}`,
    ...nonEmpty(fieldLines(schema)),
    ...(example === undefined ? [] : [fence(type, example)])
  ])
}

/** The schema of a body that has none: text if its example is text, else bytes. */
const TEXT: Schema = { type: 'string' }
const BYTES: Schema = { type: 'bytes' }

function fence(type: string, example: unknown) {
  return typeof example === 'string'
    ? `\`\`\`\n${example.trimEnd()}\n\`\`\``
    : `\`\`\`${type.split('/')[1]}\n${JSON.stringify(example)}\n\`\`\``
}

function renderSchema(schema: Schema) {
  const least = schema.minProperties === undefined ? '' : ` With at least ${schema.minProperties} of its fields.`
  const about = `${schema.description ?? ''}${least}`.trim()
  return [...nonEmpty(about ? [about] : []), ...nonEmpty(fieldLines(schema))]
}

/** The error of a method that is none of the operations of its path. */
const OF_NO_OPERATION = `| ${ERROR_STATUS.method_not_allowed} | \`method_not_allowed\` | ${ERROR_MEANING.method_not_allowed} | \`Allow\` |`

/** Each code with its status and meaning, and the headers that its answers have besides those of every answer. */
function errorTable(document: ApiDocument) {
  const general = generalHeadersOf(document)
  const rows = operationsOf(document).flatMap(({ operation }) =>
    answersOf(operation, document).flatMap(({ status, answer, codes }) =>
      codes.map(code => {
        const { message } = answer.content?.['application/json']?.examples?.[code]?.value.error ?? { message: '' }
        const headers = Object.keys(answer.headers ?? {}).filter(name => !general.includes(name))
        return `| ${status} | \`${code}\` | ${message} | ${names(headers)} |`
      })
    )
  )
  return [
    '| status | code | meaning | headers |',
    '|---|---|---|---|',
    ...[...new Set([...rows, OF_NO_OPERATION])].sort()
  ]
}

/** The answers by status, in full; an error has codes. */
function answersOf({ responses }: Operation, { components }: ApiDocument) {
  return Object.entries(responses).flatMap(([status, described]) => {
    const answer =
      described.$ref === undefined ? described : components.responses[described.$ref.split('/').at(-1) ?? '']
    return answer ? [{ status, answer, codes: Object.keys(answer.content?.['application/json']?.examples ?? {}) }] : []
  })
}

/** The headers of every answer. */
function generalHeadersOf(document: ApiDocument) {
  const answers = operationsOf(document).flatMap(({ operation }) => answersOf(operation, document))
  return Object.keys(document.components.headers).filter(name =>
    answers.every(({ answer }) => Object.hasOwn(answer.headers ?? {}, name))
  )
}

function nonEmpty(lines: string[]) {
  return lines.length > 0 ? [lines] : []
}

function names(all: string[]) {
  return all.map(code).join(', ')
}

function code(name: string) {
  return `\`${name}\``
}

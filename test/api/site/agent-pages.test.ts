// @module-tag embedded
import { readdirSync, readFileSync } from 'node:fs'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { buildTestApp } from '../../support/server.ts'

interface Schema {
  $ref?: string
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
  allOf?: Schema[]
  enum?: unknown[]
  const?: unknown
}

interface Operation {
  operationId: string
  security: Record<string, string[]>[]
  parameters: { name: string; in: string; required: boolean; schema: Schema; description?: string }[]
  requestBody?: { content: Record<string, { schema?: Schema; example?: unknown }> }
  responses: Record<
    string,
    { $ref?: string; headers?: object; content?: Record<string, { schema?: Schema; examples?: object }> }
  >
}

const app = await buildTestApp({ publicUrl: 'https://parlance.example' })
const { body: markdown } = await app.inject('/v1/docs.md')
const document = (await app.inject('/v1/openapi.json')).json()
const operations = [
  ...Object.entries<Record<string, Operation>>(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const)
  ),
  ...Object.entries<{ post: Operation }>(document.webhooks).map(
    ([event, { post }]) => [`Webhook ${event}`, post] as const
  )
]

/** The text below a heading, up to the next one. */
function sectionOf(heading: string) {
  const [, ...after] = `${markdown}\n##`.split(`\n${heading}\n`)
  expect(after, heading).toHaveLength(1)
  return after[0]!.slice(0, after[0]!.indexOf('\n##'))
}

/** The lines of the fields of a schema, as the page names them, with those of the objects in it. */
function namesOf(schema: Schema): string[] {
  const inner = [schema.items, ...(schema.anyOf ?? []), ...(schema.allOf ?? [])].flatMap(one =>
    one ? namesOf(one) : []
  )
  return Object.entries(schema.properties ?? {})
    .flatMap(([name, property]) => [
      `- \`${name}${schema.required?.includes(name) ? '' : '?'}\`: `,
      ...namesOf(property)
    ])
    .concat(inner)
}

/** What the page says of a type: the schemas that it names, and its values. */
function wordsOf({ $ref, items, anyOf = [], allOf = [], enum: values = [], const: only }: Schema): string[] {
  const own = [
    ...($ref ? [$ref.split('/').at(-1)!] : []),
    ...[...values, ...(only === undefined ? [] : [only])].map(value => JSON.stringify(value))
  ]
  return [...own.map(word => `\`${word}\``), ...[items, ...anyOf, ...allOf].flatMap(one => (one ? wordsOf(one) : []))]
}

const missing = (section: string, expected: string[]) => expected.filter(text => !section.includes(text))

test.each(operations)(
  'the reference as Markdown has all of %s: scopes, parameters, bodies, headers, statuses and codes',
  (name, operation) => {
    const section = sectionOf(`### ${name}`)
    const { operationId, security, parameters, requestBody, responses } = operation
    const answers = Object.entries(responses).map(([status, answer]) => ({
      status,
      answer: answer.$ref ? (document.components.responses[answer.$ref.split('/').at(-1)!] as typeof answer) : answer
    }))
    const bodies = [requestBody, ...answers.map(({ answer }) => answer)].flatMap(body =>
      Object.entries(body?.content ?? {})
    )
    expect(
      missing(section, [
        `\`${operationId}\``,
        ...security.flatMap(scheme => Object.values(scheme).flat()).map(scope => `\`${scope}\``),
        ...parameters.map(parameter => `- \`${parameter.name}${parameter.required ? '' : '?'}\` (${parameter.in}): `),
        ...parameters.flatMap(({ schema, description }) => [...wordsOf(schema), description ?? '']),
        ...bodies.flatMap(([type, { schema = {} }]) => [
          ...namesOf(schema),
          ...(schema.$ref?.endsWith('/Error') ? [] : [`\`${type}\``, ...wordsOf(schema)])
        ]),
        ...Object.values(requestBody?.content ?? {}).flatMap(({ example }) =>
          example === undefined ? [] : [typeof example === 'string' ? example.trimEnd() : JSON.stringify(example)]
        ),
        ...answers.flatMap(({ status, answer }) => {
          const codes = Object.keys(answer.content?.['application/json']?.examples ?? {})
          return codes.length > 0 ? [`${status} ${codes.map(code => `\`${code}\``).join(', ')}`] : [`Answer ${status}`]
        })
      ])
    ).toEqual([])
  }
)

test.each(Object.entries<Schema>(document.components.schemas))('it has every property of %s', (name, schema) => {
  const section = sectionOf(`### ${name}`)
  const values = Object.values(schema.properties ?? {}).flatMap(wordsOf)
  expect(missing(section, [...namesOf(schema), ...values])).toEqual([])
})

test('it has every error code with its meaning, every header and every scope', () => {
  const codes: string[] = document.components.schemas.Error.properties.error.properties.code.enum
  const table = sectionOf('## Error codes')
  expect(codes.filter(code => !new RegExp(`^\\| \\d{3} \\| \`${code}\` \\| \\w`, 'm').test(table))).toEqual([])
  expect(
    missing(
      sectionOf('## Response headers'),
      Object.keys(document.components.headers).map(name => `- \`${name}\`: `)
    )
  ).toEqual([])
  expect(missing(sectionOf('## Scopes'), ['`sessions:create` (Import conversations'])).toEqual([])
  expect(markdown).toContain('Paths begin at the root of the server on which you read this.')
  expect(markdown).not.toMatch(/undefined|\[object|NaN/)
})

test('llms.txt leads to the reference and to every guide as Markdown, by absolute links that answer', async () => {
  const { headers, body } = await app.inject('/llms.txt')
  expect(headers['content-type']).toBe('text/plain; charset=utf-8')
  expect(body).toMatch(/^# Parlance\n\n> A self-hosted server/)
  const links = [...body.matchAll(/^- \[[^\]]+\]\((\S+)\): \S/gm)].map(([, link]) => link!)
  const guides = readdirSync('docs', { recursive: true, encoding: 'utf8' }).filter(
    name => name.endsWith('.md') && name !== 'README.md'
  )
  expect(links.map(link => link.replace('https://parlance.example/', '')).sort()).toEqual(
    ['llms-full.txt', 'v1/docs.md', 'v1/openapi.json', ...guides.map(name => `docs/${name}`)].sort()
  )
  for (const name of guides) {
    const guide = await app.inject(`/docs/${name}`)
    expect([guide.headers['content-type'], guide.body]).toEqual([
      'text/markdown; charset=utf-8',
      readFileSync(`docs/${name}`, 'utf8').replace(
        /(?<!proxy_pass )http:\/\/127.0.0.1:8080/g,
        'https://parlance.example'
      )
    ])
  }
})

test('llms-full.txt has every guide, with absolute links to pages that are there', async () => {
  const { headers, body } = await app.inject('/llms-full.txt')
  expect(headers['content-type']).toBe('text/plain; charset=utf-8')
  for (const name of readdirSync('docs', { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.md') || name === 'README.md') continue
    expect(body).toContain(`\n${readFileSync(`docs/${name}`, 'utf8').split('\n', 1)}\n`)
  }
  const links = new Set([...body.matchAll(/\]\((https:\/\/parlance\.example\/docs\/[^)#]+)/g)].map(([, link]) => link!))
  expect(links.size).toBeGreaterThan(20)
  for (const link of links) expect([link, (await app.inject(new URL(link).pathname)).statusCode]).toEqual([link, 200])
  expect(body.match(/\]\((?![a-z]+:|#|\/)[^)\s]*\.md/g)).toBeNull()
})

test.each(['/v1/docs.md', '/llms.txt', '/llms-full.txt'])(
  '%s is compressed where the client accepts it, and not sent again while it is the same',
  async url => {
    const plain = await app.inject(url)
    expect(plain.headers).toMatchObject({
      'cache-control': 'no-cache',
      vary: 'accept-encoding',
      etag: expect.stringMatching(/^"[\w-]{16}"$/)
    })
    for (const [encoding, decompress] of [
      ['br', brotliDecompressSync],
      ['gzip', gunzipSync]
    ] as const) {
      const answer = await app.inject({ url, headers: { 'accept-encoding': encoding } })
      expect([answer.headers['content-encoding'], decompress(answer.rawPayload).toString()]).toEqual([
        encoding,
        plain.body
      ])
    }
    const again = await app.inject({ url, headers: { 'if-none-match': `W/${plain.headers.etag}` } })
    expect([again.statusCode, again.body]).toEqual([304, ''])
  }
)

test('the guides and the reference lead to these pages', async () => {
  const { body } = await app.inject('/docs/api/webhooks')
  expect(body).toContain('<link rel="alternate" type="text/markdown" href="/docs/api/webhooks.md">')
  expect(body).toContain('href="/llms.txt"')
  expect(document.info.description).toContain('(/llms.txt)')
  expect(document.info.description).toContain('(/v1/docs.md)')
  expect(markdown).toContain('connect to `/mcp`')
})

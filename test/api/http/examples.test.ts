import { expect, test } from 'vitest'
import { EVENT_TYPES, TEST_EVENT } from '../../../src/contract/event.ts'
import { operations, type Route, requestOf, routes } from '../../matrix/ask.ts'
import { openWorld } from '../../matrix/world.ts'
import { type Answered, answerFaultsOf, type DescribedApi } from '../../support/described.ts'
import { validatorsOf } from '../../support/schemas.ts'
import { buildTestApp, testSender, testServer } from '../../support/server.ts'

interface Parameter {
  in: string
  name: string
  required?: boolean
  schema: { default?: unknown; type?: string; enum?: string[] }
  example?: unknown
  examples?: { default: { value: unknown; 'x-disabled': boolean } }
}

interface Operation {
  parameters?: Parameter[]
  requestBody?: { content: Record<string, { schema: object; example: unknown }> }
  responses: DescribedApi['paths'][string][string]['responses']
}

interface Document {
  info: { description: string }
  paths: Record<string, Record<string, Operation>>
  webhooks: Record<string, { post: Operation }>
  components: DescribedApi['components']
}

const { app } = await testServer()
const document: Document = (await app.inject('/v1/openapi.json')).json()
const lookup = async () => [{ address: '93.184.215.14', family: 4 }]
/** With a name server that knows the host of the examples, wherever this runs. */
const reachable = await buildTestApp({ sender: testSender({ lookup }) })

/** What the reference page sends: every example, and every default. */
async function sendExample({ method, path, row }: Route, world: Awaited<ReturnType<typeof openWorld>>) {
  const operation = document.paths[path]![method.toLowerCase()]!
  const { url } = requestOf({ name: '', method, path, row: { ...row, query: '' } }, world.ids)
  const shown = (operation.parameters ?? []).flatMap(({ in: where, name, example, schema: { default: usual } }) =>
    (example ?? usual) === undefined ? [] : [{ where, name, value: String(example ?? usual) }]
  )
  const of = (place: string) =>
    shown.filter(({ where }) => where === place).map(({ name, value }): [string, string] => [name, value])
  const [[type, { example: body }] = ['', { example: undefined }]] = Object.entries(
    operation.requestBody?.content ?? {}
  )
  const { token } = row.owner.startsWith('2') ? world.owner : world.recipient
  const reply = await reachable.inject({
    method: method as 'GET',
    url: `${url}?${new URLSearchParams(of('query'))}`,
    headers: {
      authorization: `Bearer ${token}`,
      ...(type && { 'content-type': type }),
      ...Object.fromEntries(of('header'))
    },
    ...(body !== undefined && { payload: body as object })
  })
  const isJson = String(reply.headers['content-type']).startsWith('application/json')
  return { status: reply.statusCode, body: isJson ? reply.json() : reply.body, sent: { headers: of('header'), body } }
}

test('every operation has a row that sends it', () => {
  expect(routes.length).toBe(operations.length)
})

/** A file has no example, and no session of the world has failed. */
const WITHOUT_EXAMPLE = ['uploadSession', 'appendToUpload', 'retrySession']

test.each(routes.filter(({ name }) => !WITHOUT_EXAMPLE.includes(name)).map(route => [route.name, route] as const))(
  '%s: the example of the document is answered with success',
  async (_, route) => {
    const answer = await sendExample(route, await openWorld())
    expect([200, 201, 202, 204], JSON.stringify(answer.body)).toContain(answer.status)
  }
)

test('the example of listing sessions has no filter', async () => {
  const world = await openWorld()
  const { body } = await sendExample(routes.find(({ name }) => name === 'listSessions')!, world)
  expect(body.sessions.map(({ id }: { id: string }) => id)).toEqual([world.ids.session])
})

test('the example of a PATCH changes one thing and carries the version it has read', async () => {
  const world = await openWorld()
  const { body, sent } = await sendExample(routes.find(({ name }) => name === 'updateSession')!, world)
  expect(Object.keys(sent.body as object)).toEqual(body.updated_fields)
  expect([body.updated_fields, sent.headers]).toEqual([['title'], [['If-Match', '"1"']]])
})

test('the reference page sends no examples of optional parameters, and limits state their default', () => {
  const query = Object.values(document.paths).flatMap(methods =>
    Object.values(methods).flatMap(({ parameters = [] }) => parameters.filter(parameter => parameter.in === 'query'))
  )
  const optional = query.filter(({ required, schema }) => !required && schema.default === undefined)
  expect(
    optional.filter(({ example, examples }) => example !== undefined || examples?.default['x-disabled'] === false)
  ).toEqual([])
  for (const { examples } of optional.filter(({ schema }) => schema.enum))
    expect(examples?.default['x-disabled']).toBe(true)
  const defaults = query.filter(({ name }) => name === 'limit').map(({ schema }) => [schema.type, schema.default])
  // The lists of folders and of people are whole without one.
  expect(defaults).toEqual([20, 20, 20, 50, 50, undefined, undefined, 20, 20].map(usual => ['integer', usual]))
})

test('optional bodies are not required, and path parameters have the names of the contract', async () => {
  const optional = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { requestBody }]) =>
      requestBody && 'required' in requestBody && requestBody.required === false ? [`${method} ${path}`] : []
    )
  )
  expect(optional).toEqual([
    'post /v1/sessions/{id}/sharing/link',
    'post /v1/sessions/{id}/sharing/link/reset',
    'delete /v1/sessions/{id}/sharing/invites'
  ])
  expect(Object.keys(document.paths)).toEqual(
    expect.arrayContaining([
      '/v1/sessions/{id}/folders/{folderId}',
      '/v1/shared-sessions/{owner_id}/{id}',
      '/v1/sessions/{id}/sharing/people/{recipient_id}'
    ])
  )
})

test('the document says how to get a token, its limits, and what a signed URL is', () => {
  const { description } = document.info
  for (const fact of [
    'npm run -s parlance -- token create',
    '60 requests a minute',
    '10,000 a day',
    'Retry-After',
    'signed URL'
  ]) {
    expect(description).toContain(fact)
  }
})

test('the document has a webhook for every event, with an example of its payload', () => {
  expect(Object.keys(document.webhooks)).toEqual([...EVENT_TYPES, TEST_EVENT])
  for (const [type, { post }] of Object.entries(document.webhooks)) {
    const { schema, example } = post.requestBody!.content['application/json']!
    expect([validatorsOf(document)(schema)(example), (example as { event: string }).event]).toEqual([true, type])
  }
})

/** The document is held against every answer of the suite by `holdToDocument`; this shows what that finds. */
test.each<[string, Partial<Answered>, string[]]>([
  ['as described', {}, []],
  ['another status', { status: 418 }, ['answers with 418, which is not described']],
  ['another header', { headers: { 'x-more': '1' } }, ['200 has the header x-more']],
  ['a field too many', { body: '{"acknowledged_cursor":1,"more":1}' }, ['must NOT have additional properties']],
  ['a field too few', { body: '{}' }, ["must have required property 'acknowledged_cursor'"]],
  [
    'another code',
    { status: 404, body: '{"error":{"code":"conflict","message":"No"}}' },
    ['404, which is not described']
  ],
  [
    'a code of another status',
    { status: 400, body: '{"error":{"code":"conflict","message":"No"}}' },
    ['400 has the code conflict']
  ]
])('an answer is checked against the document: %s', (_, change, faults) => {
  const usual = {
    'content-type': 'application/json',
    'x-request-id': 'a',
    ratelimit: '"minute";r=1;t=1',
    'ratelimit-policy': '"minute";q=1;w=60',
    ...limits('x-ratelimit-limit', 'remaining', 'reset')
  }
  const answered = {
    status: 200,
    body: '{"acknowledged_cursor":1}',
    ...change,
    headers: { ...usual, ...change.headers }
  }
  const found = answerFaultsOf(document)(document.paths['/v1/events/ack']!.post!, answered)
  expect(found).toEqual(faults.map(fault => expect.stringContaining(fault)))
})

function limits(first: string, ...rest: string[]) {
  return Object.fromEntries([first, ...rest.map(name => `x-ratelimit-${name}`)].map(name => [name, '1']))
}

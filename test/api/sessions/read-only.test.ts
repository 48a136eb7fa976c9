import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { type Document, type Operation, operationsOf, resolverOf, type Schema } from '../../fuzz/document.ts'
import { requestOf, routes } from '../../matrix/ask.ts'
import { openWorld, type World } from '../../matrix/world.ts'
import { askAdmin } from '../../support/admin-api.ts'
import { SPOKEN, testDatabase } from '../../support/server.ts'

const documents = { v1: read('openapi.json'), admin: read('admin.json') }

function read(file: string): Document {
  return JSON.parse(readFileSync(`openapi/${file}`, 'utf8'))
}

/** Names of columns that no schema speaks of. */
const COLUMNS = {
  user_id: 'usr_evil',
  owner_id: 'usr_evil',
  session_id: 'ses_evil',
  token_id: 'tok_evil',
  hash: 'evil',
  key: '../evil',
  seq: 424_242,
  version: 424_242,
  revoked_at: '1999-01-01T00:00:00.000Z',
  email_verified_at: '1999-01-01T00:00:00.000Z',
  scopes: ['sharing:manage'],
  role: 'admin',
  is_admin: true
}

/** A value for every property that the document has anywhere, each unlike what the server would choose. */
function everyField(document: Document) {
  const resolve = resolverOf(document)
  const fields: Record<string, unknown> = { ...COLUMNS }
  const visit = (node: unknown) => {
    if (typeof node !== 'object' || node === null) return
    const properties = 'properties' in node ? (node.properties as Record<string, Schema>) : {}
    for (const [name, schema] of Object.entries(properties)) fields[name] ??= valueFor(resolve(schema))
    for (const inner of Object.values(node)) visit(inner)
  }
  visit(document)
  return fields
}

function valueFor(schema: Schema): unknown {
  const type = [schema.type ?? schema.anyOf?.[0]?.type ?? 'object'].flat()[0]
  if (schema.enum) return schema.enum.at(-1)
  if (type === 'string') return schema.format === 'date-time' ? '1999-01-01T00:00:00.000Z' : 'evil'
  if (type === 'integer' || type === 'number') return 424_242
  if (type === 'boolean') return true
  return type === 'array' ? ['evil'] : { evil: true }
}

/** The body with all that it does not take, at the top and in each object of its lists. */
function overloaded(
  body: Record<string, unknown>,
  schema: Schema | undefined,
  fields: Record<string, unknown>,
  resolve: (schema: Schema) => Schema
): object {
  const own = schema ? (resolve(schema).properties ?? {}) : {}
  const others = Object.entries(fields).filter(([name]) => !(name in own) && !(name in body))
  const inner = Object.entries(body).map(([name, value]) => {
    const items = own[name] && resolve(own[name]).items
    const isList = Array.isArray(value) && value.every(one => typeof one === 'object' && one !== null)
    return [name, isList ? value.map(one => overloaded(one, items, fields, resolve)) : value]
  })
  return { ...Object.fromEntries(others), ...Object.fromEntries(inner) }
}

/** All that is kept of a user, but for what is different of any two. */
async function keptOf(userId: string) {
  const { db } = await testDatabase()
  const tables = await db.execute(
    `select table_name from information_schema.columns where table_schema = 'public' and column_name = 'user_id' order by 1`
  )
  const kept: [string, string[]][] = []
  for (const { table_name: table } of tables.rows) {
    const { rows } = await db.execute(
      `select to_jsonb(t)::text as row from public.${table} t where user_id = '${userId}'`
    )
    kept.push([String(table), rows.map(({ row }) => unnamed(String(row))).sort()])
  }
  return Object.fromEntries(kept)
}

function unnamed(text: string) {
  return text
    .replace(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|\+00:00|\+00)/g, at =>
      Math.abs(Date.parse(at) - Date.now()) < 600_000 ? 'NOW' : at
    )
    .replace(/[a-z]{2,4}_[0-9a-hjkmnp-tv-z]{26}/g, 'ID')
    .replace(/"\\\\x[0-9a-f]+"/g, '"BYTES"')
    .replace(/("(?:secret|previous_secret|hint|token|url)": ?)"[^"]*"/g, '$1"SECRET"')
}

const writes = routes.filter(
  ({ name, row, method }) =>
    row.body &&
    name !== 'uploadSession' &&
    name !== 'importTerms' &&
    method !== 'GET' &&
    !row.destroys &&
    row.owner.startsWith('2')
)
/** Where the contract has unknown fields refused. */
const STRICT = ['createShareInvites']
const BODIES: Record<string, (world: World) => object> = {
  updateSession: ({ ids }) => ({
    title: 'Changed',
    notes: 'n',
    tags: ['t'],
    action_items: [{ id: ids.item, text: 'Do it' }]
  }),
  createSummaryTemplate: () => ({ name: 'Another template', sections: [{ heading: 'Overview' }] }),
  createTerm: () => ({ heard: ['another term'], meant: 'Another' }),
  createPerson: () => ({ name: 'Another Person' }),
  updatePerson: () => ({ name: 'Renamed Person' }),
  createWebhook: () => ({ url: 'http://127.0.0.1:1/more', events: ['session.deleted'] })
}

test('fields that a request of /v1 must not have change neither the answer nor stored data', {
  timeout: 120_000
}, async () => {
  const worlds = [await openWorld(), await openWorld()] as const
  const operations = new Map(operationsOf(documents.v1).map(operation => [operation.name, operation]))
  const fields = everyField(documents.v1)
  expect(Object.keys(fields).length).toBeGreaterThan(90)
  for (const route of writes) {
    const answers = []
    for (const [n, world] of worlds.entries()) {
      const { method, url, body = {}, headers = {} } = requestOf(route, world.ids)
      const usual = BODIES[route.name]?.(world) ?? (body as object)
      const sent =
        n === 0 ? usual : overloaded({ ...usual }, operations.get(route.name)?.body, fields, resolverOf(documents.v1))
      const strict = n > 0 && STRICT.includes(route.name)
      if (strict)
        expect(await world.owner.ask(method as 'POST', url, { body: sent, headers })).toMatchObject({ status: 400 })
      const answer = await world.owner.ask(method as 'POST', url, { body: strict ? usual : sent, headers })
      // An import names what it has ignored.
      answers.push({
        route: route.name,
        status: answer.status,
        body: unnamed(JSON.stringify({ ...answer.body, warnings: undefined }))
      })
    }
    expect(answers[1]).toEqual(answers[0])
    expect(answers[0]?.status, JSON.stringify(answers[0])).toBeLessThan(300)
  }
  // A known item keeps what only the server may say of it.
  for (const [n, { owner, ids }] of worlds.entries()) {
    const [item] = (await owner.get(`/v1/sessions/${ids.session}/action-items`)).body.action_items
    const more = n === 0 ? {} : { created_at: 1, source_start: 424_242, user_edited_at: 1, session_id: 'ses_evil' }
    expect(
      (await owner.patch(`/v1/sessions/${ids.session}`, { action_items: [{ id: item.id, text: item.text, ...more }] }))
        .status
    ).toBe(200)
  }
  expect(await keptOf(worlds[1].owner.id)).toEqual(await keptOf(worlds[0].owner.id))
})

test('fields that a request of the admin API must not have change neither the answer nor stored data', {
  timeout: 120_000
}, async () => {
  const fields = everyField(documents.admin)
  const operations = operationsOf(documents.admin)
  const worlds = [await openWorld(), await openWorld()] as const
  const steps: [string, (ids: World['ids']) => { path: string; body: Record<string, unknown> }][] = [
    ['updateUser', () => ({ path: '', body: { name: 'Grace' } })],
    ['createToken', () => ({ path: '/tokens', body: { name: 'script', scopes: ['account:read'] } })],
    [
      'createSession',
      () => ({
        path: '/sessions',
        body: {
          external_id: 'one',
          segments: SPOKEN,
          speakers: [{ label: 'Ada', person: 'Ada L' }],
          action_items: [{ text: 'Do' }]
        }
      })
    ],
    [
      'updateSession',
      ({ session }) => ({ path: `/sessions/${session}`, body: { title: 'Changed', action_items: [{ text: 'Do it' }] } })
    ],
    ['startCall', () => ({ path: '/calls', body: { direction: 'inbound', external_id: 'two' } })],
    ['createPerson', () => ({ path: '/people', body: { name: 'Ben' } })],
    ['updatePerson', ({ person }) => ({ path: `/people/${person}`, body: { name: 'Owned Person again' } })],
    [
      'correctSpeaker',
      ({ session }) => ({ path: `/sessions/${session}/speakers`, body: { from: 'Owned Person', name: 'Cy' } })
    ],
    ['updateShareScope', ({ session }) => ({ path: `/sessions/${session}/share-scope`, body: { audio: false } })]
  ]
  for (const [name, step] of steps) {
    const { method, body: schema } = operations.find(operation => operation.name === name) as Operation
    const answers = []
    for (const [n, { owner, ids }] of worlds.entries()) {
      const { path, body } = step(ids)
      const sent = n === 0 ? body : overloaded(body, schema, fields, resolverOf(documents.admin))
      const answer = await askAdmin(method, `/users/${owner.id}${path}`, sent)
      // That they were ignored is said.
      const { warnings, ...told } = answer.body
      answers.push({ name, status: answer.status, body: unnamed(JSON.stringify(told)) })
    }
    expect(answers[1]).toEqual(answers[0])
    expect(answers[0]?.status, JSON.stringify(answers[0])).toBeLessThan(300)
  }
  expect(await keptOf(worlds[1].owner.id)).toEqual(await keptOf(worlds[0].owner.id))
})

import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { pino } from 'pino'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ERROR_STATUS } from '../../../src/contract/errors.ts'
import { buildAdmin } from '../../../src/server/admin-port.ts'
import { adminApiDocument } from '../../../src/server/openapi-documents.ts'
import { askAdmin, buildTestAdminApi, KEY } from '../../support/admin-api.ts'
import { portOf, sendRaw } from '../../support/http.ts'
import { validatorsOf } from '../../support/schemas.ts'
import { newUser } from '../../support/server.ts'

const document = JSON.parse(readFileSync('openapi/admin.json', 'utf8'))

interface Operation {
  operationId?: string
  summary?: string
  tags?: string[]
  security?: object[]
  requestBody?: { content: Record<string, { schema: object; example?: unknown }> }
  responses: Record<string, { headers?: object; content?: { 'application/json': { example?: unknown } } }>
}

const operations = Object.entries<Record<string, Operation>>(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const)
)

const validatorOf = validatorsOf(document)
const taking = operations.filter(([, { requestBody }]) => requestBody?.content['application/json'])

describe('the key of the admin API', () => {
  const refused = async (authorization: string | undefined) => {
    const app = await buildTestAdminApi()
    const reply = await app.inject({
      url: '/app/v1/users',
      headers: authorization === undefined ? {} : { authorization }
    })
    return { status: reply.statusCode, code: reply.json().error.code }
  }

  test.each([
    ['no header', undefined, 'unauthorized'],
    ['another scheme', `Basic ${KEY}`, 'unauthorized'],
    ['two words', `Bearer ${KEY} ${KEY}`, 'unauthorized'],
    ['another key', `Bearer ${'x'.repeat(KEY.length)}`, 'invalid_token'],
    ['the beginning of the key', `Bearer ${KEY.slice(0, -1)}`, 'invalid_token'],
    ['a very long key', `Bearer ${KEY.repeat(200)}`, 'invalid_token']
  ])('refuses %s with 401', async (_, authorization, code) => {
    expect(await refused(authorization)).toEqual({ status: 401, code })
  })

  test('a token of /v1 does not open it, and the key does not open /v1', async () => {
    const user = await newUser()
    expect(await refused(`Bearer ${user.token}`)).toEqual({ status: 401, code: 'invalid_token' })
    const reply = await user.app.inject({ url: '/v1/account', headers: { authorization: `Bearer ${KEY}` } })
    expect(reply.statusCode).toBe(401)
  })

  test('a failed attempt is logged without the sent key', async () => {
    const written: string[] = []
    const logger = pino({ level: 'info' }, { write: line => void written.push(line) })
    const app = await buildTestAdminApi({}, { logger })
    await app.inject({ url: '/app/v1/users', headers: { authorization: 'Bearer a-wrong-key-that-must-not-be-seen' } })
    expect(written.map(line => JSON.parse(line))).toContainEqual(
      expect.objectContaining({ msg: 'admin API refused', reason: 'wrong key', route: '/app/v1/users' })
    )
    expect(written.join()).not.toContain('must-not-be-seen')
    expect(written.join()).not.toContain(KEY)
  })

  test('attempts without it are counted by address, and refused without a log line beyond the limit; a request with it always passes', async () => {
    const written: string[] = []
    const logger = pino({ level: 'info' }, { write: line => void written.push(line) })
    const app = await buildTestAdminApi({}, { attemptsPerMinute: 2, logger })
    const from = async (remoteAddress: string, authorization?: string) => {
      const reply = await app.inject({
        url: '/app/v1/users',
        remoteAddress,
        headers: authorization ? { authorization } : {}
      })
      return [reply.statusCode, reply.json().error?.code, reply.headers['retry-after']]
    }
    expect(await from('10.0.0.1', 'Bearer x')).toEqual([401, 'invalid_token', undefined])
    expect(await from('10.0.0.1')).toEqual([401, 'unauthorized', undefined])
    expect(await from('10.0.0.1', 'Bearer y')).toEqual([429, 'rate_limit_exceeded', '60'])
    expect(await from('10.0.0.1')).toEqual([429, 'rate_limit_exceeded', '60'])
    expect(await from('10.0.0.2', 'Bearer x')).toEqual([401, 'invalid_token', undefined])
    expect(await from('10.0.0.1', `Bearer ${KEY}`)).toEqual([200, undefined, undefined])
    expect(written.filter(line => line.includes('admin API refused'))).toHaveLength(3)
  })

  test('two Authorization headers count as none, and two Host headers get a 400', async () => {
    const app = await buildTestAdminApi()
    await app.listen({ host: '127.0.0.1', port: 0 })
    const head = `GET /app/v1/users HTTP/1.1\r\nConnection: close\r\nHost: x\r\nAuthorization: Bearer ${KEY}\r\n`
    expect((await sendRaw(app, `${head}Authorization: Bearer ${KEY}\r\n\r\n`)).status).toBe(401)
    expect((await sendRaw(app, `${head}Host: x\r\n\r\n`)).status).toBe(400)
    expect((await sendRaw(app, `${head}\r\n`)).status).toBe(200)
    await app.close()
  })

  test('a request for a user is logged with the user’s id, unless the user does not exist', async () => {
    const written: string[] = []
    const logger = pino({ level: 'info' }, { write: line => void written.push(line) })
    const app = await buildTestAdminApi({}, { logger })
    const { id } = await newUser()
    for (const user of [id, 'made-up'])
      await app.inject({ url: `/app/v1/users/${user}/people`, headers: { authorization: `Bearer ${KEY}` } })
    const users = written
      .map(line => JSON.parse(line))
      .filter(({ msg }) => msg === 'request')
      .map(({ user }) => user)
    expect(users).toEqual([id, undefined])
  })

  test('without a key in the settings every path says that the API is off', async () => {
    const app = await buildTestAdminApi({}, { key: undefined })
    for (const url of ['/app/v1/users', '/app/v1/openapi.json', '/app/v1/nothing']) {
      const reply = await app.inject({ url, headers: { authorization: `Bearer ${KEY}` } })
      expect([reply.statusCode, reply.json()]).toEqual([
        404,
        { error: { code: 'not_found', message: 'The admin API is off: set APP_API_KEY and start the server again' } }
      ])
    }
  })
})

describe('the admin port', () => {
  test.each([
    ['stopping', false, async () => {}],
    ['database unavailable', true, () => Promise.reject(new Error('away'))]
  ])('says with Retry-After that it is not ready: %s', async (status, serving, ping) => {
    const admin = buildAdmin({
      names: ['admin.example.com'],
      isServing: () => serving,
      ping,
      metrics: async () => ({ type: '', text: '' }),
      adminApi: () => undefined
    })
    const reply = await admin.inject('/readyz')
    expect([reply.statusCode, reply.headers['retry-after'], reply.json()]).toEqual([503, '2', { status }])
  })

  test('hands what is below /app to the admin API, and says when to come back while there is none', async () => {
    const app = await buildTestAdminApi()
    await app.ready()
    let adminApi: typeof app | undefined
    const admin = buildAdmin({
      names: ['admin.example.com'],
      isServing: () => true,
      ping: async () => {},
      metrics: async () => ({ type: 'text/plain', text: '' }),
      adminApi: () => adminApi
    })
    const address = await admin.listen({ port: 0 })
    const ask = async (path: string) => {
      const reply = await fetch(address + path, { headers: { authorization: `Bearer ${KEY}` } })
      return {
        status: reply.status,
        retryAfter: reply.headers.get('retry-after'),
        body: (await reply.json()) as { error?: { code: string } }
      }
    }
    expect(await ask('/app/v1/users')).toMatchObject({
      status: 503,
      retryAfter: '2',
      body: { error: { code: 'service_unavailable' } }
    })
    adminApi = app
    expect(await ask('/app/v1/users?limit=1')).toMatchObject({ status: 200 })
    const { id } = await newUser()
    const upload = await fetch(`${address}/app/v1/users/${id}/sessions/upload?file=talk.txt`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/octet-stream' },
      body: 'Ada: Hello.'
    })
    expect(upload.status).toBe(202)
    expect(await ask('/livez')).toMatchObject({ status: 200, body: { status: 'ok' } })
    await admin.close()
  })
})

describe('every answer', () => {
  test('to an unknown path is a 404, and to an unknown method a 405, in the shape of all errors', async () => {
    expect(await askAdmin('GET', '/nothing')).toEqual({
      status: 404,
      body: { error: { code: 'not_found', message: 'There is nothing at this path for GET' } }
    })
    expect(await askAdmin('PUT', '/users', {})).toMatchObject({
      status: 405,
      body: { error: { code: 'method_not_allowed' } }
    })
  })

  test.each(
    operations
      .filter(([name]) => name.includes('{user_id}'))
      .map(([name, { operationId }]) => [name, operationId] as const)
  )('%s answers 404 for a user who does not exist', async name => {
    const [method, path] = name.split(' ') as ['GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', string]
    const url = path
      .replace('/app/v1', '')
      .replace('{user_id}', 'usr_00000000000000000000000000')
      .replace('{format}', 'txt')
      .replaceAll(/\{\w+\}/g, 'x')
    const { requestBody } = new Map(operations).get(name)!
    const example = requestBody?.content['application/json']?.example
    const body = requestBody && !example ? Buffer.from('heard,meant') : example
    const type = body instanceof Buffer && {
      'content-type': requestBody?.content['text/csv'] ? 'text/csv' : 'application/octet-stream'
    }
    const headers = { 'if-match': '*', ...type }
    expect(await askAdmin(method, url + (VALID_QUERIES[name] ?? ''), body, { headers })).toEqual({
      status: 404,
      body: { error: { code: 'not_found', message: 'User not found' } }
    })
  })

  test('to text that cannot be stored is a 400', async () => {
    expect(await askAdmin('POST', '/users', { name: 'a\0b' })).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_request' } }
    })
  })
})

/** What is not valid is refused before the user is looked for. */
const VALID_QUERIES: Record<string, string> = { 'POST /app/v1/users/{user_id}/sessions/upload': '?file=a.vtt' }

describe('the OpenAPI document of the admin API', () => {
  test('is the committed one', async () => {
    expect(JSON.parse(JSON.stringify(await adminApiDocument()))).toEqual(document)
  })

  test('is served without the key, with every path under /app/v1', async () => {
    const app = await buildTestAdminApi()
    const reply = await app.inject('/app/v1/openapi.json')
    expect([reply.statusCode, reply.json().openapi, reply.json().paths]).toEqual([200, '3.1.0', document.paths])
    expect(Object.keys(document.paths).filter(path => !path.startsWith('/app/v1/'))).toEqual([])
  })

  test.each(operations)('%s has an id, a summary, a tag, an example and its refusals', (_, operation) => {
    expect(operation).toMatchObject({
      operationId: expect.any(String),
      summary: expect.any(String),
      tags: [expect.any(String)]
    })
    if (operation.security!.length === 0) return
    expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(['401', '500', '503']))
    const done = Object.entries(operation.responses).filter(([status]) => status < '300')
    const examples = done.flatMap(([, { content }]) => Object.values(content ?? {})).map(({ example }) => example)
    expect(examples).not.toContain(undefined)
    expect(done.every(([status, { content }]) => status === '204' || content)).toBe(true)
    expect(done.length).toBeGreaterThan(0)
  })

  test.each(taking)('%s shows a valid body', (_, { requestBody }) => {
    const { schema, example } = requestBody!.content['application/json']!
    const validate = validatorOf(schema)
    expect([validate(example), validate.errors]).toEqual([true, null])
  })

  test('has each operation id once', () => {
    const ids = operations.map(([, { operationId }]) => operationId)
    expect(new Set(ids).size).toBe(ids.length)
  })

  test('names every error code', () => {
    expect(document.components.schemas.Error.properties.error.properties.code.enum).toEqual(Object.keys(ERROR_STATUS))
  })
})

test('the admin port refuses a Host that public DNS can lead to it, unless it is named, and answers probes', async () => {
  const admin = buildAdmin({
    names: ['admin.example.com'],
    isServing: () => true,
    ping: async () => {},
    metrics: async () => ({ type: 'text/plain', text: 'parlance_up 1' }),
    adminApi: () => undefined
  })
  onTestFinished(() => admin.close())
  await admin.listen({ host: '127.0.0.1', port: 0 })
  const statusOf = async (path: string, host: string) => {
    const sent = request({ host: '127.0.0.1', port: portOf(admin), path, headers: { host }, agent: false }).end()
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    response.resume()
    return response.statusCode
  }
  for (const host of ['evil.example', 'evil.example:9090', '127.0.0.1.evil.example', 'EVIL.example.'])
    for (const [url, status] of [
      ['/metrics', 403],
      ['/app/v1/users', 403],
      ['/livez', 200],
      ['/readyz', 200]
    ] as const)
      expect([host, url, await statusOf(url, host)]).toEqual([host, url, status])
  const known = [
    '127.0.0.1:9090',
    '[::1]:9090',
    'localhost',
    'parlance:9090',
    'parlance.default.svc',
    'ADMIN.example.com:80'
  ]
  for (const host of known) expect([host, await statusOf('/metrics', host)]).toEqual([host, 200])
})

import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { pino } from 'pino'
import { describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { openDatabase } from '../../../src/platform/db/open.ts'
import { portOf, sendRaw } from '../../support/http.ts'
import { drip } from '../../support/raw-server.ts'
import { withoutParam } from '../../support/refusal.ts'
import { buildTestApp, newUser } from '../../support/server.ts'

const HEADERS = {
  'x-request-id': expect.stringMatching(/^[\w.-]{8,64}$/),
  ratelimit: expect.stringMatching(/^"(minute|day|address)";r=\d+;t=\d+$/),
  'ratelimit-policy': expect.stringMatching(/^"(minute|day|address)";q=\d+;w=(60|86400)$/),
  'x-ratelimit-limit': expect.stringMatching(/^\d+$/),
  'x-ratelimit-remaining': expect.stringMatching(/^\d+$/),
  'x-ratelimit-reset': expect.stringMatching(/^\d{10}$/),
  'cache-control': 'private, no-store',
  'content-type': 'application/json; charset=utf-8'
}

/** The answers that the route `/v1/late` has not given yet. */
const late: (() => void)[] = []

/** A listening application with a route that takes a body, as those to come will. */
async function listening(options?: Parameters<typeof buildTestApp>[1], overrides?: Parameters<typeof buildTestApp>[0]) {
  const app = await buildTestApp(overrides, options)
  const schema = { hide: true, body: z.object({ name: z.string().max(20) }).optional() }
  app.post('/v1/probe', { config: { scopes: ['account:read'] }, schema }, async ({ body }) => ({ got: body ?? null }))
  app.get('/v1/fault', { config: { scopes: ['account:read'] } }, async () => {
    throw new Error('secret detail of the fault')
  })
  app.route({
    method: ['GET', 'POST'],
    url: '/v1/late',
    config: { scopes: ['account:read'] },
    handler: () => new Promise(answer => late.push(() => answer({})))
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  onTestFinished(() => app.close())
  return app
}

describe('every error has the same shape and carries the same headers', () => {
  test.each([
    ['an unknown path', 'GET', '/v1/nothing', {}, 404, 'not_found', 'There is nothing at this path for GET'],
    ['a path outside of /v1', 'GET', '/nothing', {}, 404, 'not_found', 'There is nothing at this path for GET'],
    [
      'a method the path does not have',
      'PUT',
      '/v1/sessions',
      {},
      405,
      'method_not_allowed',
      'This path does not take PUT, but GET, HEAD, POST'
    ],
    ['an encoded slash', 'GET', '/v1%2Fsessions', {}, 404, 'not_found', 'There is nothing at this path for GET'],
    [
      'a percent-encoding that is not valid',
      'GET',
      '/v1/sessions/%zz',
      {},
      400,
      'invalid_request',
      'The path has a percent-encoding that is not valid'
    ],
    [
      'a NUL in the path',
      'GET',
      '/v1/sessions/%00',
      {},
      400,
      'invalid_request',
      'id: send text without NUL characters and unpaired surrogates'
    ],
    [
      'no Authorization',
      'GET',
      '/v1/sessions',
      { authorization: '' },
      401,
      'unauthorized',
      'Send the header Authorization: Bearer <token>'
    ],
    [
      'a fault of ours',
      'GET',
      '/v1/fault',
      {},
      500,
      'internal_error',
      'The server failed; quote the request id request-1234'
    ]
  ])('for %s', async (_, method, path, headers, status, code, message) => {
    const app = await listening()
    const { token } = await newUser()
    const reply = await fetch(`${app.listeningOrigin}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'x-request-id': 'request-1234', ...headers }
    })
    expect({ status: reply.status, body: withoutParam(await reply.json()) }).toEqual({
      status,
      body: { error: { code, message } }
    })
    expect(Object.fromEntries(reply.headers)).toMatchObject(HEADERS)
  })

  test.each([
    [
      'malformed JSON',
      'application/json',
      '{"name": ',
      400,
      'The body is not valid JSON: Unexpected end of JSON input'
    ],
    [
      'malformed JSON of several lines',
      'application/json',
      '{\n  "é": 1,\n  "name": 1,\n}',
      400,
      'The body is not valid JSON: Expected double-quoted property name in JSON at position 25 (line 4 column 1)'
    ],
    [
      'bytes that are not UTF-8',
      'application/json',
      Buffer.from('{"name":"caf\xe9"}', 'latin1'),
      400,
      'The body is not valid UTF-8'
    ],
    [
      'a charset other than UTF-8',
      'application/json; charset=iso-8859-1',
      Buffer.from('{"name":"caf\xe9"}', 'latin1'),
      415,
      'Send the body in UTF-8, as Content-Type: application/json'
    ],
    [
      '10,001 values',
      'application/json',
      `{"name":"x","z":[${'1,'.repeat(9_998)}1]}`,
      413,
      'The body has more than 10000 values; send fewer'
    ],
    ['a content type that is not JSON', 'text/plain', 'name', 415, 'Send the body as Content-Type: application/json'],
    ['a form', 'application/x-www-form-urlencoded', 'name=x', 415, 'Send the body as Content-Type: application/json'],
    [
      'a body over the limit of its path',
      'application/json',
      `{"name":"${'x'.repeat(70_000)}"}`,
      413,
      'The body is too large for this path; send at most 64 KiB'
    ],
    [
      'a key that would reach the prototype',
      'application/json',
      '{"__proto__":{"name":"x"}}',
      400,
      'The body has the key __proto__ or constructor; leave it out'
    ],
    [
      'a NUL in the body',
      'application/json',
      '{"name":"a\\u0000b"}',
      400,
      'name: send text without NUL characters and unpaired surrogates'
    ],
    [
      'half a surrogate pair',
      'application/json',
      '{"name":"\\ud800"}',
      400,
      'name: send text without NUL characters and unpaired surrogates'
    ],
    [
      'a field that is too long',
      'application/json',
      '{"name":"xxxxxxxxxxxxxxxxxxxxx"}',
      400,
      'name: send at most 20 characters'
    ]
  ])('for %s', async (_, type, body, status, message) => {
    const reply = await post(body, type)
    expect({ ...reply, body: withoutParam(reply.body) }).toEqual({
      status,
      body: { error: { code: 'invalid_request', message } }
    })
  })

  test.each([
    'application/json',
    'APPLICATION/JSON',
    'application/json; charset=utf-8',
    'application/json;charset=utf-8 ',
    'application/json; charset="UTF-8"',
    '\tapplication/json'
  ])('validates a body of content type %j all the same', async type => {
    expect((await post('{"name":1}', type)).status).toBe(400)
  })

  test('takes an empty body under a JSON content type for no body', async () => {
    expect(await post('', 'application/json')).toEqual({ status: 200, body: { got: null } })
  })

  test.each([
    [undefined, 'body: send a JSON object'],
    ['', 'body: send a JSON object'],
    ['null', 'body: send a JSON object'],
    ['[]', 'body: send a JSON object'],
    ['"x"', 'body: send a JSON object'],
    ['{}', 'text: send a text'],
    ['{"text":1}', 'text: send a text'],
    ['{"text":""}', 'text: send at least 1 character'],
    ['{"text":"long"}', 'text: send at most 3 characters'],
    ['{"text":"x","flag":0}', 'flag: send true or false'],
    ['{"text":"x","whole":0.5}', 'whole: send a whole number'],
    ['{"text":"x","whole":-1}', 'whole: send at least 0'],
    ['{"text":"x","whole":8}', 'whole: send less than 8'],
    ['{"text":"x","list":{}}', 'list: send a list'],
    ['{"text":"x","list":[1,2]}', 'list: send at most 1 entry'],
    ['{"text":"x","list":["x"]}', 'list.0: send a number'],
    ['{"text":"x","word":"c"}', 'word: send one of a, b'],
    ['{"text":"x","url":"x"}', 'url: send a valid url'],
    ['{"text":"x","either":[]}', 'either: send a value of the form that the reference shows'],
    ['{"text":"x","more":1}', 'body: leave out more; this body takes no other fields'],
    ['{"text":"x","a":1,"b":1,"c":1,"d":1}', 'body: leave out a, b, c …; this body takes no other fields'],
    [`{"text":"x","${'k'.repeat(60_000)}":1}`, `body: leave out ${'k'.repeat(50)}…; this body takes no other fields`]
  ])('says in words what to send in place of %s, where a shape has none of its own', async (payload, message) => {
    const app = await buildTestApp()
    const shape = {
      flag: z.boolean(),
      whole: z.int().min(0).lt(8),
      list: z.array(z.number()).max(1),
      word: z.enum(['a', 'b']),
      url: z.url(),
      either: z.union([z.string(), z.number()])
    }
    const body = z
      .strictObject(shape)
      .partial()
      .extend({ text: z.string().min(1).max(3) })
    app.post('/v1/shaped', { config: { scopes: ['account:read'] }, schema: { hide: true, body } }, async () => ({}))
    const { token } = await newUser()
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const reply = await app.inject({
      method: 'POST',
      url: '/v1/shaped',
      headers,
      ...(payload !== undefined && { payload })
    })
    expect([reply.statusCode, withoutParam(reply.json())]).toEqual([
      400,
      { error: { code: 'invalid_request', message } }
    ])
  })

  test('refuses a body that is compressed', async () => {
    const reply = await post(gzipSync('{}'), 'application/json\r\nContent-Encoding: gzip')
    expect(reply).toEqual({
      status: 415,
      body: { error: { code: 'invalid_request', message: 'Send the body without Content-Encoding' } }
    })
  })

  test('takes a body of 10,000 values', async () => {
    expect((await post(`{"name":"x","z":[${'1,'.repeat(9_996)}1]}`, 'application/json')).status).toBe(200)
  })

  test('survives a body nested 10,000 deep', async () => {
    expect((await post(`${'['.repeat(10_000)}${']'.repeat(10_000)}`, 'application/json')).status).toBe(400)
  })

  test('shows nothing of an unexpected error', async () => {
    const app = await listening()
    const { token } = await newUser()
    const reply = await app.inject({ url: '/v1/fault', headers: { authorization: `Bearer ${token}` } })
    expect(reply.body).not.toContain('secret detail')
  })

  test('does not name the server software', async () => {
    const app = await listening()
    const { headers } = await app.inject('/v1/sessions')
    expect([headers.server, headers['x-powered-by']]).toEqual([undefined, undefined])
  })
})

describe('malformed or incomplete HTTP is answered in the same shape,', () => {
  test.each([
    ['no Host header', 'GET /v1/sessions HTTP/1.1\r\nConnection: close\r\n\r\n', 400, 'Send a Host header'],
    ['no HTTP at all', 'hello\r\n\r\n', 400, 'The request line has no method that HTTP knows'],
    ['a bare line feed in a header', 'GET / HTTP/1.1\r\nHost: x\nA: b\r\n\r\n', 400, 'The request is not valid HTTP'],
    [
      'two lengths',
      'POST /v1/probe HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n',
      400,
      'The request is not valid HTTP'
    ],
    [
      'headers over 16 KiB',
      `GET / HTTP/1.1\r\nHost: x\r\nA: ${'x'.repeat(17_000)}\r\n\r\n`,
      431,
      'The headers are too large; send at most 16 KiB'
    ]
  ])('with %s', async (_, bytes, status, message) => {
    const answer = await sendRaw(await listening(), bytes)
    expect(answer).toEqual({
      status,
      body: { error: { code: 'invalid_request', message } },
      headers: expect.objectContaining(HEADERS)
    })
  })

  test('with headers that do not arrive in time', async () => {
    const answer = await sendRaw(
      await listening({ requestTimeoutMs: 600 }),
      'GET /v1/sessions HTTP/1.1\r\nHost: x\r\nA: '
    )
    expect(answer).toEqual({
      status: 408,
      body: { error: { code: 'invalid_request', message: 'The request did not arrive in time' } },
      headers: expect.objectContaining(HEADERS)
    })
  })

  test('with a body that arrives too slowly', async () => {
    const app = await listening({ requestTimeoutMs: 600 })
    const { token } = await newUser()
    const head = `POST /v1/probe HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n`
    const received = await new Promise<string>(resolve => {
      let text = ''
      const socket = connect(portOf(app), '127.0.0.1', () => {
        socket.write(head)
        drip(socket, ' ', 50)
      })
      socket.on('data', chunk => {
        text += chunk
      })
      socket.on('error', () => {})
      socket.on('close', () => resolve(text))
    })
    expect(received).toMatch(/^HTTP\/1.1 408 /)
  })
})

describe('X-Request-Id', () => {
  test.each([
    ['request-1234', 'request-1234'],
    ['short', expect.stringMatching(/^[0-9a-f-]{36}$/)],
    ['with spaces in it', expect.stringMatching(/^[0-9a-f-]{36}$/)],
    ['x'.repeat(65), expect.stringMatching(/^[0-9a-f-]{36}$/)]
  ])('%j is answered with an id that can be quoted', async (sent, answered) => {
    const { send } = await newUser()
    expect((await send('/v1/account', { 'x-request-id': sent })).headers['x-request-id']).toEqual(answered)
  })
})

test('a request that is not answered in time is 503 with Retry-After, with a body and without', async () => {
  const { token } = await newUser('account:read')
  const lines: { msg: string }[] = []
  const logger = pino({ level: 'info' }, { write: line => void lines.push(JSON.parse(line)) })
  const app = await listening({ answerTimeoutMs: 100, logger })
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  for (const request of [{ method: 'GET' }, { method: 'POST' }, { method: 'POST', body: '{"name":"Clients"}' }]) {
    const reply = await fetch(`http://127.0.0.1:${portOf(app)}/v1/late`, { ...request, headers })
    expect([reply.status, reply.headers.get('retry-after'), await reply.json()]).toEqual([
      503,
      '2',
      { error: { code: 'service_unavailable', message: 'The server cannot answer this now; try again' } }
    ])
  }
  for (const answer of late) answer()
  await app.close()
  expect(lines.slice(1).map(({ msg }) => msg)).toEqual(
    Array.from({ length: 3 }, () => ['request failed', 'request']).flat()
  )
})

describe('a request while the database is away', () => {
  test('is answered 503 service_unavailable with Retry-After', async () => {
    const { token } = await newUser()
    const gone = await openDatabase({
      url: 'postgres://nobody@127.0.0.1:1/none',
      dataDir: '',
      share: false,
      name: 'gone',
      onError: () => {}
    })
    onTestFinished(() => gone.close())
    const { openAdmissions } = await import('../../../src/features/access/admission.ts')
    const clock = { now: () => new Date() }
    const admissions = openAdmissions(gone.db, clock, { perMinute: 9, perDay: 9 })
    const app = await listening({}, { db: gone.db, admissions })
    const reply = await app.inject({ url: '/v1/account', headers: { authorization: `Bearer ${token}` } })
    expect({ status: reply.statusCode, body: reply.json(), retry: reply.headers['retry-after'] }).toEqual({
      status: 503,
      body: { error: { code: 'service_unavailable', message: 'The server cannot answer this now; try again' } },
      retry: '2'
    })
  })
})

async function post(body: string | Buffer, type: string) {
  const app = await listening()
  const { token } = await newUser()
  const head = `POST /v1/probe HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${token}\r\nContent-Type: ${type}\r\n`
  const answer = await sendRaw(
    app,
    Buffer.concat([Buffer.from(`${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n`), Buffer.from(body)])
  )
  return { status: answer.status, body: answer.body }
}

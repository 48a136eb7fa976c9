// @module-tag embedded
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { buildAdmin } from '../../../src/server/admin-port.ts'
import { buildTestAdminApi, KEY } from '../../support/admin-api.ts'
import { type Answered, answerFaultsOf, type DescribedApi } from '../../support/described.ts'
import { exchange, portOf } from '../../support/http.ts'
import { buildTestApp, newUser } from '../../support/server.ts'

/** What is wrong with a refusal, by the document of the API on that port. */
const faultsOf = {} as Record<'public' | 'admin', (answered: Answered) => string[]>

interface Port {
  name: string
  port: number
  credentials: string
  /** A path that a GET reads, and one that takes a JSON body. */
  reads: string
  takes: string
  body: string
}

const ports = {} as Record<'public' | 'admin', Port>
const closers: (() => Promise<unknown>)[] = []
const failures: string[] = []

beforeAll(async () => {
  const logger = pino({ level: 'error' }, { write: line => void failures.push(line) })
  const [user, app, adminApi] = [
    await newUser(),
    await buildTestApp({}, { logger }),
    await buildTestAdminApi({}, { logger })
  ]
  await app.listen({ host: '127.0.0.1', port: 0 })
  await adminApi.ready()
  const admin = buildAdmin({
    names: ['admin.example.com'],
    isServing: () => true,
    ping: async () => {},
    metrics: async () => ({ type: 'text/plain', text: '' }),
    adminApi: () => adminApi
  })
  await admin.listen({ host: '127.0.0.1', port: 0 })
  const descriptions = { public: [app, '/v1/folders'], admin: [adminApi, '/app/v1/users'] } as const
  for (const name of ['public', 'admin'] as const) {
    const [described, path] = descriptions[name]
    const document: DescribedApi = JSON.parse(JSON.stringify(described.swagger()))
    const check = answerFaultsOf(document)
    faultsOf[name] = answered => check(document.paths[path]!.post!, answered)
  }
  closers.push(
    () => app.close(),
    () => admin.close(),
    () => adminApi.close()
  )
  ports.public = {
    name: 'public',
    port: portOf(app),
    credentials: user.token,
    reads: '/v1/sessions',
    takes: '/v1/folders',
    body: '{"name":"Clients"}'
  }
  ports.admin = {
    name: 'admin',
    port: portOf(admin),
    credentials: KEY,
    reads: '/app/v1/users',
    takes: '/app/v1/users',
    body: '{"name":"Ada"}'
  }
})

afterAll(async () => {
  for (const close of closers) await close()
})

/** Lines of a request; the connection is asked to end unless told otherwise. */
function request(line: string, headers: string[] = [], body = '') {
  return `${[line, ...headers].join('\r\n')}\r\n\r\n${body}`
}

const HOST = 'Host: example.test'
const CLOSE = 'Connection: close'
const JSON_TYPE = 'Content-Type: application/json'
const auth = ({ credentials }: Port) => `Authorization: Bearer ${credentials}`
const get = (to: Port, ...more: string[]) => request(`GET ${to.reads} HTTP/1.1`, [HOST, CLOSE, auth(to), ...more])
const post = (to: Port, headers: string[], body: string) =>
  request(`POST ${to.takes} HTTP/1.1`, [HOST, CLOSE, auth(to), JSON_TYPE, ...headers], body)
const chunked = (to: Port, body: string) => post(to, ['Transfer-Encoding: chunked'], body)
const chunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`

/** Begins as the first bytes of TLS 1.3 do, and as those of HTTP/2. */
const TLS_HELLO = Buffer.from(`16030100c8010000c40303${'ab'.repeat(32)}20${'cd'.repeat(32)}`, 'hex')
const HTTP2_PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0'

/** What is sent, and the statuses of the answers in their order. */
const CASES: [string, (to: Port) => string | Buffer, number[]][] = [
  [
    'a length and chunks',
    to => post(to, ['Content-Length: 3', 'Transfer-Encoding: chunked'], `${chunk(to.body)}0\r\n\r\n`),
    [400]
  ],
  [
    'chunks and a length',
    to => post(to, ['Transfer-Encoding: chunked', 'Content-Length: 3'], `${chunk(to.body)}0\r\n\r\n`),
    [400]
  ],
  ['chunks under another name', to => post(to, ['Transfer-Encoding: xchunked'], `${chunk(to.body)}0\r\n\r\n`), [400]],
  ['chunks that are not the last coding', to => post(to, ['Transfer-Encoding: chunked, identity'], '0\r\n\r\n'), [400]],
  ['two lengths that differ', to => post(to, ['Content-Length: 3', 'Content-Length: 4'], '1234'), [400]],
  ['two lengths in one', to => post(to, ['Content-Length: 3, 3'], '123'), [400]],
  ['a length with a sign', to => post(to, ['Content-Length: +3'], '123'), [400]],
  ['a negative length', to => post(to, ['Content-Length: -3'], '123'), [400]],
  ['a hexadecimal length', to => post(to, ['Content-Length: 0x3'], '123'), [400]],
  ['a length beyond every number', to => post(to, [`Content-Length: ${'9'.repeat(30)}`], '123'), [400]],
  ['lines that end with a bare line feed', to => get(to).replaceAll('\r\n', '\n'), [400]],
  ['a bare line feed in a header', to => get(to, 'A: b\nC: d'), [400]],
  ['a bare carriage return in a header', to => get(to, 'A: b\rC: d'), [400]],
  ['a folded header', to => get(to, 'A: b\r\n c'), [400]],
  [
    'a folded Authorization',
    to => request(`GET ${to.reads} HTTP/1.1`, [HOST, CLOSE, `Authorization: Bearer\r\n ${to.credentials}`]),
    [400]
  ],
  ['a space before the colon', to => get(to, 'Content-Length : 0'), [400]],
  ['a header without a name', to => get(to, ': b'), [400]],
  ['a NUL in the value of a header', to => get(to, 'A: b\0'), [400]],
  ['a NUL in the name of a header', to => get(to, 'A\0: b'), [400]],
  ['a NUL in the request line', to => get(to).replace(' HTTP', '\0 HTTP'), [400]],
  ['no Host', to => request(`GET ${to.reads} HTTP/1.1`, [CLOSE, auth(to)]), [400]],
  ['two Hosts', to => get(to, 'Host: other.test'), [400]],
  ['the same Host twice', to => get(to, HOST), [400]],
  ['two Authorizations', to => get(to, auth(to)), [401]],
  [
    'a right Authorization after a wrong one',
    to => request(`GET ${to.reads} HTTP/1.1`, [HOST, CLOSE, 'Authorization: Bearer x', auth(to)]),
    [401]
  ],
  [
    'a body that is too large, read to its end, and a request after it',
    to => `${post(to, ['Content-Length: 5000000'], ' '.repeat(5_000_000)).replace(`${CLOSE}\r\n`, '')}${get(to)}`,
    [413, 200]
  ],
  ['empty lines before the request', to => `\r\n\r\n${get(to)}`, [200]],
  ['another Host', to => get(to).replace(HOST, 'Host: 169.254.169.254:80'), [200]],
  [
    'an Upgrade to a web socket',
    to =>
      get(to, 'Upgrade: websocket', 'Sec-WebSocket-Key: x', 'Sec-WebSocket-Version: 13').replace(
        'Connection: close',
        'Connection: close, upgrade'
      ),
    [200]
  ],
  [
    'an Upgrade to HTTP/2',
    to =>
      get(to, 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAAP__').replace(
        'Connection: close',
        'Connection: close, upgrade, HTTP2-Settings'
      ),
    [200]
  ],
  ['an expectation nobody knows', to => get(to, 'Expect: tea'), [200]],
  ['CONNECT', to => request('CONNECT example.test:443 HTTP/1.1', [HOST, auth(to)]), [404]],
  ['CONNECT to a path', to => request(`CONNECT ${to.reads} HTTP/1.1`, [HOST, auth(to)]), [404]],
  ['OPTIONS *', to => request('OPTIONS * HTTP/1.1', [HOST, CLOSE, auth(to)]), [404]],
  ['POST *', to => request('POST * HTTP/1.1', [HOST, CLOSE, auth(to)]), [404]],
  ['TRACE', to => request(`TRACE ${to.reads} HTTP/1.1`, [HOST, CLOSE, auth(to)]), [405]],
  ['a method in small letters', to => get(to).replace('GET', 'get'), [400]],
  ['a method that is none', to => get(to).replace('GET', 'GETT'), [400]],
  ['a method of 9,000 letters', to => get(to).replace('GET', 'G'.repeat(9_000)), [400]],
  ['HTTP/1.0 without Host', to => request(`GET ${to.reads} HTTP/1.0`, [auth(to)]), [200]],
  ['HTTP/0.9', to => `GET ${to.reads}\r\n\r\n`, [401]],
  ['HTTP/1.9', to => get(to).replace('HTTP/1.1', 'HTTP/1.9'), [400]],
  ['HTTP/3.0', to => get(to).replace('HTTP/1.1', 'HTTP/3.0'), [400]],
  ['the preface of HTTP/2', () => HTTP2_PREFACE, [400]],
  ['TLS', () => TLS_HELLO, [400]],
  ['a greeting of SMTP', () => 'EHLO example.test\r\n', [400]],
  ['headers over 16 KiB', to => get(to, `A: ${'x'.repeat(17_000)}`), [431]],
  ['1,500 headers', to => get(to, ...Array.from({ length: 1_500 }, (_, n) => `A${n}: ${'b'.repeat(10)}`)), [431]],
  ['a name of a header of 17,000 letters', to => get(to, `${'A'.repeat(17_000)}: b`), [431]],
  ['a query of 9,000 letters', to => get(to).replace(' HTTP', `?x=${'y'.repeat(9_000)} HTTP`), [400]],
  ['an id of 9,000 letters', to => get(to).replace(' HTTP', `/${'y'.repeat(9_000)} HTTP`), [404]],
  ['a URL over 16 KiB', to => get(to).replace(' HTTP', `?x=${'y'.repeat(17_000)} HTTP`), [431]],
  ['chunks', to => chunked(to, `${chunk(to.body)}0\r\n\r\n`), [201]],
  [
    'chunks with an extension and a trailer',
    to =>
      chunked(
        to,
        `${chunk(to.body.replace('"}', ' too"}')).replace('\r\n', ';a=b\r\n')}0\r\nAuthorization: Bearer x\r\n\r\n`
      ),
    [201]
  ],
  ['a chunk of no size', to => chunked(to, `\r\n${to.body}\r\n0\r\n\r\n`), [400]],
  ['a chunk of a size that is no number', to => chunked(to, `zz\r\n${to.body}\r\n0\r\n\r\n`), [400]],
  ['a chunk of a negative size', to => chunked(to, `-1\r\n${to.body}\r\n0\r\n\r\n`), [400]],
  ['a chunk of more than any size', to => chunked(to, `${'F'.repeat(20)}\r\n${to.body}`), [400]],
  ['a chunk that is longer than it says', to => chunked(to, `2\r\n${to.body}\r\n0\r\n\r\n`), [400]],
  [
    'a chunk with a bare line feed after its size',
    to => chunked(to, `${chunk(to.body).replace('\r\n', '\n')}0\r\n\r\n`),
    [400]
  ],
  ['an extension of a chunk over 16 KiB', to => chunked(to, `2;${'a'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`), [400]],
  ['trailers over 16 KiB', to => chunked(to, `2\r\n{}\r\n0\r\nA: ${'b'.repeat(20_000)}\r\n\r\n`), [431]],
  [
    'a body that is longer than it says',
    to => post(to, ['Content-Length: 2'], '[]GARBAGE\r\n\r\n').replace('Connection: close\r\n', ''),
    [400, 400]
  ],
  ['a request within a body', to => post(to, [`Content-Length: ${Buffer.byteLength(get(to))}`], get(to)), [400]]
]

const reasonable = {
  'cache-control': 'private, no-store',
  'x-request-id': expect.any(String),
  'content-type': 'application/json; charset=utf-8'
}

describe.each(['public', 'admin'] as const)('on the %s port', name => {
  test.each(CASES)('a client that sends %s gets an expected status', async (_, bytes, statuses) => {
    const answers = await exchange(ports[name].port, [bytes(ports[name])])
    expect(answers.map(({ status }) => status)).toEqual(statuses)
    for (const { status, headers, body } of answers) {
      expect(headers).toMatchObject(reasonable)
      // CONNECT, OPTIONS and the like are no operations, so that the document does not describe them.
      if (status >= 400 && status !== 404 && status !== 405)
        expect(faultsOf[name]({ status, headers, body })).toEqual([])
      if (status === 404 || status === 405)
        expect(JSON.parse(body)).toEqual({
          error: { code: status === 404 ? 'not_found' : 'method_not_allowed', message: expect.any(String) }
        })
    }
  })

  test('a URL with a host counts as its path', async () => {
    const to = ports[name]
    const [answer] = await exchange(to.port, [get(to).replace(to.reads, `http://elsewhere.test${to.reads}`)])
    expect(answer?.status).toBe({ public: 200, admin: 404 }[name])
    const [none] = await exchange(to.port, [request(`GET http://elsewhere.test${to.reads} HTTP/1.1`, [HOST, CLOSE])])
    expect(none?.status).toBe({ public: 401, admin: 404 }[name])
  })

  test('a request with Expect is answered with 100 Continue', async () => {
    const to = ports[name]
    const body = to.body.replace('"}', ' asked"}')
    const head = post(to, ['Expect: 100-continue', `Content-Length: ${Buffer.byteLength(body)}`], '')
    expect((await exchange(to.port, [head, body])).map(({ status }) => status)).toEqual([100, 201])
  })

  test('a body that ends too early, with the connection, is answered with 400 or not at all', async () => {
    const to = ports[name]
    for (const bytes of [post(to, ['Content-Length: 500'], '{"na'), chunked(to, '5\r\n{"n')]) {
      for (const { status } of await exchange(to.port, [bytes], { end: true })) expect(status).toBe(400)
    }
  })

  test('requests on one connection are answered in their order, up to a malformed one', async () => {
    const to = ports[name]
    const numbered = (n: number, line = `GET ${to.reads}?limit=${(n % 9) + 1} HTTP/1.1`) =>
      request(line, [HOST, auth(to), `X-Request-Id: request-${n}`])
    const many = (from: number, until: number) => Array.from({ length: until - from }, (_, n) => numbered(from + n))
    const bad = ['GET / HTTP/1.1\r\nHost: x\r\nA\0: b\r\n\r\n', HTTP2_PREFACE, request('CONNECT a:1 HTTP/1.1', [HOST])]
    for (const one of [...bad, 'x\r\n\r\n']) {
      const answers = await exchange(to.port, [[...many(0, 15), one, ...many(15, 25)].join('')])
      expect(answers.slice(0, 15).map(({ status, headers }) => [status, headers['x-request-id']])).toEqual(
        Array.from({ length: 15 }, (_, n) => [200, `request-${n}`])
      )
      expect(answers.slice(15).map(({ status }) => status)).toEqual([one.startsWith('CONNECT') ? 404 : 400])
    }
    const refused = numbered(1, `GET ${to.reads}?limit=0 HTTP/1.1`)
    const all = await exchange(to.port, [
      [
        numbered(0),
        refused,
        numbered(2, 'GET /nothing HTTP/1.1'),
        numbered(3).replace(HOST, `${HOST}\r\n${CLOSE}`)
      ].join('')
    ])
    expect(all.map(({ status, headers }) => [status, headers['x-request-id']])).toEqual([
      [200, 'request-0'],
      [400, 'request-1'],
      [404, expect.any(String)],
      [200, 'request-3']
    ])
  })

  test('random bytes never cause an error of the server', async () => {
    const to = ports[name]
    for (let n = 0; n < 60; n++) {
      const bytes = Buffer.from(n % 2 ? get(to) : chunked(to, `${chunk(to.body)}0\r\n\r\n`))
      for (let change = 0; change < 3; change++)
        bytes[(n * 7_919 + change * 104_729) % bytes.length] = (n * 31 + change * 131) % 256
      for (const { status, body } of await exchange(to.port, [bytes], { end: true })) {
        expect(status, bytes.toString('latin1')).toBeLessThan(500)
        if (status >= 400) expect(JSON.parse(body)).toHaveProperty('error.code')
      }
    }
  })

  test('after all these bytes it answers as usual, and no error was logged', async () => {
    expect((await exchange(ports[name].port, [get(ports[name])])).map(({ status }) => status)).toEqual([200])
    expect(failures).toEqual([])
  })
})

test('a request that does not arrive in time is answered as the document says', async () => {
  const app = await buildTestApp({}, { requestTimeoutMs: 1_500 })
  onTestFinished(() => app.close())
  await app.listen({ host: '127.0.0.1', port: 0 })
  const [answer, ...more] = await exchange(portOf(app), ['GET /v1/sessions HTTP/1.1\r\nHost: x\r\n'])
  expect([answer?.status, more, faultsOf.public(answer!)]).toEqual([408, [], []])
})

// @module-tag embedded
import { expect, test } from 'vitest'
import { buildTestApp, newUser } from '../../support/server.ts'

const ORIGIN = 'https://app.example.com'
const app = await buildTestApp({}, { corsOrigins: [ORIGIN] })
const preflight = {
  origin: ORIGIN,
  'access-control-request-method': 'PATCH',
  'access-control-request-headers': 'authorization, if-match'
}

test('a page of a named origin may ask without a token whether it may send one', async () => {
  const { statusCode, headers, body } = await app.inject({
    method: 'OPTIONS',
    url: '/v1/sessions/ses_0',
    headers: preflight
  })
  expect([statusCode, body]).toEqual([204, ''])
  expect(headers).toMatchObject({ 'access-control-allow-origin': ORIGIN, 'access-control-max-age': '7200' })
  expect(headers['access-control-allow-methods']).toContain('PATCH')
  expect(headers['access-control-allow-headers']).toMatch(
    /Authorization.*Idempotency-Key.*If-Match.*Range.*Traceparent.*X-Request-Id/
  )
  expect(headers).not.toHaveProperty('access-control-allow-credentials')
})

test('a page of a named origin reads answers and their headers, even those of errors', async () => {
  const { token } = await newUser()
  for (const [authorization, status] of [
    [`Bearer ${token}`, 200],
    ['Bearer wrong', 401]
  ] as const) {
    const answer = await app.inject({ url: '/v1/sessions', headers: { origin: ORIGIN, authorization } })
    expect([answer.statusCode, answer.headers['access-control-allow-origin']]).toEqual([status, ORIGIN])
    expect(answer.headers['access-control-expose-headers']).toMatch(
      /Content-Disposition.*ETag.*Link.*Retry-After.*X-RateLimit-Remaining/
    )
  }
})

test('a page of a named origin may upload in parts, and reads how far an upload has come', async () => {
  const asked = await app.inject({
    method: 'OPTIONS',
    url: '/v1/uploads/upl_0',
    headers: { ...preflight, 'access-control-request-headers': 'tus-resumable, upload-offset' }
  })
  expect([asked.statusCode, asked.headers['tus-version']]).toEqual([204, '1.0.0'])
  expect(asked.headers['access-control-allow-headers']).toMatch(
    /Tus-Resumable.*Upload-Checksum.*Upload-Length.*Upload-Metadata.*Upload-Offset/
  )
  const { token } = await newUser()
  const answer = await app.inject({
    method: 'POST',
    url: '/v1/uploads',
    headers: {
      origin: ORIGIN,
      authorization: `Bearer ${token}`,
      'tus-resumable': '1.0.0',
      'upload-length': '10',
      'upload-metadata': 'filename d2Vla2x5LnZ0dA=='
    }
  })
  expect(answer.statusCode).toBe(201)
  expect(answer.headers['access-control-expose-headers']).toMatch(
    /Location.*Tus-Resumable.*Upload-Expires.*Upload-Length.*Upload-Offset/
  )
})

test('a page of another origin may not read answers, and caches keep the answers apart', async () => {
  const { token } = await newUser()
  const headers = { origin: 'https://evil.example.com', authorization: `Bearer ${token}` }
  const answer = await app.inject({ url: '/v1/sessions', headers })
  expect([answer.statusCode, answer.headers.vary]).toEqual([200, 'Origin'])
  expect(answer.headers).not.toHaveProperty('access-control-allow-origin')
  const script = /"(js\/scalar\.js\?v=[^"]+)"/.exec((await app.inject('/v1/docs/try')).body)?.[1]
  const cached = await app.inject({ url: `/v1/docs/${script}`, headers: { origin: ORIGIN } })
  expect([cached.statusCode, cached.headers['cache-control'], cached.headers.vary]).toEqual([
    200,
    'public, max-age=31536000, immutable',
    'accept-encoding, Origin'
  ])
})

const closed = await buildTestApp()

test('without CORS_ORIGINS no page of another origin may read answers of the API', async () => {
  const { statusCode, headers } = await closed.inject({ method: 'OPTIONS', url: '/v1/sessions', headers: preflight })
  expect(statusCode).toBe(405)
  expect(Object.keys(headers).filter(name => name.startsWith('access-control-'))).toEqual([])
})

const CORS = ['access-control-allow-origin', 'access-control-allow-credentials', 'vary'] as const

/** What a browser is told about a page of this origin, before its request and by the answer. */
async function askFrom(at: typeof app, origin: string, method: 'GET' | 'POST', url: string) {
  const sent = { 'access-control-request-method': method, 'access-control-request-headers': 'mcp-protocol-version' }
  const before = await at.inject({ method: 'OPTIONS', url, headers: { origin, ...sent } })
  const answer = await at.inject({
    method,
    url,
    headers: { origin, 'content-type': 'application/json' },
    payload: '{}'
  })
  const told = ({ headers }: typeof answer): Partial<Record<(typeof CORS)[number], unknown>> =>
    Object.fromEntries(CORS.map(name => [name, headers[name]]))
  return { before: { status: before.statusCode, ...told(before) }, answer: told(answer), all: { before, answer } }
}

const OPEN = [
  ['GET', '/.well-known/oauth-authorization-server'],
  ['GET', '/.well-known/oauth-protected-resource'],
  ['GET', '/.well-known/oauth-protected-resource/mcp'],
  ['POST', '/oauth/register'],
  ['POST', '/oauth/token'],
  ['POST', '/oauth/revoke']
] as const

test.each(OPEN)('%s %s takes a page of any origin, with the setting and without it', async (method, url) => {
  for (const at of [app, closed])
    for (const origin of ['https://inspector.example', 'http://localhost:6274', 'null', ORIGIN]) {
      const { before, answer, all } = await askFrom(at, origin, method, url)
      expect(before).toEqual({ status: 204, 'access-control-allow-origin': '*' })
      expect(answer).toEqual({ 'access-control-allow-origin': '*' })
      expect(all.before.headers['access-control-allow-headers']).toContain('Mcp-Protocol-Version')
      expect(all.answer.headers['access-control-expose-headers']).toContain('WWW-Authenticate')
    }
})

const LOCAL = ['http://localhost:6274', 'http://127.0.0.1', 'http://[::1]:3000', 'https://localhost:8443']

test.each(LOCAL)('/mcp takes a page of this machine without a setting: %s', async origin => {
  for (const at of [app, closed]) {
    const { before, answer, all } = await askFrom(at, origin, 'POST', '/mcp')
    const allowed = { 'access-control-allow-origin': origin, vary: 'Origin' }
    expect(before).toEqual({ status: 204, ...allowed })
    expect(answer).toEqual(allowed)
    // The page learns from it where to get a token.
    expect(all.answer.statusCode).toBe(401)
    expect(all.answer.headers['access-control-expose-headers']).toContain('WWW-Authenticate')
  }
})

test.each([
  'https://evil.example',
  'http://localhost.evil.example:6274',
  'http://evil.example:80/localhost:1',
  'http://xlocalhost:6274',
  'http://127.0.0.1.nip.io:6274',
  'http://localhost:6274:1',
  'null'
])('/mcp takes no page of a stranger: %s', async origin => {
  for (const at of [app, closed]) {
    const { before, answer } = await askFrom(at, origin, 'POST', '/mcp')
    expect([before['access-control-allow-origin'], answer['access-control-allow-origin']]).toEqual([
      undefined,
      undefined
    ])
  }
})

test('pages of this machine reach nothing else, and pages for people least of all', async () => {
  for (const url of ['/v1/sessions', '/v1/account', '/oauth/authorize', '/sign-in', '/v1/openapi.json']) {
    const { before, answer } = await askFrom(closed, 'http://localhost:6274', 'GET', url)
    expect([url, before['access-control-allow-origin'], answer['access-control-allow-origin']]).toEqual([
      url,
      undefined,
      undefined
    ])
  }
})

test('a path that pages may call still names its methods', async () => {
  const { statusCode, headers } = await closed.inject({ method: 'DELETE', url: '/mcp' })
  expect([statusCode, headers.allow]).toEqual([405, 'POST'])
})

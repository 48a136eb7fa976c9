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

test('without CORS_ORIGINS no page of another origin may read answers', async () => {
  const closed = await buildTestApp()
  const { statusCode, headers } = await closed.inject({ method: 'OPTIONS', url: '/v1/sessions', headers: preflight })
  expect(statusCode).toBe(405)
  expect(Object.keys(headers).filter(name => name.startsWith('access-control-'))).toEqual([])
})

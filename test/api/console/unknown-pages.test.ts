import { describe, expect, test } from 'vitest'
import { buildTestApp, testServer } from '../../support/server.ts'

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
const JSON_TYPE = 'application/json; charset=utf-8'

async function ask(url: string, accept?: string, method: 'GET' | 'HEAD' | 'POST' = 'GET') {
  const { app } = await testServer()
  return await app.inject({ method, url, ...(accept !== undefined && { headers: { accept } }) })
}

test('the icon is one, which browsers keep for a day and then ask about', async () => {
  const { statusCode, headers, rawPayload } = await ask('/favicon.ico', 'image/avif,image/*,*/*;q=0.8')
  expect([statusCode, headers['content-type'], headers['cache-control']]).toEqual([
    200,
    'image/x-icon',
    'public, max-age=86400'
  ])
  // An ICO file with three images, each a PNG.
  expect([...rawPayload.subarray(0, 6)]).toEqual([0, 0, 1, 0, 3, 0])
  expect(rawPayload.subarray(rawPayload.readUInt32LE(18)).subarray(1, 4).toString()).toBe('PNG')
  const { app } = await testServer()
  const again = await app.inject({ url: '/favicon.ico', headers: { 'if-none-match': String(headers.etag) } })
  expect([again.statusCode, again.body]).toEqual([304, ''])
})

describe('a path that no route has', () => {
  test.each(['/nothing', '/favicon.png', '/v1/nothing', '/apple-touch-icon.png'])(
    'shows a page to a browser: %s',
    async url => {
      const { statusCode, headers, body } = await ask(url, BROWSER)
      expect([statusCode, headers['content-type']]).toEqual([404, 'text/html; charset=utf-8'])
      expect(headers['content-security-policy']).toContain("default-src 'none'")
      expect(body).toContain('<h1>There is no such page</h1>')
      expect(body).toContain('<a href="/docs/">the guides</a>')
    }
  )

  test.each([undefined, '*/*', 'application/json', 'application/json, text/html', 'image/avif,image/*,*/*;q=0.8'])(
    'answers in JSON to a client that accepts %s',
    async accept => {
      const { statusCode, headers, body } = await ask('/nothing', accept)
      expect([statusCode, headers['content-type']]).toEqual([404, JSON_TYPE])
      expect(JSON.parse(body)).toEqual({
        error: { code: 'not_found', message: 'There is nothing at this path for GET' }
      })
    }
  )

  test('answers in JSON to a form that a browser posts', async () => {
    const { statusCode, headers } = await ask('/nothing', BROWSER, 'POST')
    expect([statusCode, headers['content-type']]).toEqual([404, JSON_TYPE])
  })

  test('leads back below the path of the public URL', async () => {
    const app = await buildTestApp({ publicUrl: 'https://example.test/parlance' })
    const { body } = await app.inject({ url: '/nothing', headers: { accept: BROWSER } })
    expect(body).toContain('<a href="/parlance/v1/docs/">the API reference</a>')
  })
})

// @module-tag embedded
import { expect, test } from 'vitest'
import { buildTestApp } from '../../support/server.ts'

test('the catalog of RFC 9727 leads to the API, its document and its pages, each of which is there', async () => {
  const app = await buildTestApp({ publicUrl: 'https://parlance.example' })
  const { statusCode, headers, body } = await app.inject('/.well-known/api-catalog')
  expect([statusCode, headers['content-type']]).toEqual([
    200,
    'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"'
  ])
  const [{ anchor, ...links }] = JSON.parse(body).linkset
  expect(anchor).toBe('https://parlance.example/v1')
  for (const { href, type } of Object.values<{ href: string; type: string }[]>(links).flat()) {
    const found = await app.inject({ url: new URL(href).pathname, headers: { accept: type } })
    expect([href, found.statusCode < 400, String(found.headers['content-type'] ?? type)]).toEqual([
      href,
      true,
      expect.stringContaining(type)
    ])
  }
})

test('below a path, the catalog is at the well-known path with the path behind it, and below the path', async () => {
  const app = await buildTestApp({ publicUrl: 'https://example.org/base' })
  for (const url of ['/.well-known/api-catalog/base', '/base/.well-known/api-catalog'])
    expect((await app.inject(url)).json().linkset[0].anchor).toBe('https://example.org/base/v1')
})

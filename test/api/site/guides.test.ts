// @module-tag embedded
import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { signedIn } from '../../support/console.ts'
import { buildTestApp } from '../../support/server.ts'

const app = await buildTestApp()
const paths = readdirSync('docs', { recursive: true, encoding: 'utf8' })
  .filter(name => name.endsWith('.md'))
  .map(name => name.replace(/\.md$/, ''))
  .filter(path => path !== 'README')

async function getPage(path: string) {
  const { statusCode, headers, body } = await app.inject(`/docs/${path}`)
  return { status: statusCode, type: headers['content-type'], body }
}

const linksOf = (html: string) => [...html.matchAll(/ href="([^"]+)"/g)].map(([, href]) => href!)

test('every guide is a page with a title, without a token', async () => {
  for (const path of ['', ...paths]) {
    const { status, type, body } = await getPage(path)
    expect([path, status, type]).toEqual([path, 200, 'text/html; charset=utf-8'])
    expect(body).toMatch(/<title>[^<]+ · Guides · Parlance<\/title>/)
  }
})

test('every page is in the navigation of every page, which marks the current one', async () => {
  const { body } = await getPage('api/webhooks')
  const nav = /<nav aria-label="Guides">[\s\S]*<h2>API<\/h2>/.exec(body)?.[0] ?? ''
  expect(
    linksOf(nav)
      .map(href => new URL(href, 'http://x/docs/api/webhooks').pathname.replace('/docs/', ''))
      .sort()
  ).toEqual(paths.sort())
  expect(nav).toContain('<a href="/docs/api/webhooks" aria-current="page">Webhooks</a>')
})

test('every link of a page leads to a page, to a heading that it has, or to another site', async () => {
  const broken: string[] = []
  for (const path of ['', ...paths]) {
    for (const href of linksOf((await getPage(path)).body)) {
      const { origin, pathname, hash } = new URL(href, `http://x/docs/${path}`)
      if (origin !== 'http://x' || href === 'data:,') continue
      const { statusCode, body } = await app.inject(pathname)
      if (statusCode >= 400 || (hash && !body.includes(` id="${decodeURIComponent(hash.slice(1))}"`)))
        broken.push(`${path}: ${href}`)
    }
  }
  expect(broken).toEqual([])
})

test('a page loads nothing from another origin and runs only the script of the search', async () => {
  const { headers, body } = await app.inject('/docs/quickstart')
  const policy = String(headers['content-security-policy'])
  expect(policy).toContain("default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'")
  expect(policy).toContain("frame-ancestors 'none'")
  expect(body.match(/<script[^>]*>/g)).toEqual(['<script src="/assets/guide.js" type="module">'])
  expect(body).not.toMatch(/ style=| on\w+="/)
})

test('a page that has not changed since is not sent again, also through a proxy that compresses it', async () => {
  const first = await app.inject('/docs/quickstart')
  expect(first.headers).toMatchObject({
    'cache-control': 'no-cache',
    vary: 'accept-encoding, cookie',
    etag: expect.stringMatching(/^"[\w-]{16}"$/)
  })
  expect(first.headers).not.toHaveProperty('set-cookie')
  for (const tags of [`${first.headers.etag}`, `W/${first.headers.etag}`, `"other", ${first.headers.etag}`]) {
    const again = await app.inject({ url: '/docs/quickstart', headers: { 'if-none-match': tags } })
    expect([again.statusCode, again.body]).toEqual([304, ''])
  }
})

test('/docs leads to the index, and an unknown page is a 404', async () => {
  const { statusCode, headers } = await app.inject('/docs')
  expect([statusCode, headers.location]).toEqual([303, '/docs/'])
  for (const path of ['nothing', 'README', '../package.json', '%2e%2e/package.json', 'quickstart/'])
    expect([path, (await app.inject(`/docs/${path}`)).statusCode]).toEqual([path, 404])
  expect((await app.inject('/docsx')).statusCode).toBe(404)
})

test('the index of the search has every heading, with the text below it', async () => {
  const sections: { path: string; anchor: string; title: string; heading: string; text: string }[] = (
    await app.inject('/docs/search.json')
  ).json()
  expect(sections.find(({ anchor }) => anchor === 'change-secret_key')).toMatchObject({
    path: 'operations/security',
    title: 'Security',
    heading: 'Change SECRET_KEY',
    text: expect.stringContaining('Keep the former key in a file, stop the servers')
  })
  expect(sections.filter(({ text }) => /<|&amp;lt;|\s{2}/.test(text) && !text.includes('<'))).toEqual([])
})

test('the pages lead to the API reference, and the reference to the pages', async () => {
  const { body } = await getPage('api/events')
  expect(linksOf(body)).toContain('/v1/docs/')
  expect((await app.inject('/v1/openapi.json')).json().info.description).toContain('[guides](/docs/)')
})

test('somebody who is signed in has the navigation of the console beside a guide, which no cache keeps', async () => {
  const { browser } = await signedIn()
  const page = await browser.get('/docs/quickstart')
  expect(page.headers).toMatchObject({ 'cache-control': 'private, no-store', vary: 'accept-encoding, cookie' })
  expect(page.headers).not.toHaveProperty('etag')
  for (const link of ['/upload', '/settings', '/docs/console']) expect(linksOf(page.body)).toContain(link)
  expect(page.text).toContain('Sign out')
  const stranger = await getPage('quickstart')
  expect(linksOf(stranger.body)).toContain('/sign-in')
  expect(linksOf(stranger.body)).not.toContain('/upload')
})

test('a stranger reads a guide as before after somebody else has', async () => {
  const { browser } = await signedIn()
  const before = await getPage('concepts')
  await browser.get('/docs/concepts')
  expect(await getPage('concepts')).toEqual(before)
})

// @module-tag embedded
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { describe, expect, onTestFinished, test } from 'vitest'
import { LIMITS } from '../../src/contract/limits.ts'
import { hasBrowser, launchBrowser } from '../support/browser.ts'
import { freePort } from '../support/process.ts'
import { buildTestApp, newUser } from '../support/server.ts'

/** A page of a browser, and the server it looks at. */
async function openBrowser() {
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const app = await buildTestApp({ publicUrl: origin })
  await app.listen({ host: '127.0.0.1', port })
  const browser = await launchBrowser()
  onTestFinished(async () => {
    await browser.close()
    await app.close()
  })
  return { app, origin, page: await browser.newPage() }
}

test.runIf(hasBrowser)(
  'the reference shows every operation without a script, and asks nothing of another origin',
  async () => {
    const { app, origin, page: other } = await openBrowser()
    const context = await other.context().browser()!.newContext({ javaScriptEnabled: false })
    const page = await context.newPage()
    const requested: string[] = []
    page.on('request', request => requested.push(request.url()))
    await page.goto(`${origin}/v1/docs`)
    const { paths } = JSON.parse((await app.inject('/v1/openapi.json')).body)
    const summaries = Object.values<Record<string, { summary: string }>>(paths).flatMap(path =>
      Object.values(path).map(({ summary }) => summary)
    )
    const text = await page.getByRole('main').innerText()
    expect(summaries.filter(summary => !text.includes(summary))).toEqual([])
    await page
      .getByRole('navigation', { name: 'Reference' })
      .getByRole('link', { name: 'List sessions', exact: true })
      .click()
    expect(await page.locator('h3:target').innerText()).toMatch(/^GET \/v1\/sessions/)
    // The page and its stylesheets, whose icon is none.
    expect(requested.filter(url => !url.startsWith('data:')).map(url => new URL(url).pathname)).toEqual([
      '/v1/docs',
      '/v1/docs/',
      '/assets/style.css',
      '/assets/guide.css'
    ])
    await context.close()
  }
)

test('the reference is compressed, kept by caches, and has a place for each of its links', async () => {
  const app = await buildTestApp()
  onTestFinished(() => app.close())
  const { rawPayload, headers } = await app.inject({ url: '/v1/docs/', headers: { 'accept-encoding': 'br' } })
  expect([headers['content-encoding'], headers['cache-control'], rawPayload.length < 60 * 1024]).toEqual([
    'br',
    'no-cache',
    true
  ])
  const body = brotliDecompressSync(rawPayload).toString()
  const [anchors, targets] = [/ id="([^"]+)"/g, / href="#([^"]+)"/g].map(all =>
    [...body.matchAll(all)].map(([, one]) => one!)
  )
  expect(new Set(anchors).size).toBe(anchors!.length)
  expect(targets!.filter(target => !anchors!.includes(target))).toEqual([])
})

test.runIf(hasBrowser)('the page to try requests out asks nothing of another origin', async () => {
  const { origin, page } = await openBrowser()
  const requested: string[] = []
  const problems: string[] = []
  page.on('request', request => requested.push(request.url()))
  page.on('console', message => message.type() === 'error' && problems.push(message.text()))
  page.on('pageerror', fault => problems.push(String(fault)))
  await page.goto(`${origin}/v1/docs/try`, { waitUntil: 'networkidle' })
  await page.getByText('Get the transcript of a session').first().waitFor()
  const foreign = requested.filter(
    url => !url.startsWith(origin) && !url.startsWith('data:') && !url.startsWith('blob:')
  )
  expect({ foreign, problems }).toEqual({ foreign: [], problems: [] })
})

test('the page to try requests out names its language, which a screen reader needs', async () => {
  const app = await buildTestApp()
  onTestFinished(() => app.close())
  expect((await app.inject('/v1/docs/try')).body).toMatch(/^<!doctype html>\s*<html lang="en">/)
})

test.runIf(hasBrowser)('without scripts the page to try requests out leads to the reference', async () => {
  const { origin, page } = await openBrowser()
  const context = await page.context().browser()!.newContext({ javaScriptEnabled: false })
  const plain = await context.newPage()
  await plain.goto(`${origin}/v1/docs/try`)
  const links = await plain.getByRole('link').all()
  const addresses = await Promise.all(
    links.map(async link => new URL((await link.getAttribute('href'))!, plain.url()).pathname)
  )
  expect(addresses).toEqual(['/v1/docs/'])
  await context.close()
})

test.runIf(hasBrowser)(
  'listing sessions in the page to try requests out answers with rows: no filter is sent',
  async () => {
    const { origin, page } = await openBrowser()
    const user = await newUser('sessions:read')
    const id = await user.session({ type: 'podcast' })
    await page.goto(`${origin}/v1/docs/try`, { waitUntil: 'networkidle' })
    await page.getByRole('link', { name: 'List sessions' }).first().click()
    await page
      .getByRole('button', { name: /Test Request.*get \/v1\/sessions/i })
      .first()
      .click()
    const dialog = page.getByRole('dialog').last()
    await dialog.getByPlaceholder('Token').fill(user.token)
    const [answer] = await Promise.all([
      page.waitForResponse(response => new URL(response.url()).pathname === '/v1/sessions'),
      dialog.getByRole('button', { name: /^Send/ }).first().click()
    ])
    expect([answer.status(), new URL(answer.url()).search]).toEqual([200, '?limit=20&tag_mode=any'])
    expect((await answer.json()).sessions).toMatchObject([{ id }])
  }
)

test('the page to try requests out may run nothing but its own script, and may not be framed', async () => {
  const { app } = await newUser()
  const [first, second] = [await app.inject('/v1/docs/try'), await app.inject('/v1/docs/try')]
  const policy = String(first.headers['content-security-policy'])
  const nonce = /'nonce-([^']+)'/.exec(policy)?.[1] ?? ''
  expect(policy).toContain("default-src 'none'")
  expect(policy).toContain("frame-ancestors 'none'")
  expect(first.body).toContain(`nonce="${nonce}"`)
  expect(second.headers['content-security-policy']).not.toBe(policy)
})

describe('the script of the page to try requests out', () => {
  async function scriptOf(headers: Record<string, string> = {}, path?: string) {
    const { app } = await newUser()
    const [, src] = /<script src="([^"]+)"/.exec((await app.inject('/v1/docs/try')).body) ?? []
    const { statusCode, headers: got, rawPayload } = await app.inject({ url: `/v1/docs/${path ?? src}`, headers })
    return { status: statusCode, headers: got, bytes: rawPayload }
  }

  test('is kept by browsers for as long as its address stays the same', async () => {
    const { status, headers, bytes } = await scriptOf()
    expect([status, headers['cache-control'], headers.vary]).toEqual([
      200,
      'public, max-age=31536000, immutable',
      'accept-encoding'
    ])
    const again = await scriptOf({ 'if-none-match': String(headers.etag) }, 'js/scalar.js')
    expect([again.status, again.bytes.length, again.headers['cache-control']]).toEqual([304, 0, 'no-cache'])
    expect(bytes.toString()).toContain('createApiReference')
  })

  test.each<[string, string | undefined, (bytes: Buffer) => Buffer]>([
    ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
    ['gzip;q=1.0, br;q=0', 'gzip', gunzipSync],
    ['br;q=0.0, identity', undefined, bytes => bytes]
  ])('is sent to a client that takes %s as %s', async (accepted, encoding, unpack) => {
    const [plain, packed] = [await scriptOf(), await scriptOf({ 'accept-encoding': accepted })]
    expect(packed.headers['content-encoding']).toBe(encoding)
    expect(unpack(packed.bytes).equals(plain.bytes)).toBe(true)
    expect(packed.headers.etag === plain.headers.etag).toBe(encoding === undefined)
    if (encoding !== undefined) expect(packed.bytes.length).toBeLessThan(plain.bytes.length / 3)
  })

  test('is compressed once: two more visits cost less than the first', async () => {
    const app = await buildTestApp()
    await app.inject('/v1/docs/try')
    const costOf = async (visits: number) => {
      const before = process.cpuUsage()
      for (let n = 0; n < visits; n++)
        await app.inject({ url: '/v1/docs/js/scalar.js', headers: { 'accept-encoding': 'br' } })
      return process.cpuUsage(before).user
    }
    const first = await costOf(1)
    expect(await costOf(2)).toBeLessThan(first)
  })
})

test('beyond the limit a browser is shown a page, and a program the usual refusal', async () => {
  const app = await buildTestApp({ rateLimits: { perMinute: 1, perDay: 1_000 } })
  for (let n = 0; n < LIMITS.addressFactor; n++) expect((await app.inject('/docs/')).statusCode).toBe(200)
  const page = await app.inject({ url: '/docs/', headers: { accept: 'text/html,application/xhtml+xml' } })
  expect([page.statusCode, page.headers['content-type']]).toEqual([429, 'text/html; charset=utf-8'])
  expect(page.body).toContain('Too many requests')
  expect(page.headers).toMatchObject({ 'retry-after': expect.stringMatching(/^\d+$/), 'x-ratelimit-remaining': '0' })
  const refusal = await app.inject('/docs/')
  expect([refusal.statusCode, refusal.json().error.code]).toEqual([429, 'rate_limit_exceeded'])
})

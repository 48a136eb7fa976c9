// @module-tag embedded
import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { hasBrowser, launchBrowser } from '../support/browser.ts'
import { record } from '../support/recordings.ts'
import { buildTestApp, testDatabase } from '../support/server.ts'
import { linkTo, newSharer } from '../support/sharing.ts'

/** A server behind a proxy that keeps /parlance in each request or removes it, and what was requested of the proxy outside of it. */
async function serveBelowPath(kept = false) {
  const outside: string[] = []
  let target = ''
  const proxy = createServer((incoming, answer) => {
    const { url = '', method, headers } = incoming
    if (!url.startsWith('/parlance/')) {
      outside.push(url)
      return answer.writeHead(404).end()
    }
    const forwarded = request(`${target}${kept ? url : url.slice('/parlance'.length)}`, { method, headers }, got => {
      answer.writeHead(got.statusCode ?? 502, got.headers)
      got.pipe(answer)
    })
    incoming.pipe(forwarded)
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const publicUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/parlance`
  const app = await buildTestApp({ publicUrl })
  target = await app.listen({ host: '127.0.0.1', port: 0 })
  onTestFinished(async () => {
    proxy.close().closeAllConnections()
    await app.close()
  })
  const { db } = await testDatabase()
  return { publicUrl, outside, user: await newSharer({}, { db, app }) }
}

test.each([false, true])(
  'every link that leaves a server below a path leads back to it; the proxy keeps it: %s',
  async kept => {
    const { publicUrl, outside, user } = await serveBelowPath(kept)
    const headers = { authorization: `Bearer ${user.token}` }
    const ids = [await user.session(), await user.session()]
    await record(user, ids[0]!, 'audio', Buffer.from('sound'))

    const home = await fetch(`${publicUrl}/`)
    expect([home.status, home.url]).toEqual([200, `${publicUrl}/sign-in`])

    const body = JSON.stringify({ segments: [{ speaker: 'Ada', text: 'Hello.' }] })
    const create = {
      method: 'POST',
      body,
      headers: { ...headers, 'content-type': 'application/json', 'idempotency-key': 'once' }
    }
    const locations = [
      await fetch(`${publicUrl}/v1/sessions`, create),
      await fetch(`${publicUrl}/v1/sessions`, create)
    ].map(answer => new URL(answer.headers.get('location') ?? '', answer.url).href)
    expect(locations[1]).toBe(locations[0])

    const page = await fetch(`${publicUrl}/v1/sessions?limit=1`, { headers })
    const [, next = ''] = /^<(.+)>; rel="next"$/.exec(page.headers.get('link') ?? '') ?? []
    const { body: media } = await user.get(`/v1/sessions/${ids[0]}/media`)
    const overview = await (await fetch(`${publicUrl}/llms.txt`)).text()
    const pages = [...overview.matchAll(/\]\(([^)]+)\)/g)].map(([, url]) => new URL(url!, publicUrl).href)
    expect(pages.length).toBeGreaterThan(20)
    const nothing = await fetch(`${publicUrl}/docs/no/such/page`)
    const [, index = ''] = /<a href="([^"]+)">See all pages/.exec(await nothing.text()) ?? []

    const links = [
      locations[0]!,
      new URL(next, publicUrl).href,
      media.audio_url,
      await linkTo(user, ids[0]!),
      new URL(index, nothing.url).href,
      ...pages
    ]
    for (const link of links) {
      expect(link.startsWith(`${publicUrl}/`), link).toBe(true)
      expect([(await fetch(link, { headers })).status, link]).toEqual([200, link])
    }
    expect(outside).toEqual([])
  }
)

test.runIf(hasBrowser)(
  'the guides, their search and the reference page work below a path',
  { timeout: 120_000 },
  async () => {
    const { publicUrl, outside } = await serveBelowPath()
    const browser = await launchBrowser()
    onTestFinished(() => browser.close())
    const page = await browser.newPage()
    const problems: string[] = []
    page.on('console', message => message.type() === 'error' && problems.push(message.text()))
    page.on('pageerror', fault => problems.push(String(fault)))

    await page.goto(`${publicUrl}/docs`)
    await page.getByRole('searchbox').fill('rotate the secret')
    await page.getByRole('link', { name: /^Webhooks: Rotate the secret/ }).click()
    await page.waitForURL(`${publicUrl}/docs/api/webhooks#rotate-the-secret`)
    await page.getByRole('link', { name: 'API', exact: true }).first().click()
    await page.waitForURL(`${publicUrl}/v1/docs/**`)
    await page.getByText('Get the transcript of a session').first().waitFor()
    expect({ problems, outside }).toEqual({ problems: [], outside: [] })
  }
)

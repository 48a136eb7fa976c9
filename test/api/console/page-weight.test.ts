import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { signedIn } from '../../support/console.ts'
import { testServer } from '../../support/server.ts'

const { app } = await testServer()

/** The bytes that a first visit to the page transfers: itself, its stylesheet and its scripts. */
async function weigh(url: string, cookie: string) {
  const ask = async (address: string) => {
    const { rawPayload, headers } = await app.inject({ url: address, headers: { cookie, 'accept-encoding': 'gzip' } })
    expect([address, headers['content-encoding']]).toEqual([address, 'gzip'])
    return rawPayload
  }
  const page = await ask(url)
  const parts = [
    ...gunzipSync(page)
      .toString()
      .matchAll(/<(?:script src|link rel="stylesheet" href)="([^"]+)"/g)
  ]
  expect(parts.length).toBeGreaterThan(0)
  const sizes = await Promise.all(parts.map(async ([, part]) => (await ask(part!)).length))
  return sizes.reduce((sum, size) => sum + size, page.length)
}

test('a list, the page of uploads, a session, a guide and the reference are at most 60 KB with everything that they load', async () => {
  const { user, browser } = await signedIn()
  const about = { tags: ['sales', 'spring'], folders: ['Clients'] }
  for (let week = 0; week < 19; week++)
    await user.session({
      ...about,
      title: `Review of week ${week}, with the client and everybody who builds the thing`
    })
  const session = await user.session({
    ...about,
    title: 'Spring',
    summary: '# Spring\n\n'.concat('The team agreed on the order of spring and its price. '.repeat(40)),
    segments: Array.from({ length: 400 }, (_, at) => ({
      speaker: `Speaker ${at % 3}`,
      start: at * 7,
      end: at * 7 + 7,
      text: `Line ${at} with much to say about ${(at * 7919).toString(36)} and the order of spring`
    })),
    action_items: Array.from({ length: 10 }, (_, at) => ({ text: `Send offer ${at}`, assignee: 'Ben' }))
  })
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  for (const url of ['/', '/upload', `/s/${session}`, '/docs/api/webhooks', '/v1/docs/'])
    expect([url, (await weigh(url, cookie)) <= 60 * 1024]).toEqual([url, true])
})

test.each(['/', '/search?q=x', '/docs/', '/v1/docs/', '/nothing', '/sign-in'])(
  '%s is not compressed for a client that takes no encoding',
  async url => {
    const { headers, body } = await app.inject({ url, headers: { accept: 'text/html', 'accept-encoding': 'identity' } })
    expect(headers).not.toHaveProperty('content-encoding')
    expect(body === '' || body.startsWith('<!doctype html>')).toBe(true)
  }
)

// @module-tag embedded
import { describe, expect, onTestFinished, test } from 'vitest'
import { buildTestAdminApi, KEY } from '../../support/admin-api.ts'
import { buildTestApp, newUser, newUserOf, testDatabase } from '../../support/server.ts'

/** A server with a public URL, and a function that sends it a request as another host would see it. */
async function serveAs(publicUrl: string) {
  const app = await buildTestApp({ publicUrl })
  onTestFinished(() => app.close())
  const user = await newUserOf({ ...(await testDatabase()), app })
  const ask = async (url: string, host = 'internal:8080') => {
    const headers = { host, authorization: `Bearer ${user.token}` }
    return await app.inject({ url, headers, remoteAddress: '127.0.0.1' })
  }
  return { app, user, ask }
}

describe('links in answers', () => {
  test('begin with the public URL for a client that used it, and with its path for any other', async () => {
    const { user, ask } = await serveAs('https://example.org/parlance')
    for (let turn = 0; turn < 2; turn++) await user.session()
    const linkFor = async (host: string) => String((await ask('/v1/sessions?limit=1', host)).headers.link)
    expect(await linkFor('example.org')).toMatch(/^<https:\/\/example\.org\/parlance\/v1\/sessions\?limit=1&cursor=/)
    for (const host of ['internal:8080', 'example.org:8080', 'evil.example'])
      expect(await linkFor(host)).toMatch(/^<\/parlance\/v1\/sessions\?limit=1&cursor=/)
  })

  test('lead to the next page of the feed and of a CSV too', async () => {
    const { user, ask } = await serveAs('http://127.0.0.1:8080')
    for (let turn = 0; turn < 2; turn++) await user.session()
    expect((await ask('/v1/events?limit=1')).headers.link).toMatch(/^<\/v1\/events\?limit=1&cursor=\d+>/)
  })

  test('are those of the document: its server is where it was read', async () => {
    const { ask } = await serveAs('https://example.org')
    const documentFor = async (host: string) => (await ask('/v1/openapi.json', host)).json()
    expect((await documentFor('internal:8080')).servers).toEqual([{ url: '/' }])
    expect((await documentFor('example.org')).servers).toEqual([{ url: 'https://example.org' }])
    expect((await documentFor('internal:8080')).info.description).toContain('[guides](/docs/)')
    const admin = await (await buildTestAdminApi()).inject('/app/v1/openapi.json')
    expect(admin.json().servers).toEqual([{ url: '/' }])
  })

  test('name no host in the reference for agents, and the public URL in what they hand on', async () => {
    const { ask } = await serveAs('https://example.org/parlance')
    const { body: reference } = await ask('/v1/docs.md')
    expect(reference).toContain('](/parlance/')
    expect(reference).not.toContain('https://example.org')
    for (const page of ['/llms.txt', '/llms-full.txt']) {
      const { body } = await ask(page)
      expect(body).toContain('](https://example.org/parlance/docs/')
      expect(body).not.toContain('](/parlance/')
    }
  })

  test('name the public URL in the examples of the guides, and what a proxy forwards to', async () => {
    const { ask } = await serveAs('https://example.org')
    for (const page of ['/docs/api/events', '/docs/api/events.md']) {
      const { body } = await ask(page)
      expect(body).toContain('URL=https://example.org ')
      expect(body).not.toContain('http://127.0.0.1:8080')
    }
    expect((await ask('/docs/install.md')).body).toContain('proxy_pass http://127.0.0.1:8080;')
  })
})

describe('a path', () => {
  test('may end with a slash, and begin with two, as an address with a slash at its end makes it', async () => {
    const user = await newUser()
    const id = await user.session()
    for (const path of ['/v1/account/', '//v1/account', `/v1/sessions/${id}/`, `//v1/sessions/${id}/transcript/`]) {
      expect([path, (await user.send(path)).status]).toEqual([path, 200])
    }
    expect((await user.post('/v1/folders/', { name: 'Clients' })).status).toBe(201)
    expect((await user.send('/v1/sessions/?limit=0')).status).toBe(400)
    const app = await buildTestAdminApi()
    const admin = await app.inject({ url: '/app/v1/users/', headers: { authorization: `Bearer ${KEY}` } })
    expect(admin.statusCode).toBe(200)
  })

  test('of a page keeps its slash, because its links are relative', async () => {
    const { ask } = await serveAs('http://127.0.0.1:8080')
    expect((await ask('/v1/docs/')).statusCode).toBe(200)
    expect((await ask('/docs/')).statusCode).toBe(200)
    expect((await ask('/v1/docs')).headers.location).toBe('/v1/docs/')
    expect((await ask('//docs')).headers.location).toBe('/docs/')
  })

  test.each(['/parlance', '/a/b'])('below %s is served with it and without it', async base => {
    const { user, ask } = await serveAs(`https://example.org${base}`)
    await user.session()
    for (const path of [
      '/v1/sessions',
      '/v1/sessions/',
      '/v1/docs/',
      '/docs/api/events',
      '/llms.txt',
      '/v1/openapi.json'
    ]) {
      expect([path, (await ask(path)).statusCode]).toEqual([path, 200])
      expect([path, (await ask(base + path)).statusCode]).toEqual([path, 200])
    }
    for (const home of [base, `${base}/`, '/']) expect((await ask(home)).headers.location).toBe(`${base}/sign-in`)
    expect((await ask(`${base}x/v1/sessions`)).statusCode).toBe(404)
    expect((await ask(`${base}${base}/v1/sessions`)).statusCode).toBe(404)
  })

  test('that is one of the server itself is no base path', async () => {
    const { ask } = await serveAs('https://example.org/v1')
    expect((await ask('/v1/account')).statusCode).toBe(200)
  })
})

describe('a method that a path does not have', () => {
  test.each([
    ['DELETE', '/v1/sessions', 'GET, HEAD, POST'],
    ['PUT', '/v1/sessions/ses_x', 'DELETE, GET, HEAD, PATCH'],
    ['PUT', '/v1/sessions/ses_x/?a=b', 'DELETE, GET, HEAD, PATCH'],
    ['POST', '/v1/sessions/ses_x/transcript.vtt', 'GET, HEAD'],
    ['OPTIONS', '/v1/account', 'GET, HEAD'],
    ['POST', '/docs/api/events', 'GET, HEAD']
  ])('%s %s is answered with the methods that it has', async (method, url, allowed) => {
    const app = await buildTestApp()
    onTestFinished(() => app.close())
    const { statusCode, headers, body } = await app.inject({ method: method as 'GET', url })
    expect([statusCode, headers.allow, JSON.parse(body).error.code]).toEqual([405, allowed, 'method_not_allowed'])
    expect(headers).toHaveProperty('x-ratelimit-remaining')
  })

  test('is told apart from a path that does not exist, also with origins of browsers', async () => {
    const app = await buildTestApp({}, { corsOrigins: ['https://app.example'] })
    onTestFinished(() => app.close())
    expect((await app.inject({ method: 'PUT', url: '/v1/nothing' })).statusCode).toBe(404)
    expect((await app.inject({ method: 'PUT', url: '/v1/sessionsx' })).statusCode).toBe(404)
    expect((await app.inject({ method: 'PUT', url: '/v1/sessions' })).headers.allow).toBe('GET, HEAD, POST')
  })
})

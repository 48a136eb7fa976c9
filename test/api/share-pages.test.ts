import { describe, expect, test } from 'vitest'
import { newId } from '../../src/core/ids.ts'
import { makeSecret, secretOf } from '../../src/sharing/secret.ts'
import { askAdmin } from '../support/admin-api.ts'
import { record } from '../support/recordings.ts'
import { buildTestApp, NOW, testServer } from '../support/server.ts'
import { ALL_SHARED, changeShareScope, claim, inviteTo, linkTo, newSharer, sharedSession } from '../support/sharing.ts'

const DAY_MS = 86_400_000
const RECORDING = { audio: 'https://media.example/weekly.mp3' }

/** The page at that address, as a browser without a token gets it. */
async function pageAt(url: string, now?: Date) {
  const app = now ? await buildTestApp({ clock: { now: () => now } }) : (await testServer()).app
  const reply = await app.inject({ url: url.replace('http://parlance.test', ''), headers: { accept: 'text/html' } })
  return { status: reply.statusCode, body: reply.body, headers: reply.headers }
}

/** What people read on it. */
function words(html: string) {
  return html
    .replace(/<(style|title)[\s\S]*?<\/\1>/g, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')
}

describe('GET /join/{secret}', () => {
  test('says who shares what until when, and how to claim it, and shows nothing else of the session', async () => {
    const owner = await newSharer()
    const confidential = { summary: 'CONFIDENTIAL', tags: ['CONFIDENTIAL'], notes: 'CONFIDENTIAL' }
    const id = await owner.session({ title: 'Weekly review', ...confidential, media: RECORDING })
    const url = await linkTo(owner, id)
    const { status, body } = await pageAt(url)
    expect(status).toBe(200)
    expect(words(body)).toContain('Ada shares a conversation with you Weekly review')
    expect(words(body)).toContain('Summary Transcript Recording Action items How to accept it')
    expect(words(body)).toContain(`Give it the address of this page: ${url}`)
    expect(words(body)).toContain(`npm run -s parlance -- share claim --user you@example.com ${url}`)
    expect(words(body)).toContain('Anyone with this link can accept it, until 1 April 2026.')
    expect(body).not.toMatch(/CONFIDENTIAL|Welcome|send the offer/)
    for (const secret of [owner.id, owner.email, id]) expect(body).not.toContain(secret)
  })

  test('of an invite says that it is for one person', async () => {
    const owner = await newSharer()
    const id = await owner.session()
    const { status, body } = await pageAt(await inviteTo(owner, id, 'cleo@example.com'))
    expect([status, words(body).includes('One person can accept it, until 1 April 2026.')]).toEqual([200, true])
    expect(body).not.toContain('cleo@example.com')
  })

  test.each(Object.keys(ALL_SHARED))('says that %s is not shared', async part => {
    const owner = await newSharer()
    const id = await owner.session({ media: RECORDING })
    const url = await linkTo(owner, id)
    await changeShareScope(owner, id, { ...ALL_SHARED, [part]: false })
    const text = words((await pageAt(url)).body)
    const names = { summary: 'Summary', transcript: 'Transcript', audio: 'Recording', action_items: 'Action items' }
    const expected = Object.entries(names).map(([key, name]) => (key === part ? `${name}, not shared` : name))
    expect(text).toContain(`What you can read and hear ${expected.join(' ')} How to accept it`)
  })

  test.each<[string, object, boolean]>([
    ['a session without one', {}, false],
    ['audio kept elsewhere', { media: RECORDING }, true],
    ['video kept elsewhere', { media: { video: 'https://media.example/v.mp4' } }, true]
  ])('lists a recording only if there is one: %s', async (_, document, listed) => {
    const owner = await newSharer()
    const { body } = await pageAt(await linkTo(owner, await owner.session(document)))
    expect(words(body).includes('Recording')).toBe(listed)
  })

  test('lists no recording that was deleted, shared or not', async () => {
    const owner = await newSharer()
    const id = await owner.session({ media: RECORDING })
    const url = await linkTo(owner, id)
    await askAdmin('DELETE', `/users/${owner.id}/sessions/${id}/audio`)
    expect(words((await pageAt(url)).body)).toContain('Summary Transcript Action items How')
    await changeShareScope(owner, id, { ...ALL_SHARED, audio: false })
    expect(words((await pageAt(url)).body)).toContain('Summary Transcript Action items How')
  })

  test('lists a recording of the server', async () => {
    const owner = await newSharer()
    const id = await owner.session()
    await record(owner, id, 'audio', Buffer.from('RECORDED'))
    expect(words((await pageAt(await linkTo(owner, id))).body)).toContain('Recording')
  })

  test('claims nothing, however often it is opened', async () => {
    const [owner, ben] = [await newSharer(), await newSharer()]
    const id = await owner.session()
    const url = await linkTo(owner, id)
    for (const _ of [1, 2, 3]) await pageAt(url)
    expect((await owner.get(`/v1/sessions/${id}/sharing`)).body.people).toEqual([])
    await claim(ben, url)
    expect((await ben.get(`/v1/shared-sessions/${owner.id}/${id}`)).status).toBe(200)
  })

  test('shows names and titles as text, never as markup', async () => {
    const owner = await newSharer({ name: `<img src=x onerror=alert(1)> & "Ada" 'A'` })
    const id = await owner.session({ title: '</bdi><script>alert(1)</script>' })
    const { body } = await pageAt(await linkTo(owner, id))
    expect(body).toContain('&lt;img src=x onerror=alert(1)&gt; &amp; &quot;Ada&quot; &#39;A&#39;</bdi> shares')
    expect(body).toContain('&lt;/bdi&gt;&lt;script&gt;alert(1)&lt;/script&gt;')
    expect(body).not.toMatch(/<script|<img/)
  })

  test('of an owner without a name says so', async () => {
    const owner = await newSharer({ name: null })
    const { body } = await pageAt(await linkTo(owner, await owner.session()))
    expect(words(body)).toContain('Somebody shares a conversation with you')
    expect(body).not.toContain(owner.email)
  })

  test('is the same page with 404, byte for byte, for every link that cannot be claimed', async () => {
    const [owner, cleo] = [await newSharer(), await newSharer()]
    const [id, other, deleted] = [await owner.session(), await owner.session(), await owner.session()]
    const [expiring, reset, removed] = [
      await linkTo(owner, other),
      await linkTo(owner, id),
      await linkTo(owner, deleted)
    ]
    const [used, cancelled] = [
      await inviteTo(owner, id, 'cleo@example.com'),
      await inviteTo(owner, id, 'dora@example.com')
    ]
    await owner.post(`/v1/sessions/${id}/sharing/link/reset`, {})
    await claim(cleo, used)
    await owner.delete(`/v1/sessions/${id}/sharing/invites`, { email: 'dora@example.com' })
    await owner.delete(`/v1/sessions/${deleted}`)
    expect((await pageAt(expiring, new Date(Date.parse(NOW) + 30 * DAY_MS - 1))).status).toBe(200)
    const { status, body } = await pageAt(`/join/${makeSecret()}`)
    expect([status, words(body).includes('This link does not work')]).toEqual([404, true])
    const gone = [await pageAt(expiring, new Date(Date.parse(NOW) + 30 * DAY_MS))]
    const flipped = secretOf(expiring)!.toUpperCase()
    for (const url of [
      reset,
      removed,
      used,
      cancelled,
      `/join/${flipped}`,
      '/join/x',
      `/join/${'x'.repeat(9_000)}`,
      '/join/%00',
      '/join/a%2Fb'
    ])
      gone.push(await pageAt(url))
    expect(gone.map(page => [page.status, page.body])).toEqual(gone.map(() => [404, body]))
  })
})

describe('GET /shared/{owner_id}/{id}', () => {
  test('is the page of session_url, which says how to read the session and shows nothing of it', async () => {
    const { recipient, owner, id, path } = await sharedSession({ title: 'CONFIDENTIAL' })
    const { session_url: url } = (await recipient.get(path)).body
    expect(url).toBe(`http://parlance.test/shared/${owner.id}/${id}`)
    const { status, body } = await pageAt(url)
    expect(status).toBe(200)
    expect(words(body)).toContain(
      'Sign in to the app that you use with this server. It lists what others share with you.'
    )
    expect(body).toContain(`http://parlance.test/v1/shared-sessions/${owner.id}/${id}`)
    expect(body).not.toMatch(/CONFIDENTIAL|Ada/)
  })

  test('is the same whether or not the session exists', async () => {
    const { owner, id } = await sharedSession()
    const [user, session] = [newId('usr'), newId('ses')]
    const [real, unknown] = [await pageAt(`/shared/${owner.id}/${id}`), await pageAt(`/shared/${user}/${session}`)]
    expect(unknown.body.replaceAll(user, owner.id).replaceAll(session, id)).toBe(real.body)
    expect(unknown.status).toBe(real.status)
  })

  test.each(['/shared/x/y', '/shared/usr_1/%3Cscript%3E', '/shared/%00/x'])(
    'answers %s with a page that says that nothing is there',
    async url => {
      const { status, body } = await pageAt(url)
      expect([status, words(body).includes('There is nothing here')]).toEqual([404, true])
      expect(body).not.toMatch(/<script|usr_/)
    }
  )
})

describe('the pages of sharing', () => {
  test('run no script, load nothing, and forbid frames, caches and search engines', async () => {
    const owner = await newSharer()
    const good = await linkTo(owner, await owner.session())
    for (const url of [good, '/join/x', `/shared/${newId('usr')}/${newId('ses')}`, '/shared/x/y']) {
      const { body, headers } = await pageAt(url)
      expect(headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'private, no-store',
        'referrer-policy': 'no-referrer',
        'x-robots-tag': 'noindex, nofollow',
        'x-content-type-options': 'nosniff'
      })
      const policy = String(headers['content-security-policy']).split('; ')
      expect(policy).toContain("default-src 'none'")
      expect(policy).toContain("frame-ancestors 'none'")
      expect(policy).toContain("form-action 'none'")
      expect(policy.join()).not.toMatch(/script|unsafe|https?:|\*/)
      expect(body).not.toMatch(/<script|<form|<iframe|<img| on\w+=| style=|@import|url\(/)
      expect([...body.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, target]) => target)).toEqual(['data:,'])
    }
  })

  test('are replaced beyond the rate limit by a page that says so, with Retry-After', async () => {
    const app = await buildTestApp({ rateLimits: { perMinute: 1, perDay: 1_000 } })
    for (let index = 0; index < 5; index++)
      for (const path of ['/join/x', '/shared/x/y']) expect((await app.inject(path)).statusCode).toBe(404)
    const refused = await app.inject('/join/x')
    expect(refused.statusCode).toBe(429)
    expect(refused.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'retry-after': expect.stringMatching(/^\d+$/)
    })
    expect(words(refused.body)).toContain('Too many requests')
  })

  test('are not in the OpenAPI document, and answer GET only', async () => {
    const { app } = await testServer()
    expect(
      Object.keys(JSON.parse((await app.inject('/v1/openapi.json')).body).paths).filter(
        path => !path.startsWith('/v1/')
      )
    ).toEqual([])
    for (const url of ['/join/x', '/shared/x/y'])
      expect((await app.inject({ method: 'POST', url })).statusCode).toBe(405)
  })
})

import { describe, expect, test } from 'vitest'
import { makeSecret, secretOf } from '../../../src/features/sharing/claim.ts'
import { newId } from '../../../src/platform/core/ids.ts'
import { askAdmin } from '../../support/admin-api.ts'
import { FOREIGN_SCRIPT, hiddenFields, mailedLink, newBrowser, signInAs, words } from '../../support/console.ts'
import { record } from '../../support/recordings.ts'
import { buildTestApp, NOW, testServer } from '../../support/server.ts'
import {
  ALL_SHARED,
  changeShareScope,
  claim,
  inviteTo,
  linkTo,
  newSharer,
  sharedSession
} from '../../support/sharing.ts'

const DAY_MS = 86_400_000
const RECORDING = { audio: 'https://media.example/weekly.mp3' }

/** The page at that address, as a browser without a token gets it. */
async function pageAt(url: string, now?: Date) {
  const app = now ? await buildTestApp({ clock: { now: () => now } }) : (await testServer()).app
  const reply = await app.inject({ url: url.replace('http://parlance.test', ''), headers: { accept: 'text/html' } })
  return { status: reply.statusCode, body: reply.body, headers: reply.headers }
}

describe('GET /join/{secret}', () => {
  test('says who shares what until when, and shows nothing else of the session', async () => {
    const owner = await newSharer()
    const confidential = { summary: 'CONFIDENTIAL', tags: ['CONFIDENTIAL'], notes: 'CONFIDENTIAL' }
    const id = await owner.session({ title: 'Weekly review', ...confidential, media: RECORDING })
    const url = await linkTo(owner, id)
    const { status, body } = await pageAt(url)
    expect(status).toBe(200)
    expect(words(body)).toContain('Ada shares a conversation with you Weekly review')
    expect(words(body)).toContain('Summary Transcript Recording Action items Sign in to open it')
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
    expect(text).toContain(`What you can read and hear ${expected.join(' ')} Sign in to open it`)
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
    expect(words((await pageAt(url)).body)).toContain('Summary Transcript Action items Sign in')
    await changeShareScope(owner, id, { ...ALL_SHARED, audio: false })
    expect(words((await pageAt(url)).body)).toContain('Summary Transcript Action items Sign in')
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
    expect([status, words(body).includes('This link does not open anything now')]).toEqual([404, true])
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
  test('is the page of session_url, and shows nothing of it before a sign-in', async () => {
    const { recipient, owner, id, path } = await sharedSession({ title: 'CONFIDENTIAL' })
    const { session_url: url } = (await recipient.get(path)).body
    expect(url).toBe(`http://parlance.test/shared/${owner.id}/${id}`)
    const { status, body, headers } = await pageAt(url)
    expect([status, headers.location, body]).toEqual([
      303,
      `/sign-in?next=${encodeURIComponent(`/shared/${owner.id}/${id}`)}`,
      ''
    ])
  })

  test('is the same before a sign-in whether or not the session exists', async () => {
    const { owner, id } = await sharedSession()
    const [user, session] = [newId('usr'), newId('ses')]
    const [real, unknown] = [await pageAt(`/shared/${owner.id}/${id}`), await pageAt(`/shared/${user}/${session}`)]
    expect(String(unknown.headers.location).replace(user, owner.id).replace(session, id)).toBe(real.headers.location)
    expect(unknown.status).toBe(real.status)
  })

  test('shows its recipient the parts that are shared, and the recording by a link of this server', async () => {
    const { owner, recipient, id } = await sharedSession({
      summary: 'THE SUMMARY',
      action_items: [{ text: 'THE ITEM' }]
    })
    await record(owner, id, 'audio', Buffer.from('RECORDED'))
    const browser = newBrowser(await testServer())
    await signInAs(browser, recipient.email)
    const { status, text, body } = await browser.get(`/shared/${owner.id}/${id}`)
    expect(status).toBe(200)
    for (const part of [
      'Weekly review',
      'Ada shares this with you',
      'THE SUMMARY',
      'THE ITEM',
      'Welcome to the weekly review.'
    ])
      expect(text).toContain(part)
    expect(text).toContain('Import')
    const [, source = ''] = /<audio[^>]* src="([^"]+)"/.exec(body) ?? []
    expect(source).toMatch(/^\/v1\/media\//)
    expect((await browser.get(source.replaceAll('&amp;', '&'))).body).toBe('RECORDED')
  })

  test.each([
    ['summary', 'THE SUMMARY'],
    ['transcript', 'Welcome to the weekly review'],
    ['audio', '<audio'],
    ['action_items', 'THE ITEM']
  ])('shows nothing of %s where it is not shared', async (part, secret) => {
    const { owner, recipient, id } = await sharedSession({
      summary: 'THE SUMMARY',
      action_items: [{ text: 'THE ITEM' }]
    })
    await record(owner, id, 'audio', Buffer.from('RECORDED'))
    const browser = newBrowser(await testServer())
    await signInAs(browser, recipient.email)
    expect((await browser.get(`/shared/${owner.id}/${id}`)).body).toContain(secret)
    await changeShareScope(owner, id, { ...ALL_SHARED, [part]: false })
    const { status, body } = await browser.get(`/shared/${owner.id}/${id}`)
    expect([status, body.includes(secret)]).toEqual([200, false])
  })

  test('is the same 404 for the owner of another session, a stranger, a removed recipient and an address without a session', async () => {
    const { owner, recipient, id, sharing } = await sharedSession()
    const stranger = await newSharer()
    const [browser, former] = [newBrowser(await testServer()), newBrowser(await testServer())]
    await signInAs(browser, stranger.email)
    await signInAs(former, recipient.email)
    const page = `/shared/${owner.id}/${id}`
    expect((await former.get(page)).status).toBe(200)
    await owner.delete(`${sharing}/people/${recipient.id}`)
    const own = await stranger.session()
    const answers = [
      await browser.get(page),
      await browser.get(`/shared/${owner.id}/${own}`),
      await browser.get(`/shared/${newId('usr')}/${newId('ses')}`),
      await browser.get('/shared/x/y'),
      await browser.get('/shared/usr_1/%3Cscript%3E')
    ]
    const plain = (body: string) => body.replace(/name="_form" value="[^"]*"/g, '')
    for (const { status, body } of answers) expect([status, plain(body)]).toEqual([404, plain(answers[0]!.body)])
    expect((await former.get(page)).status).toBe(404)
  })

  test('shows every stored text as text, never as markup', async () => {
    const evil = `</bdi><script>alert(1)</script><img src=x onerror=alert(1)>`
    const { owner, recipient, id } = await sharedSession({
      title: evil,
      summary: `${evil}\n\n[a](javascript:alert(1)) ![b](https://evil.example/x.png) <https://evil.example>`,
      segments: [{ speaker: evil.slice(0, 150), start: 0, end: 1, text: evil }],
      action_items: [{ text: evil, assignee: evil }]
    })
    const browser = newBrowser(await testServer())
    await signInAs(browser, recipient.email)
    for (const page of [`/shared/${owner.id}/${id}`, '/shared']) {
      const { status, body } = await browser.get(page)
      expect(status).toBe(200)
      expect(body).not.toMatch(FOREIGN_SCRIPT)
      expect(body).not.toMatch(/<img|javascript:|<[^>]+ onerror/)
      expect(body).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
    }
  })
})

describe('an invite', () => {
  /** An owner, a session of theirs, and the page of an invite of a mailbox that nobody has used. */
  async function invited(document: object = {}) {
    const owner = await newSharer()
    const id = await owner.session({ summary: 'THE SUMMARY', ...document })
    const email = `${crypto.randomUUID()}@example.com`
    const page = new URL(await inviteTo(owner, id, email)).pathname
    return { owner, id, email, page, shown: `/shared/${owner.id}/${id}`, sharing: `/v1/sessions/${id}/sharing` }
  }

  test('opens what is shared with one click, without an account', async () => {
    const { page, shown, email, owner, sharing } = await invited()
    const browser = newBrowser(await testServer())
    const { status, to } = await browser.submit(page, page)
    expect([status, to]).toEqual([303, shown])
    const { text } = await browser.get(shown)
    expect(text).toContain('THE SUMMARY')
    expect(text).toContain('Welcome to the weekly review.')
    expect((await browser.get('/shared')).text).toContain('Weekly review')
    const { people, pending_invites: pending } = (await owner.get(sharing)).body
    expect(people).toMatchObject([{ email, name: null, sources: ['invite'] }])
    expect(pending).toEqual([])
  })

  test('opens nothing by a GET or a HEAD', async () => {
    const { page, owner, sharing } = await invited()
    const scanner = newBrowser(await testServer())
    for (const _ of [1, 2]) {
      await scanner.get(page)
      await scanner.head(page)
    }
    expect((await owner.get(sharing)).body).toMatchObject({ people: [], pending_invites: [{}] })
    expect((await scanner.get('/shared')).to).toBe('/sign-in?next=%2Fshared')
  })

  test('gives a guest what was shared and nothing else', async () => {
    const { page } = await invited()
    const other = await sharedSession()
    const browser = newBrowser(await testServer())
    await browser.submit(page, page)
    const { status, text } = await browser.get('/')
    expect([status, text.includes('Sign in to go on')]).toEqual([403, true])
    expect((await browser.get(`/shared/${other.owner.id}/${other.id}`)).status).toBe(404)
    const link = new URL(await linkTo(other.owner, other.id)).pathname
    const { to } = await browser.submit('/shared', link).catch(() => ({ to: 'no form' }))
    expect(to).toBe('no form')
    expect((await browser.get(link)).text).toContain('Sign in to open it')
  })

  test('ends for a guest with the invite, the session, and after a day', async () => {
    const { page, shown, owner, sharing } = await invited()
    const browser = newBrowser(await testServer())
    await browser.submit(page, page)
    const later = newBrowser({ app: await buildTestApp({ clock: { now: () => new Date(Date.parse(NOW) + DAY_MS) } }) })
    for (const [name, value] of browser.cookies) later.cookies.set(name, value)
    expect((await later.get(shown)).status).toBe(303)
    const [{ id: recipient }] = (await owner.get(sharing)).body.people
    await owner.delete(`${sharing}/people/${recipient}`)
    const { status, text } = await browser.get(shown)
    expect([status, text.includes('There is nothing here')]).toEqual([404, true])
  })

  test('is used up by the click: in another browser it says what could be, and a sign-in by mail reads on', async () => {
    const { page, shown, email } = await invited()
    const served = await testServer()
    const guest = newBrowser(served)
    await guest.submit(page, page)
    const browser = newBrowser(served)
    const { status, text } = await browser.get(page)
    expect(status).toBe(404)
    expect(text).toContain('You accepted it before')
    expect(text).toContain('It has expired, or the sender withdrew it')
    expect((await signInAs(browser, email)).status).toBe(303)
    expect((await browser.get(shown)).text).toContain('THE SUMMARY')
    expect((await browser.get('/')).status).toBe(200)
    expect((await guest.get(shown)).status, 'the session of the invite ends').toBe(303)
  })

  test('with SIGN_UP=closed leaves its mailbox a guest, who signs in by mail to read', async () => {
    const { page, shown, email } = await invited()
    const app = await buildTestApp({ signUp: 'closed' })
    await newBrowser({ app }).submit(page, page)
    const browser = newBrowser({ app })
    expect((await signInAs(browser, email)).to).toBe('/')
    expect((await browser.get(shown)).status).toBe(200)
    expect((await browser.get('/')).status).toBe(403)
  })

  test.each(['a user', 'a guest'])('of a mailbox that has %s asks it to sign in by mail, and then opens', async who => {
    const served = await testServer()
    const first = await invited()
    const email = who === 'a user' ? (await newSharer()).email : first.email
    if (who === 'a guest') await newBrowser(served).submit(first.page, first.page)
    const owner = await newSharer()
    const id = await owner.session()
    const page = new URL(await inviteTo(owner, id, email)).pathname
    const browser = newBrowser(served)
    expect((await browser.submit(page, page)).to).toBe('/join/sent')
    expect((await browser.get('/shared')).status, 'nothing is open yet').toBe(303)
    const link = await mailedLink(email, served)
    expect((await browser.submit(link, link)).to).toBe(page)
    expect((await browser.submit(page, page)).to).toBe(`/shared/${owner.id}/${id}`)
  })

  test('opens for the guest of its mailbox who is signed in, and for no other guest', async () => {
    const served = await testServer()
    const { page, email } = await invited()
    const browser = newBrowser(served)
    await browser.submit(page, page)
    const owner = await newSharer()
    const id = await owner.session()
    const second = new URL(await inviteTo(owner, id, email)).pathname
    expect((await browser.submit(second, second)).to).toBe(`/shared/${owner.id}/${id}`)
    const third = await invited()
    expect((await browser.submit(third.page, third.page)).to).toBe(third.shown)
    expect((await browser.get(`/shared/${owner.id}/${id}`)).status, 'as another guest').toBe(404)
  })

  test('opens for a signed-in user, whatever the mailbox', async () => {
    const { page, shown, owner, sharing } = await invited()
    const ben = await newSharer({ name: 'Ben' })
    const browser = newBrowser(await testServer())
    await signInAs(browser, ben.email)
    expect((await browser.get(page)).text).toContain(`You open it as ${ben.email}`)
    expect((await browser.submit(page, page)).to).toBe(shown)
    expect((await owner.get(sharing)).body.people).toMatchObject([{ id: ben.id }])
  })

  test('makes one guest of two clicks at the same time', async () => {
    const { page, shown } = await invited()
    const browser = newBrowser(await testServer())
    const fields = hiddenFields((await browser.get(page)).body, page)
    const answers = await Promise.all([1, 2, 3].map(() => browser.send(page, fields)))
    expect(answers.map(({ to }) => to).filter(to => to === shown)).toHaveLength(1)
  })

  test('makes its guest a user whom the operator adds later, with what is shared', async () => {
    const { page, shown, email } = await invited()
    const served = await testServer()
    await newBrowser(served).submit(page, page)
    const { body } = await askAdmin('GET', `/users?email=${email}`)
    expect(body.users).toMatchObject([{ email, guest: true, email_verified: true }])
    const added = await askAdmin('POST', '/users', { email, name: 'Cleo', email_verified: true })
    expect(added).toMatchObject({ status: 201, body: { id: body.users[0].id, email, name: 'Cleo', guest: false } })
    const browser = newBrowser(served)
    await signInAs(browser, email)
    expect([(await browser.get('/')).status, (await browser.get(shown)).status]).toEqual([200, 200])
    expect((await askAdmin('POST', '/users', { email })).status).toBe(400)
  })
})

describe('a link', () => {
  test('asks for a sign-in first, and opens after one click', async () => {
    const owner = await newSharer()
    const ben = await newSharer()
    const id = await owner.session()
    const page = new URL(await linkTo(owner, id)).pathname
    const served = await testServer()
    const browser = newBrowser(served)
    const next = `/sign-in?next=${encodeURIComponent(page)}`
    expect((await browser.get(page)).body).toContain(`href="${next}"`)
    await browser.get('/sign-in')
    expect((await browser.send(page, { _form: browser.formToken(page) })).to, 'a form made by hand').toBe(next)
    await browser.submit(next, '/sign-in', { email: ben.email })
    const link = await mailedLink(ben.email, served)
    expect((await browser.submit(link, link)).to).toBe(page)
    expect((await browser.submit(page, page)).to).toBe(`/shared/${owner.id}/${id}`)
  })

  test('to a session of the visitor says so', async () => {
    const owner = await newSharer()
    const page = new URL(await linkTo(owner, await owner.session())).pathname
    const browser = newBrowser(await testServer())
    await signInAs(browser, owner.email)
    const { status, text } = await browser.submit(page, page)
    expect([status, text.includes('the session is your own')]).toEqual([400, true])
  })
})

describe('the pages of sharing', () => {
  test('run no script, load nothing of another server, and forbid frames, caches and search engines', async () => {
    const owner = await newSharer()
    const good = await linkTo(owner, await owner.session())
    for (const url of [good, '/join/x', '/join/sent']) {
      const { body, headers } = await pageAt(url)
      expect(headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'private, no-store',
        'referrer-policy': 'same-origin',
        'x-robots-tag': 'noindex, nofollow',
        'x-content-type-options': 'nosniff'
      })
      expect(body).not.toMatch(/<script|<iframe|<img| on\w+=| style=|@import|url\(/)
      const targets = [...body.matchAll(/(?:href|src|action)="([^"]*)"/g)].map(([, target]) => target)
      expect(targets.filter(target => !/^(?:data:,|#content|\/(?!\/).*|\/)$/.test(target!))).toEqual([])
    }
  })

  test('are replaced beyond the rate limit by a page that says so, with Retry-After', async () => {
    const app = await buildTestApp({ rateLimits: { perMinute: 1, perDay: 1_000 } })
    for (let index = 0; index < 10; index++) expect((await app.inject('/join/x')).statusCode).toBe(404)
    const refused = await app.inject('/join/x')
    expect(refused.statusCode).toBe(429)
    expect(refused.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'retry-after': expect.stringMatching(/^\d+$/)
    })
    expect(words(refused.body)).toContain('Too many requests')
  })

  test('are not in the OpenAPI document, and answer no other method', async () => {
    const { app } = await testServer()
    expect(
      Object.keys(JSON.parse((await app.inject('/v1/openapi.json')).body).paths).filter(
        path => !path.startsWith('/v1/')
      )
    ).toEqual([])
    for (const url of ['/join/x', '/shared/x/y'])
      expect((await app.inject({ method: 'DELETE', url })).statusCode).toBe(405)
  })
})

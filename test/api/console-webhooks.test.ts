import { describe, expect, test } from 'vitest'
import { type Browser, hiddenFields, newBrowser, signedIn } from '../support/console.ts'
import { startReceiver } from '../support/receiver.ts'
import { testServer } from '../support/server.ts'
import { inviteTo, newSharer } from '../support/sharing.ts'

const PATH = '/settings/webhooks'
const HOOK = { url: 'http://127.0.0.1:9/hook', 'session.completed': 'on' }

const served = await testServer()

/** Adds a webhook by the form, and returns the path of its page and its secret. */
async function addHook(browser: Browser, fields: Record<string, string> = HOOK) {
  const { status, body, headers } = await browser.submit(PATH, PATH, fields)
  expect([status, headers['cache-control']]).toEqual([201, 'private, no-store'])
  const [, page = ''] = /href="(\/settings\/webhooks\/whk_\w+)"/.exec(body) ?? []
  const [secret = ''] = /whsec_[\w+/=]+/.exec(body) ?? []
  return { page, secret }
}

describe('the pages of webhooks', () => {
  test('add a webhook whose secret is shown once, with the ticked events and headers', async () => {
    const { user, browser } = await signedIn()
    const headers = 'Authorization: Bearer a:b\r\n\r\nX-Team: Sales '
    const { page, secret } = await addHook(browser, { ...HOOK, 'session.failed': 'on', headers })
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect((await user.get('/v1/webhooks')).body.webhooks).toMatchObject([
      { url: HOOK.url, events: ['session.completed', 'session.failed'], header_names: ['Authorization', 'X-Team'] }
    ])
    const { status, body, text } = await browser.get(page)
    expect(status).toBe(200)
    expect(text).toContain('with the headers Authorization, X-Team')
    for (const hidden of [secret, 'Bearer a:b']) expect(body).not.toContain(hidden)
    expect((await browser.get(PATH)).text).toContain('On , nothing sent yet')
  })

  test.each([
    [{ url: 'nonsense' }, 'Url:'],
    [{ url: 'http://10.0.0.1/hook' }, 'Url:'],
    [{ 'session.completed': undefined }, 'Events: Expected: a list of at least one of'],
    [{ headers: 'no value' }, 'Headers: Expected: a value'],
    [{ headers: 'Host: example.com' }, 'Headers: Expected: other names']
  ])('show the form again as it was filled in, with what is wrong: %j', async (change, problem) => {
    const { user, browser } = await signedIn()
    const fields = Object.entries({ ...HOOK, 'session.deleted': 'on', ...change }).filter(
      ([name, value]) => value !== undefined && !('session.completed' in change && name === 'session.deleted')
    )
    const { status, text, body } = await browser.submit(PATH, PATH, Object.fromEntries(fields) as typeof HOOK)
    expect([status, text.includes(problem)], text).toEqual([400, true])
    expect(body).toContain(`value="${'url' in change ? change.url : HOOK.url}"`)
    expect((await user.get('/v1/webhooks')).body.webhooks).toEqual([])
  })

  test('test it, and say what the receiver answered', async () => {
    const receiver = await startReceiver(() => 204)
    const { browser } = await signedIn()
    const { page } = await addHook(browser, { ...HOOK, url: receiver.url })
    const good = await browser.submit(page, `${page}/test`)
    expect(good.text).toMatch(/The test was delivered in \d+ ms: it answered with 204\./)
    expect(receiver.received).toHaveLength(1)
    receiver.answer = () => 503
    const bad = await browser.submit(page, `${page}/test`)
    expect(bad.text).toContain('The test failed. The receiver did not answer with a 2xx: it answered with 503.')
    expect((await browser.get(page)).text).toContain('webhook.test')
  })

  test('turn it off and on, replace its secret, and delete it', async () => {
    const { user, browser } = await signedIn()
    const { page, secret } = await addHook(browser)
    const active = async () => (await user.get('/v1/webhooks')).body.webhooks[0].active
    expect((await browser.submit(page, `${page}/active`)).to).toBe(page)
    expect(await active()).toBe(false)
    await browser.submit(page, `${page}/active`)
    expect(await active()).toBe(true)
    const rotated = await browser.submit(page, `${page}/rotate`)
    const [fresh = ''] = /whsec_[\w+/=]+/.exec(rotated.body) ?? []
    expect([rotated.status, fresh !== '' && fresh !== secret]).toEqual([200, true])
    expect((await browser.submit(page, `${page}/delete`)).to).toBe(PATH)
    expect((await browser.get(page)).status).toBe(404)
    expect((await user.get('/v1/webhooks')).body.webhooks).toEqual([])
  })

  test('of another user are the same 404 as one that does not exist, for each form', async () => {
    const [{ browser: ofOwner, user: owner }, { browser }] = [await signedIn(), await signedIn()]
    const { page } = await addHook(ofOwner)
    const unknown = `${PATH}/whk_${'0'.repeat(26)}`
    const shown = await browser.get(unknown)
    const theirs = await browser.get(page)
    expect([theirs.status, theirs.text]).toEqual([404, shown.text])
    const fields = hiddenFields((await browser.get(PATH)).body, PATH)
    const event = `evt_${'0'.repeat(26)}`
    for (const form of ['test', 'rotate', 'active', 'delete', 'replay', `deliveries/${event}/retry`]) {
      const sent = { ...fields, active: 'false', since: '2026-01-01' }
      const [on, beside] = [await browser.send(`${page}/${form}`, sent), await browser.send(`${unknown}/${form}`, sent)]
      expect([form, on.status, on.text]).toEqual([form, 404, beside.text])
    }
    expect((await owner.get('/v1/webhooks')).body.webhooks).toMatchObject([{ active: true }])
  })

  test('escape what is stored', async () => {
    const { browser } = await signedIn()
    const url = `http://127.0.0.1:9/"'><script>alert(1)</script>`
    const { page } = await addHook(browser, { ...HOOK, url })
    const bad = { ...HOOK, url: `"><script>`, headers: '</textarea><script>: x' }
    for (const { body } of [await browser.get(PATH), await browser.get(page), await browser.submit(PATH, PATH, bad)])
      expect(body).not.toContain('<script')
  })

  test('refuse a stranger, the guest of an invite, and a form of another session', async () => {
    expect((await newBrowser(served).get(PATH)).to).toBe('/sign-in?next=%2Fsettings%2Fwebhooks')
    const owner = await newSharer()
    const invite = new URL(await inviteTo(owner, await owner.session(), `${crypto.randomUUID()}@example.com`)).pathname
    const guest = newBrowser(served)
    await guest.submit(invite, invite)
    expect((await guest.get(PATH)).status).toBe(403)
    const [{ browser }, { browser: other }] = [await signedIn(), await signedIn()]
    const foreign = hiddenFields((await other.get(PATH)).body, PATH)
    expect((await browser.send(PATH, { ...foreign, ...HOOK })).status).toBe(403)
    const { page } = await addHook(browser)
    expect((await browser.send(`${page}/delete`, foreign)).status).toBe(403)
    expect((await browser.get(page)).status).toBe(200)
  })
})

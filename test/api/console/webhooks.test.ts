import { describe, expect, test } from 'vitest'
import { type Browser, FOREIGN_SCRIPT, hiddenFields, newBrowser, signedIn } from '../../support/console.ts'
import { startReceiver } from '../../support/receiver.ts'
import { testServer } from '../../support/server.ts'
import { inviteTo, newSharer } from '../../support/sharing.ts'

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

  test('send only the id of a session where the box is ticked', async () => {
    const { user, browser } = await signedIn()
    const { page } = await addHook(browser, { ...HOOK, thin: 'on' })
    const payload = async () => (await user.get('/v1/webhooks')).body.webhooks[0].payload
    expect([await payload(), (await browser.get(page)).text]).toEqual([
      'thin',
      expect.stringContaining('sending only the id of the session')
    ])
    const change = `${page}/change`
    expect((await browser.get(change)).body).toMatch(/name="thin"[^>]* checked/)
    await browser.submit(change, change, HOOK)
    expect(await payload()).toBe('full')
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

  test('change URL, events and headers, and keep headers that are not written again', async () => {
    const { user, browser } = await signedIn()
    const { page } = await addHook(browser, { ...HOOK, headers: 'X-Team: Sales' })
    const change = `${page}/change`
    const shown = await browser.get(change)
    expect(shown.body).toContain(`value="${HOOK.url}"`)
    expect(shown.body).not.toContain('Sales')
    const hook = async () => (await user.get('/v1/webhooks')).body.webhooks[0]
    const kept = { url: 'http://127.0.0.1:9/other', 'session.deleted': 'on' }
    expect((await browser.submit(change, change, kept)).to).toBe(page)
    expect(await hook()).toMatchObject({ url: kept.url, events: ['session.deleted'], header_names: ['X-Team'] })
    await browser.submit(change, change, { ...kept, headers: 'X-Other: 1' })
    expect((await hook()).header_names).toEqual(['X-Other'])
    await browser.submit(change, change, { ...kept, remove_headers: 'on' })
    expect((await hook()).header_names).toEqual([])
  })

  test.each([
    [{ url: 'nonsense' }, 'Url:'],
    [{ url: 'http://127.0.0.1:10/elsewhere' }, 'Headers: the url has another origin. Expected: the headers again'],
    [{ 'session.completed': undefined }, 'Events: Expected: a list of at least one of'],
    [{ headers: 'Host: x' }, 'Headers: Expected: other names']
  ])('show the form of a change again with what is wrong, and change nothing: %j', async (wrong, problem) => {
    const { user, browser } = await signedIn()
    const { page } = await addHook(browser, { ...HOOK, headers: 'X-Team: Sales' })
    const change = `${page}/change`
    const before = (await user.get('/v1/webhooks')).body
    const fields = Object.entries({ ...HOOK, ...wrong }).filter(([, value]) => value !== undefined)
    const { status, text, body } = await browser.submit(change, change, Object.fromEntries(fields) as typeof HOOK)
    expect([status, text.includes(problem)], text).toEqual([400, true])
    expect(body).toContain(`value="${'url' in wrong ? wrong.url : HOOK.url}"`)
    expect((await user.get('/v1/webhooks')).body).toEqual(before)
  })

  test('of a webhook that was changed meanwhile show both versions, and save neither until one is chosen', async () => {
    const { user, browser } = await signedIn()
    const { page } = await addHook(browser)
    const change = `${page}/change`
    const seen = hiddenFields((await browser.get(change)).body, change)
    await user.patch(`/v1/webhooks/${page.slice(-30)}`, { url: 'http://127.0.0.1:9/theirs' })
    const hook = async () => (await user.get('/v1/webhooks')).body.webhooks[0]
    const refused = await browser.send(change, { ...seen, ...HOOK, url: 'http://127.0.0.1:9/mine' })
    expect(refused.status).toBe(409)
    for (const words of ['This was changed meanwhile', 'http://127.0.0.1:9/theirs'])
      expect(refused.text).toContain(words)
    expect((await hook()).url).toBe('http://127.0.0.1:9/theirs')
    const again = { ...hiddenFields(refused.body, change), ...HOOK, url: 'http://127.0.0.1:9/mine' }
    expect((await browser.send(change, again)).to).toBe(page)
    expect((await hook()).url).toBe('http://127.0.0.1:9/mine')
  })

  test('of a delivery show the answer with its headers, escaped and to its first KiB, and no secret of the request', async () => {
    const canary = '<script>alert("answered")</script>'
    const receiver = await startReceiver(
      () => response =>
        response
          .writeHead(500, { server: 'proxy<b>', 'set-cookie': 'answered=1', 'content-type': 'text/html' })
          .end(`${canary}${'x'.repeat(1_024)}END`)
    )
    const { user, browser } = await signedIn()
    const { page, secret } = await addHook(browser, { ...HOOK, url: receiver.url, headers: 'X-Key: of-the-receiver' })
    const failed = await browser.submit(page, `${page}/test`)
    const [, delivery = ''] = /href="([^"]+\/deliveries\/evt_\w+)"/.exec(failed.body) ?? []
    const { status, body, text } = await browser.get(delivery)
    expect(status).toBe(200)
    for (const shown of ['answered 500', 'server: proxy&lt;b&gt;', 'content-type: text/html', '&lt;script&gt;'])
      expect(body).toContain(shown)
    expect(text).toContain('x-key: (stored encrypted)')
    expect(text).toContain('The body of a test never is')
    for (const hidden of [canary, 'END', 'set-cookie', 'of-the-receiver', secret, 'v1,'])
      expect(body).not.toContain(hidden)
    const { body: listed } = await user.get(`/v1/webhooks/${page.slice(-30)}/deliveries`)
    expect(JSON.stringify(listed)).not.toContain('proxy')
  })

  test('of another user are the same 404 as one that does not exist, for each form', async () => {
    const [{ browser: ofOwner, user: owner }, { browser }] = [await signedIn(), await signedIn()]
    const { page } = await addHook(ofOwner)
    const unknown = `${PATH}/whk_${'0'.repeat(26)}`
    const shown = await browser.get(unknown)
    const theirs = await browser.get(page)
    expect([theirs.status, theirs.text]).toEqual([404, shown.text])
    const event = `evt_${'0'.repeat(26)}`
    for (const shownOnly of ['change', `deliveries/${event}`])
      expect((await browser.get(`${page}/${shownOnly}`)).status).toBe(404)
    for (const form of ['test', 'rotate', 'active', 'delete', 'replay', 'change', `deliveries/${event}/retry`]) {
      const fields = { ...HOOK, active: 'false', since: '2026-01-01', seen: 'x'.repeat(27) }
      const send = (path: string) => browser.send(path, { ...fields, _form: browser.formToken(path) })
      const [on, beside] = [await send(`${page}/${form}`), await send(`${unknown}/${form}`)]
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
      expect(body).not.toMatch(FOREIGN_SCRIPT)
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

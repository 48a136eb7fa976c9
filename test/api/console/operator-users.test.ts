import { pino } from 'pino'
import { describe, expect, test } from 'vitest'
import { linkSecret } from '../../../src/features/sign-in/sign-in-link.ts'
import { sendSignInMail } from '../../../src/features/sign-in/sign-in-mail.ts'
import type { Message } from '../../../src/platform/mail/mail.ts'
import { askAdmin } from '../../support/admin-api.ts'
import { type Browser, FOREIGN_SCRIPT, hiddenFields, newBrowser, signedIn, signInAs } from '../../support/console.ts'
import { buildTestApp, clock, NO_QUEUE, PUBLIC_URL, SECRET_KEY, testServer } from '../../support/server.ts'
import { inviteTo, newSharer } from '../../support/sharing.ts'

const served = await testServer()
const PATH = '/operator/users'
const INVITE = `${PATH}/invite`

/** A browser in which an operator is signed in. */
async function operatorBrowser() {
  const user = await newSharer({ operator: true })
  const browser = newBrowser(served)
  await signInAs(browser, user.email)
  return { user, browser }
}

/** A page without the tokens of its forms, each of which is masked anew. */
function unmasked(body: string) {
  return body.replaceAll(/name="_form" value="[^"]*"/g, '')
}

async function pageOf(browser: Browser, id: string) {
  const { status, text, body } = await browser.get(`${PATH}/${id}`)
  return { status, text, body }
}

describe('the role of an operator', () => {
  test('is set by the admin API only, shown there, and counts from the next request on', async () => {
    const { user, browser } = await signedIn()
    expect((await browser.get('/')).text).not.toContain('Operator')
    expect((await browser.get(PATH)).status).toBe(404)
    expect((await askAdmin('PATCH', `/users/${user.id}`, { operator: true })).body.operator).toBe(true)
    expect((await askAdmin('GET', `/users/${user.id}`)).body.operator).toBe(true)
    expect((await browser.get('/')).text).toContain('Operator')
    expect((await browser.get(PATH)).status).toBe(200)
    await askAdmin('PATCH', `/users/${user.id}`, { operator: false })
    expect((await browser.get(PATH)).status).toBe(404)
    // No form of the console has it: neither that of the profile nor that of a user.
    await browser.submit('/settings', '/settings', { name: 'Ben', time_zone: 'UTC', operator: 'true' })
    const { browser: other } = await operatorBrowser()
    const quotas = `${PATH}/${user.id}/quotas`
    await other.submit(`${PATH}/${user.id}`, quotas, { folders: '5', operator: 'true' })
    expect((await askAdmin('GET', `/users/${user.id}`)).body).toMatchObject({ name: 'Ben', operator: false })
  })

  test('is refused to a guest, and ends with the user', async () => {
    const owner = await newSharer()
    const email = `${crypto.randomUUID()}@example.com`
    const invite = new URL(await inviteTo(owner, await owner.session(), email)).pathname
    const guest = newBrowser(served)
    await guest.submit(invite, invite)
    const { body } = await askAdmin('GET', `/users?email=${email}`)
    const { status, body: refused } = await askAdmin('PATCH', `/users/${body.users[0].id}`, { operator: true })
    expect([status, refused.error.message]).toEqual([400, expect.stringMatching(/^operator: the user is a guest/)])
    // The address of an operator makes no operator of a browser that only opened an invite.
    await askAdmin('POST', '/users', { email, operator: true })
    expect((await guest.get(PATH)).status).toBe(404)
  })

  test('is needed for every page: anyone else gets exactly the page of an address that leads nowhere', async () => {
    const { user, browser } = await signedIn()
    for (const one of [browser, newBrowser(served)]) {
      const unknown = await one.get('/nothing')
      for (const path of [PATH, `${PATH}/${user.id}`, '/operator', `${PATH}/${user.id}/verify`]) {
        const { status, body } = await one.get(path)
        expect([path, status, unmasked(body)]).toEqual([path, 404, unmasked(unknown.body)])
      }
      const nowhere = await one.send('/nothing', { confirmation: user.email })
      for (const form of ['/invite', `/${user.id}/verify`, `/${user.id}/delete`]) {
        const sent = await one.send(PATH + form, { confirmation: user.email })
        expect([form, sent.status, sent.body]).toEqual([form, 404, nowhere.body])
      }
    }
    expect((await browser.get('/')).status).toBe(200)
  })

  test('has forms that another session or site cannot send', async () => {
    const [{ browser }, { browser: other }, victim] = [
      await operatorBrowser(),
      await operatorBrowser(),
      await newSharer()
    ]
    const action = `${PATH}/${victim.id}/delete`
    const foreign = hiddenFields((await other.get(`${PATH}/${victim.id}`)).body, action)
    const typed = { confirmation: victim.email }
    expect((await browser.send(action, { ...foreign, ...typed })).status).toBe(403)
    const own = hiddenFields((await browser.get(`${PATH}/${victim.id}`)).body, action)
    const elsewhere = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
    expect((await browser.send(action, { ...own, ...typed }, elsewhere)).status).toBe(403)
    expect((await askAdmin('GET', `/users/${victim.id}`)).status).toBe(200)
  })

  test('leaves a line in the log with the ids of the operator and of the user, and no address', async () => {
    const lines: string[] = []
    const app = await buildTestApp({}, { logger: pino({ level: 'info' }, { write: line => void lines.push(line) }) })
    const [operator, user] = [await newSharer({ operator: true }), await newSharer({ emailVerifiedAt: null })]
    const browser = newBrowser({ app })
    await signInAs(browser, operator.email)
    await browser.submit(`${PATH}/${user.id}`, `${PATH}/${user.id}/verify`)
    expect(lines.map(line => JSON.parse(line)).filter(({ msg }) => msg === 'operator action')).toMatchObject([
      { operator: operator.id, route: '/operator/users/:id/verify', params: { id: user.id } }
    ])
    expect(lines.join('')).not.toContain(user.email)
    await app.close()
  })
})

describe('the users', () => {
  test('are found by a part of their name or address, in any case, with what they are and page by page', async () => {
    const { browser } = await operatorBrowser()
    const word = crypto.randomUUID().slice(0, 8)
    const named = await newSharer({ name: `Ada ${word.toUpperCase()}` })
    const addressed = await newSharer({ name: null, email: `${word}@example.com`, emailVerifiedAt: null })
    for (let index = 0; index < 51; index++) await newSharer({ name: `${word} ${index}` })
    const first = await browser.get(`${PATH}?search=${word}`)
    expect(first.text).toContain(`Ada ${word.toUpperCase()} ${named.email} , verified`)
    expect(first.text).toContain(`${word}@example.com , not verified`)
    expect(first.body).toContain(`href="${PATH}/${addressed.id}"`)
    expect(first.text).not.toContain(`${word} 50`)
    const [, more = ''] = /class="more"><a href="([^"]+)"/.exec(first.body) ?? []
    const second = await browser.get(more.replaceAll('&amp;', '&'))
    expect(second.text).toContain(`${word} 50`)
    expect(second.body).not.toContain('class="more"')
    for (const odd of ['%', '_', '\\'])
      expect((await browser.get(`${PATH}?search=${encodeURIComponent(odd + word)}`)).text).toContain(
        'There is no such user'
      )
    expect((await askAdmin('GET', `/users?search=${word}&limit=1`)).body).toMatchObject({
      users: [{ id: named.id }],
      has_more: true
    })
    expect((await askAdmin('GET', '/users?search=%20')).status).toBe(400)
  })

  test('show nothing of what they recorded, and escape what they are called', async () => {
    const { browser } = await operatorBrowser()
    const user = await newSharer({ name: '<script>alert(1)</script>' })
    await user.session({ title: 'CANARY TITLE', summary: 'CANARY SUMMARY', tags: ['CANARY TAG'] })
    for (const { body } of [await pageOf(browser, user.id), await browser.get(`${PATH}?search=${user.id}@`)]) {
      expect(body).toContain('&lt;script&gt;')
      expect(body).not.toContain('CANARY')
      expect(body).not.toMatch(FOREIGN_SCRIPT)
    }
  })

  test('are verified, get other quotas, are signed out, and lose their tokens, each by its form', async () => {
    const { browser } = await operatorBrowser()
    const { user, browser: theirs } = await signedIn()
    await askAdmin('PATCH', `/users/${user.id}`, { email_verified: false })
    const act = (name: string, fields: Record<string, string> = {}) =>
      browser.submit(`${PATH}/${user.id}`, `${PATH}/${user.id}/${name}`, fields)
    expect((await act('verify')).text).toContain('The address is verified.')
    const limits = { bytes_stored: '1000', folders: 'none', people: '', sessions_per_day: '7' }
    expect((await act('quotas', limits)).text).toContain('The quotas are changed.')
    const { body } = await askAdmin('GET', `/users/${user.id}`)
    expect(body).toMatchObject({
      email_verified: true,
      quotas: {
        bytes_stored: { limit: 1_000, is_default: false },
        folders: { limit: null, is_default: false },
        people: { is_default: true },
        sessions_per_day: { limit: 7 }
      }
    })
    const wrong = await act('quotas', { folders: '-1' })
    expect([wrong.status, wrong.text.includes('whole number from 0')]).toEqual([400, true])
    expect((await theirs.get('/settings')).status).toBe(200)
    expect((await act('sign-out')).text).toContain('They are signed out in every browser.')
    expect((await theirs.get('/settings')).status).toBe(303)
    expect((await user.get('/v1/account')).status).toBe(200)
    expect((await act('revoke-tokens')).text).toContain('1 token is revoked.')
    expect((await user.get('/v1/account')).status).toBe(401)
    expect((await act('revoke-tokens')).text).toContain('0 tokens are revoked.')
  })

  test('are deleted once their address is typed, unless they are operators', async () => {
    const { browser, user: operator } = await operatorBrowser()
    const user = await newSharer()
    const remove = (id: string, confirmation: string) =>
      browser.send(`${PATH}/${id}/delete`, { _form: browser.formToken(`${PATH}/${id}/delete`), confirmation })
    const refused = await remove(user.id, 'yes')
    expect([refused.status, refused.text.includes('Nothing was deleted.')]).toEqual([400, true])
    expect((await remove(user.id, ` ${user.email.toUpperCase()} `)).to).toBe(PATH)
    expect((await askAdmin('GET', `/users/${user.id}`)).status).toBe(404)
    expect((await pageOf(browser, user.id)).status).toBe(404)
    expect((await remove(user.id, user.email)).status).toBe(404)
    const other = await newSharer({ operator: true })
    for (const { id, email } of [operator, other]) expect((await remove(id, email)).status).toBe(409)
    expect((await askAdmin('GET', `/users/${other.id}`)).status).toBe(200)
  })
})

describe('an invitation', () => {
  const linkOf = async (email: string) => {
    const { rows } = await served.db.execute<{ link_id: string }>(
      `select link_id from sign_in_links where email = '${email}' order by created_at desc, link_id desc limit 1`
    )
    return { linkId: rows[0]!.link_id, path: `/sign-in/${linkSecret(SECRET_KEY, rows[0]!.link_id)}` }
  }

  test('makes a user, and its mailed link signs any browser in, once, and verifies the address', async () => {
    const { browser } = await operatorBrowser()
    const email = `${crypto.randomUUID()}@example.com`
    const invited = await browser.submit(PATH, INVITE, { email: ` ${email.toUpperCase()} `, name: 'Cleo' })
    expect(invited.status).toBe(303)
    expect((await browser.get(invited.to!)).text).toContain(`${email} , not verified`)

    const { linkId, path } = await linkOf(email)
    const sent: Message[] = []
    const mail = { send: async (message: Message) => void sent.push(message), check: async () => '', close() {} }
    const mailer = {
      db: served.db,
      clock,
      mail,
      publicUrl: PUBLIC_URL,
      secretKey: SECRET_KEY,
      signUp: 'closed' as const,
      onFailure() {}
    }
    await sendSignInMail(mailer, { linkId }, { last: true, signal: AbortSignal.timeout(60_000) })
    expect(sent).toMatchObject([{ to: email, subject: `You are invited to Parlance at ${new URL(PUBLIC_URL).host}` }])
    expect(sent[0]!.text).toContain(PUBLIC_URL + path)
    expect(sent[0]!.text).toContain('within 24 hours')

    const theirs = newBrowser(served)
    expect((await theirs.submit(path, path)).status).toBe(303)
    expect((await theirs.get('/settings')).text).toContain('Cleo')
    expect((await newBrowser(served).get(path)).status).toBe(404)
    expect((await browser.get(invited.to!)).text).toContain(`${email} , verified`)
  })

  test('of an address that has a user, or of none, is refused, and the form is shown as it was filled in', async () => {
    const { browser } = await operatorBrowser()
    const known = await newSharer()
    for (const [email, problem] of [
      [known.email, 'another user has this address'],
      ['nonsense', 'Email: Expected:']
    ] as const) {
      const { status, text, body } = await browser.submit(PATH, INVITE, { email, name: 'Cleo' })
      expect([status, text.includes(problem)], text).toEqual([400, true])
      expect(body).toContain(`value="${email}"`)
    }
  })

  test('is mailed again on request, at most ten times an hour, and not to a user without an address', async () => {
    const { browser } = await operatorBrowser()
    const user = await newSharer()
    const again = () => browser.submit(`${PATH}/${user.id}`, `${PATH}/${user.id}/invite`)
    for (let count = 0; count < 10; count++) expect((await again()).text).toContain('is on its way')
    expect((await again()).status).toBe(429)
    const nameless = await newSharer({ email: null, emailVerifiedAt: null })
    const form = `${PATH}/${nameless.id}/invite`
    const refused = await browser.send(form, { _form: browser.formToken(form) })
    expect([refused.status, refused.text.includes('The user has no e-mail address')]).toEqual([400, true])
  })

  test('is made whole or not at all: without a job for the mail there is no user', async () => {
    const failing = { ...NO_QUEUE, enqueue: () => Promise.reject(new Error('The queue is away')) }
    const app = await buildTestApp({ jobs: failing })
    const operator = await newSharer({ operator: true })
    const browser = newBrowser({ app })
    const link = await (async () => {
      const other = newBrowser(served)
      await signInAs(other, operator.email)
      return other.cookies
    })()
    for (const [name, value] of link) browser.cookies.set(name, value)
    const email = `${crypto.randomUUID()}@example.com`
    expect((await browser.submit(PATH, INVITE, { email })).status).toBe(503)
    expect((await askAdmin('GET', `/users?email=${email}`)).body.users).toEqual([])
    await app.close()
  })
})

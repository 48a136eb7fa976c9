import { describe, expect, test } from 'vitest'
import { LIMITS } from '../../../src/contract/limits.ts'
import { ALL_SCOPES } from '../../../src/contract/scopes.ts'
import { consoleActor } from '../../../src/features/access/actor.ts'
import { createToken } from '../../../src/features/accounts/operations.ts'
import { FOREIGN_SCRIPT, hiddenFields, newBrowser, signedIn, words } from '../../support/console.ts'
import { buildTestApp, clock, NOW, PUBLIC_URL, testServer } from '../../support/server.ts'
import { inviteTo, newSharer } from '../../support/sharing.ts'

const PATH = '/settings/tokens'
const CANARY = `"'><script>alert('token')</script>`
const READING = { name: 'Backup', expires_in: '2592000', 'sessions:read': 'on', 'account:read': 'on' }

const served = await testServer()

async function askWith(token: string, url = '/v1/account') {
  return (await served.app.inject({ url, headers: { authorization: `Bearer ${token}` } })).statusCode
}

const tokenIn = (body: string) => /prl_\w+/.exec(body.replace(/&#39;/g, "'"))?.[0] ?? ''

/** The path of the form that revokes the first token of that name. */
async function revocationOf(user: Awaited<ReturnType<typeof newSharer>>, name: string) {
  const { body } = await user.get('/v1/account')
  const { rows } = await user.db.execute<{ token_id: string }>(
    `select token_id from tokens where user_id = '${body.user_id}' and name = '${name}'`
  )
  return `${PATH}/${rows[0]!.token_id}/revoke`
}

describe('the page of tokens', () => {
  test('makes a token with the ticked scopes, which is shown once and works over the API until it is revoked', async () => {
    const { user, browser } = await signedIn()
    const made = await browser.submit(PATH, PATH, READING)
    expect(made.status).toBe(201)
    const token = tokenIn(made.body)
    expect(made.headers['cache-control']).toBe('private, no-store')
    expect(made.text).toContain(`curl -H 'Authorization: Bearer ${token}' '${PUBLIC_URL}/v1/sessions?limit=1'`)
    expect([await askWith(token, '/v1/sessions?limit=1'), await askWith(token, '/v1/folders')]).toEqual([200, 200])
    expect(await askWith(token, '/v1/webhooks'), 'a scope that was not ticked').toBe(403)
    const { body, text } = await browser.get(PATH)
    expect(body).not.toContain(token)
    expect(text).toContain('Backup')
    expect(text).toContain(`May do 2 of ${ALL_SCOPES.length} things`)
    expect(text).toContain('Expires on 1 April 2026')

    const revocation = await revocationOf(user, 'Backup')
    expect((await browser.submit(PATH, revocation)).to).toBe(PATH)
    expect(await askWith(token, '/v1/sessions?limit=1')).toBe(401)
    const after = await browser.get(PATH)
    expect(after.text).toContain('Revoked and expired tokens (1)')
    expect(after.text).toContain('Revoked on 2 March 2026')
    expect(after.body).not.toContain(`action="${revocation}"`)
  })

  test('says from 30 days before its end that a token expires, and lists it apart afterwards', async () => {
    const { user, browser } = await signedIn()
    await createToken({ db: user.db, clock }, consoleActor(user.id, { guest: false }), {
      name: 'Short',
      scopes: ['sessions:read'],
      expires_in: 40 * 86_400
    })
    const at = async (days: number) => {
      const now = () => new Date(Date.parse(NOW) + days * 86_400_000)
      const later = newBrowser({ app: await buildTestApp({ clock: { now } }) })
      for (const [name, value] of browser.cookies) later.cookies.set(name, value)
      return (await later.get(PATH)).text
    }
    expect(await at(9)).not.toContain('make another one in time')
    const soon = await at(11)
    expect(soon).toContain('in 29 days: make another one in time')
    expect(soon).not.toContain('Revoked and expired')
    await at(29)
    const ended = await at(41)
    expect(ended).toContain('Revoked and expired tokens (1)')
    expect(ended).toContain('Expired on 11 April 2026')
  })

  test.each([
    [{ name: '' }, 'Name: Expected: 1 to 100 characters.'],
    [{ name: 'x'.repeat(101) }, 'Name: Expected: 1 to 100 characters.'],
    [{ expires_in: '59' }, 'Expires in: Expected: a whole number of seconds from 60'],
    [{ expires_in: 'long' }, 'Expires in: Expected: a whole number of seconds from 60'],
    [{ 'sessions:read': undefined, 'account:read': undefined }, 'Choose at least one thing that the token may do.']
  ])('shows the form again as it was filled in, with what is wrong: %j', async (change, problem) => {
    const { user, browser } = await signedIn()
    const sent = Object.entries({ ...READING, name: 'As before', ...change }).filter(([, value]) => value !== undefined)
    const { status, text, body } = await browser.submit(PATH, PATH, Object.fromEntries(sent) as Record<string, string>)
    expect(status).toBe(400)
    expect(text).toContain(problem)
    const isTicked = (scope: string) => body.includes(`name="${scope}" value="on" checked`)
    expect([isTicked('sessions:read'), isTicked('folders:write')]).toEqual([
      'sessions:read' in Object.fromEntries(sent),
      false
    ])
    expect((await browser.get(PATH)).text).not.toContain('As before')
    expect(await askWith(user.token)).toBe(200)
  })

  test('escapes the name of a token wherever it stands', async () => {
    const { browser } = await signedIn()
    const shown = [
      await browser.submit(PATH, PATH, { ...READING, name: CANARY }),
      await browser.get(PATH),
      await browser.submit(PATH, PATH, { name: CANARY })
    ]
    expect(shown.map(({ status }) => status)).toEqual([201, 200, 400])
    for (const { body } of shown) {
      expect(body).not.toMatch(FOREIGN_SCRIPT)
      expect(body).toContain('&lt;script&gt;alert(&#39;token&#39;)')
    }
  })

  test("of another user is no help: their token is the same 404 as one that doesn't exist", async () => {
    const [{ user: owner, browser: ofOwner }, { browser }] = [await signedIn(), await signedIn()]
    await ofOwner.submit(PATH, PATH, READING)
    const revoke = (path: string) => browser.send(path, { _form: browser.formToken(path) })
    const theirs = await revoke(await revocationOf(owner, 'Backup'))
    const unknown = await revoke(`${PATH}/tok_${'0'.repeat(26)}/revoke`)
    expect([theirs.status, theirs.text]).toEqual([404, unknown.text])
    expect((await ofOwner.get(PATH)).text).not.toContain('Revoked and expired')
  })

  test('leads a stranger to the sign-in and refuses the guest of an invite, also as an operation', async () => {
    expect((await newBrowser(served).get(PATH)).to).toBe('/sign-in?next=%2Fsettings%2Ftokens')
    const owner = await newSharer()
    const page = new URL(await inviteTo(owner, await owner.session(), `${crypto.randomUUID()}@example.com`)).pathname
    const guest = newBrowser(served)
    await guest.submit(page, page)
    expect((await guest.get(PATH)).status).toBe(403)
    const fields = hiddenFields((await guest.get('/shared')).body, '/sign-out')
    expect((await guest.send(PATH, { ...fields, ...READING })).status).toBe(403)
    const asGuest = createToken({ db: owner.db, clock }, consoleActor(owner.id, { guest: true }), {
      name: 'Guest',
      scopes: ['sessions:read'],
      expires_in: 60
    })
    await expect(asGuest).rejects.toMatchObject({ code: 'insufficient_scope' })
  })

  test('makes and revokes nothing for a form of another site or session', async () => {
    const [{ browser, user }, { browser: other }] = [await signedIn(), await signedIn()]
    const foreign = hiddenFields((await other.get(PATH)).body, PATH)
    const own = hiddenFields((await browser.get(PATH)).body, PATH)
    const crossSite = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }
    const tries = [
      await browser.send(PATH, READING),
      await browser.send(PATH, { ...foreign, ...READING }),
      await browser.send(PATH, { ...own, ...READING }, crossSite),
      await browser.send(await revocationOf(user, 'test'), foreign)
    ]
    expect(tries.map(({ status }) => status)).toEqual([403, 403, 403, 403])
    expect(words((await browser.get(PATH)).body)).not.toContain('Backup')
    expect(await askWith(user.token)).toBe(200)
  })
})

test('110 forms at once make as many tokens as a user may have, and no more', async () => {
  const { user, browser } = await signedIn()
  const fields = hiddenFields((await browser.get(PATH)).body, PATH)
  const made = await Promise.all(Array.from({ length: 110 }, () => browser.send(PATH, { ...fields, ...READING })))
  // The user of the test has one already.
  expect(made.filter(({ status }) => status === 201)).toHaveLength(LIMITS.tokens - 1)
  const { rows } = await user.db.execute(`select count(*)::int as count from tokens where user_id = '${user.id}'`)
  expect(rows).toEqual([{ count: LIMITS.tokens }])
})

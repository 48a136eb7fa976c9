import { afterAll, describe, expect, test } from 'vitest'
import { LIMITS } from '../../../src/contract/limits.ts'
import type { SignUp } from '../../../src/contract/sign-in.ts'
import { everyScope } from '../../../src/features/access/actor.ts'
import { updateUser } from '../../../src/features/accounts/operations.ts'
import { deleteUser } from '../../../src/features/deletions/delete-user.ts'
import { unlinkProvider } from '../../../src/features/sign-in/oidc/operations.ts'
import { sql } from '../../../src/platform/db/drizzle.ts'
import { type Browser, newBrowser, signInAs } from '../../support/console.ts'
import { appWith, knowProvider, logInAt, startProvider, wallClock } from '../../support/oidc.ts'
import {
  buildTestApp,
  clock,
  NO_QUEUE,
  NO_QUOTAS,
  NO_RETENTION,
  PUBLIC_URL,
  testDatabase,
  testServer
} from '../../support/server.ts'
import { inviteTo, newSharer } from '../../support/sharing.ts'

const { db } = await testDatabase()
const provider = await startProvider({ finally: afterAll })
const served = await appWith(provider.issuer, { finally: afterAll })
const open = await appWith(provider.issuer, { services: { signUp: 'open' }, finally: afterAll })
const closed = await appWith(provider.issuer, { services: { signUp: 'closed' }, finally: afterAll })
const appFor = (signUp: SignUp) => ({ closed, invited: served, open })[signUp]
/** Takes addresses of two domains. */
const limited = await appWith(provider.issuer, {
  settings: { allowedDomains: ['example.com', 'example.org'] },
  services: { signUp: 'open' },
  finally: afterAll
})
const newAddress = () => `${crypto.randomUUID()}@example.com`
const START = '/sign-in/oidc'

/** Makes a person whom the provider knows by a login of their own. */
function addPerson(email: string, claims: object = {}, { people } = provider) {
  const login = crypto.randomUUID()
  people.set(login, { email, email_verified: true, ...claims })
  return login
}

/** Starts a sign-in in the browser, and logs in at the provider. Returns the address that it leads back to. */
async function leadBack(browser: Browser, login: string, start = START) {
  const { status, to } = await browser.get(start)
  expect(status).toBe(303)
  return await logInAt(String(to), login)
}

async function signInAt(browser: Browser, login: string, start = START) {
  return await browser.get(await leadBack(browser, login, start))
}

async function isSignedIn(browser: Browser) {
  return (await browser.get('/')).status === 200
}

const usersOf = async (email: string) =>
  (
    await db.execute(sql`select u.user_id as id, u.guest, u.name, u.email_verified_at is not null as verified
      from user_emails e join users u on u.user_id = e.user_id where e.email = ${email}`)
  ).rows

describe('signing in at a provider', () => {
  test('leads there with PKCE, state and nonce, and back to the page that asked', async () => {
    const ada = await newSharer({ emailVerifiedAt: null })
    const login = addPerson(ada.email.toUpperCase())
    const browser = newBrowser(served)
    const page = await browser.get('/sign-in?next=%2Fshared%3Fcursor%3Dx')
    expect(page.text).toContain('Sign in with Example Inc.')
    const [, start = ''] = /href="(\/sign-in\/oidc[^"]*)"/.exec(page.body) ?? []
    const { to } = await browser.get(start)
    const asked = new URL(String(to))
    expect(asked.origin).toBe(provider.issuer)
    expect(Object.fromEntries(asked.searchParams)).toEqual({
      client_id: 'parlance',
      response_type: 'code',
      redirect_uri: `${PUBLIC_URL}/sign-in/oidc/callback`,
      scope: 'openid email profile',
      state: expect.stringMatching(/^sil_\w{26}\.\w+\.[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256'
    })
    const back = await browser.get(await logInAt(asked.href, login))
    expect([back.status, back.to]).toEqual([303, '/shared?cursor=x'])
    expect(await isSignedIn(browser)).toBe(true)
    expect(await usersOf(ada.email)).toMatchObject([{ id: ada.id, verified: true }])
  })

  test.each([
    'https://evil.example/',
    '//evil.example/',
    '/\\evil.example',
    '/\t/evil.example',
    'javascript:alert(1)',
    'shared',
    `/${'x'.repeat(LIMITS.signIn.path)}`
  ])('never leads to %j', async next => {
    const ada = await newSharer()
    const browser = newBrowser(served)
    const start = `${START}?${new URLSearchParams({ next })}`
    expect((await signInAt(browser, addPerson(ada.email), start)).to).toBe('/')
    expect((await browser.get(start)).to).toBe('/')
  })

  test('leads nowhere else by a cookie that somebody else wrote', async () => {
    const ada = await newSharer()
    const browser = newBrowser(served)
    const back = await leadBack(browser, addPerson(ada.email))
    browser.cookies.set('parlance-next', Buffer.from('//evil.example').toString('base64url'))
    expect((await browser.get(back)).to).toBe('/')
  })

  test('works once for one answer, also when two tabs bring it at the same time', async () => {
    const ada = await newSharer()
    const browser = newBrowser(served)
    const back = await leadBack(browser, addPerson(ada.email))
    const before = new Map(browser.cookies)
    const answers = await Promise.all([1, 2, 3].map(() => browser.get(back)))
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 403, 403])
    const again = newBrowser(served)
    for (const [name, value] of before) again.cookies.set(name, value)
    const { status, text } = await again.get(back)
    expect([status, text.includes('This sign-in has ended')]).toEqual([403, true])
    expect(await isSignedIn(again)).toBe(false)
  })

  test('works in the browser that started it alone', async () => {
    const [ada, mallory] = [await newSharer(), await newSharer()]
    const attacker = newBrowser(served)
    const back = await leadBack(attacker, addPerson(mallory.email))
    const victim = newBrowser(served)
    const fresh = newBrowser(served)
    await victim.get(START)
    for (const browser of [victim, fresh]) {
      expect((await browser.get(back)).status).toBe(403)
      expect(await isSignedIn(browser)).toBe(false)
    }
    const own = new URL(await leadBack(victim, addPerson(ada.email)))
    const mixed = new URL(back)
    mixed.searchParams.set('state', own.searchParams.get('state') ?? '')
    // The code is bound to the verifier of the attacker's browser.
    expect((await victim.get(mixed.href)).status).toBe(503)
    expect(await isSignedIn(victim)).toBe(false)
  })

  test.each(['', 'x', `sil_${'0'.repeat(26)}.0.${'A'.repeat(43)}`, '\u0000', 'é'.repeat(80)])(
    'does not take the state %j',
    async state => {
      const browser = newBrowser(served)
      await browser.get(START)
      const { status } = await browser.get(`${START}/callback?${new URLSearchParams({ code: 'x', state })}`)
      expect(status).toBe(state === '\u0000' ? 400 : 403)
    }
  )

  test('works until it is a quarter of an hour old, on every server', async () => {
    const now = Date.now()
    /** A server whose clock stands still, so that a sign-in does not grow older meanwhile. */
    const serverAt = (ms: number) => appWith(provider.issuer, { services: { clock: { now: () => new Date(ms) } } })
    for (const [minutes, status] of [
      [14.9, 303],
      [15.1, 403]
    ] as const) {
      const ada = await newSharer()
      const browser = newBrowser(await serverAt(now - minutes * 60_000))
      const back = await leadBack(browser, addPerson(ada.email))
      const later = newBrowser(await serverAt(now))
      for (const [name, value] of browser.cookies) later.cookies.set(name, value)
      expect((await later.get(back)).status).toBe(status)
    }
  })

  test('lets two tabs sign in, of which the second finds itself signed in', async () => {
    const login = addPerson((await newSharer()).email)
    const browser = newBrowser(served)
    const [first, second] = [await leadBack(browser, login), await leadBack(browser, login, `${START}?next=/people`)]
    expect((await browser.get(first)).status).toBe(303)
    const session = browser.cookies.get('parlance-session')
    expect((await browser.get(second)).to).toBe('/')
    expect(browser.cookies.get('parlance-session')).toBe(session)
  })

  test('gives the session a secret that nobody knew before, and ends the one before', async () => {
    const owner = await newSharer()
    const email = newAddress()
    const browser = newBrowser(served)
    const invite = new URL(await inviteTo(owner, await owner.session(), email)).pathname
    const atTests = newBrowser(await testServer())
    await atTests.submit(invite, invite)
    // The clock of the tests stands in the past, so the guest's session is given time.
    await db.execute(sql`update console_sessions set expires_at = now() + interval '1 hour'
      where user_id = (select user_id from user_emails where email = ${email})`)
    const guest = atTests.cookies.get('parlance-session') ?? ''
    browser.cookies.set('parlance-session', guest)
    const back = await signInAt(browser, addPerson(email))
    expect(back.to).toBe('/')
    expect([await isSignedIn(browser), browser.cookies.get('parlance-session') === guest]).toEqual([true, false])
    const old = newBrowser(served)
    old.cookies.set('parlance-session', guest)
    expect((await old.get('/shared')).to).toBe('/sign-in?next=%2Fshared')
    expect(browser.cookies.has('parlance-browser')).toBe(false)
  })

  test('leads a browser that is signed in to its start, and not to the provider', async () => {
    const login = addPerson((await newSharer()).email)
    const browser = newBrowser(served)
    await signInAt(browser, login)
    expect((await browser.get(`${START}?next=/people`)).to).toBe('/people')
    expect((await browser.get('/sign-in')).to).toBe('/')
  })

  test('ends at sign-out on every server', async () => {
    const login = addPerson((await newSharer()).email)
    const browser = newBrowser(served)
    await signInAt(browser, login)
    const elsewhere = newBrowser(served)
    elsewhere.cookies.set('parlance-session', browser.cookies.get('parlance-session') ?? '')
    expect(await isSignedIn(elsewhere)).toBe(true)
    expect((await browser.submit('/', '/sign-out')).to).toBe('/sign-in')
    expect(await isSignedIn(elsewhere)).toBe(false)
  })

  test('says that it was refused there', async () => {
    const browser = newBrowser(served)
    const { to } = await browser.get(START)
    const { status, text } = await browser.get(await logInAt(String(to), 'ada', { abort: true }))
    expect([status, text.includes('cancelled or refused at Example Inc.')]).toEqual([403, true])
    expect(text).toContain('access_denied')
  })

  test('takes the first key that a provider signs with after a rotation', async () => {
    const provider = await startProvider()
    const served = await appWith(provider.issuer)
    const login = addPerson((await newSharer()).email, {}, provider)
    for (const _ of [1, 2, 3]) {
      expect((await signInAt(newBrowser(served), login)).status).toBe(303)
      provider.rotate()
    }
  })

  test('stores nothing that signs in', async () => {
    const ada = await newSharer()
    const browser = newBrowser(served)
    const back = new URL(await leadBack(browser, addPerson(ada.email)))
    const state = back.searchParams.get('state') ?? ''
    const secrets = [back.searchParams.get('code') ?? '', state.split('.')[2] ?? '', ...browser.cookies.values()]
    await browser.get(back.href)
    const { rows } = await db.execute(sql`
      select row_to_json(l)::text as text from sign_in_links l where link_id = ${state.slice(0, 30)}
      union all select row_to_json(i)::text from user_identities i where user_id = ${ada.id}
      union all select row_to_json(c)::text from console_sessions c where user_id = ${ada.id}`)
    expect(rows).toHaveLength(3)
    for (const secret of secrets.filter(value => value.length > 20)) expect(JSON.stringify(rows)).not.toContain(secret)
  })

  test('is refused for a client address after its starts of a minute', async () => {
    const browser = newBrowser(await appWith(provider.issuer, { services: { clock } }))
    for (let index = 0; index < LIMITS.signIn.providerPerMinute; index++)
      expect((await browser.get(START)).status).toBe(303)
    const { status, headers } = await browser.get(START)
    expect([status, headers['retry-after']]).toEqual([429, '60'])
  })
})

describe('the person at the provider', () => {
  test.each([
    ['closed', 'nobody', 'You have no account here'],
    ['closed', 'guest', 'guest'],
    ['closed', 'user', 'user'],
    ['invited', 'nobody', 'You have no account here'],
    ['invited', 'guest', 'user'],
    ['invited', 'user', 'user'],
    ['open', 'nobody', 'user'],
    ['open', 'guest', 'user'],
    ['open', 'user', 'user']
  ] as const)('with SIGN_UP=%s, an address of %s: %s', async (signUp, known, expected) => {
    const email = known === 'user' ? (await newSharer()).email : newAddress()
    if (known === 'guest') {
      const owner = await newSharer()
      const invite = new URL(await inviteTo(owner, await owner.session(), email)).pathname
      await newBrowser(await testServer()).submit(invite, invite)
    }
    const browser = newBrowser(appFor(signUp))
    const { status, text } = await signInAt(browser, addPerson(email))
    if (expected === 'user' || expected === 'guest') {
      expect([status, (await browser.get('/')).status]).toEqual([303, expected === 'user' ? 200 : 403])
      expect(await usersOf(email)).toMatchObject([{ guest: expected === 'guest', verified: true }])
    } else {
      expect([status, text.includes(expected)]).toEqual([403, true])
      expect(await usersOf(email)).toEqual([])
    }
  })

  test.each([
    ['false', { email_verified: false }],
    ['missing', { email_verified: undefined }],
    ['a text that denies it', { email_verified: 'false' }],
    ['of no address', { email: undefined }],
    ['of a text that is no address', { email: 'ada' }],
    ['of two addresses', { email: 'ada@example.com, eve@example.com' }]
  ])('is refused where email_verified is %s, and no account is handed over', async (_, claims) => {
    const ada = await newSharer()
    const browser = newBrowser(open)
    const { status, text } = await signInAt(browser, addPerson(ada.email, claims))
    expect([status, text.includes('Your address is not verified')]).toEqual([403, true])
    expect(await isSignedIn(browser)).toBe(false)
  })

  test.each([
    ['ada@example.com', true],
    ['ada@EXAMPLE.COM', true],
    ['ada@example.org', true],
    ['ada@sub.example.com', false],
    ['ada@evil-example.com', false],
    ['ada@example.com.evil.net', false],
    ['ada@example.co', false],
    ['example.com@evil.net', false]
  ])('of %s may sign in where example.com and example.org are allowed: %s', async (address, allowed) => {
    const browser = newBrowser(limited)
    const email = address.replace(/^ada|^example.com(?=@)/, name => `${name}-${crypto.randomUUID()}`)
    const { status, text } = await signInAt(browser, addPerson(email))
    expect([status, text.includes('may not sign in here')]).toEqual(allowed ? [303, false] : [403, true])
  })

  test('keeps their account when their address at the provider changes, also to that of another user', async () => {
    const [ada, ben] = [await newSharer(), await newSharer({ name: 'Ben' })]
    const login = addPerson(ada.email)
    await signInAt(newBrowser(served), login)
    provider.people.set(login, { email: ben.email, email_verified: true })
    const browser = newBrowser(served)
    await signInAt(browser, login)
    expect(browser.cookies.get('parlance-session')?.split('.')[0]).toBe(ada.id)
  })

  test('who gets the address of somebody else later gets nothing of their account', async () => {
    const ada = await newSharer()
    const served = open
    const [first, second] = [addPerson(ada.email), addPerson(ada.email)]
    await signInAt(newBrowser(served), first)
    const browser = newBrowser(served)
    const { status, text } = await signInAt(browser, second)
    expect([status, text.includes('This address belongs to another account')]).toEqual([403, true])
    expect(await isSignedIn(browser)).toBe(false)
    expect((await signInAt(newBrowser(served), first)).status).toBe(303)
    expect(await unlinkProvider({ db }, everyScope(ada.id, 'command'))).toEqual({ unlinked: 1 })
    expect((await signInAt(newBrowser(served), second)).status).toBe(303)
    expect((await signInAt(newBrowser(served), first)).status).toBe(403)
  })

  test('is one of two who sign in with one address at the same time', async () => {
    const ada = await newSharer()
    const browsers = [1, 2, 3].map(() => newBrowser(served))
    const backs = await Promise.all(browsers.map(browser => leadBack(browser, addPerson(ada.email))))
    const answers = await Promise.all(browsers.map((browser, index) => browser.get(backs[index] ?? '')))
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 403, 403])
  })

  test('loses an account to whose address the operator gave another', async () => {
    const ada = await newSharer()
    const login = addPerson(ada.email)
    await signInAt(newBrowser(served), login)
    const email = newAddress()
    await updateUser({ db, clock, quotas: NO_QUOTAS, retention: NO_RETENTION }, everyScope(ada.id, 'command'), {
      email
    })
    expect((await signInAt(newBrowser(served), login)).status).toBe(403)
    expect((await signInAt(newBrowser(served), addPerson(email))).status).toBe(303)
  })

  test.each([
    ['invited', 403],
    ['open', 303]
  ] as const)('who was deleted is nobody: with SIGN_UP=%s the answer is %s', async (signUp, expected) => {
    const ada = await newSharer()
    const served = appFor(signUp)
    const login = addPerson(ada.email)
    await signInAt(newBrowser(served), login)
    await deleteUser({ db, jobs: NO_QUEUE, clock }, everyScope(ada.id, 'command'))
    const { rows } = await db.execute(sql`select from user_identities where user_id = ${ada.id}`)
    expect(rows).toEqual([])
    const browser = newBrowser(served)
    expect((await signInAt(browser, login)).status).toBe(expected)
    expect(browser.cookies.get('parlance-session')?.startsWith(ada.id) ?? false).toBe(false)
  })

  test('who is deleted while the provider is asked is nobody', async () => {
    const ada = await newSharer()
    const login = addPerson(ada.email)
    await signInAt(newBrowser(served), login)
    const known = knowProvider(provider.issuer)
    const identify: typeof known.identify = async (...asked) => {
      const identity = await known.identify(...asked)
      await deleteUser({ db, jobs: NO_QUEUE, clock }, everyScope(ada.id, 'command'))
      return identity
    }
    const browser = newBrowser(await appWith(provider.issuer, { services: { oidc: { ...known, identify } } }))
    expect((await signInAt(browser, login)).status).toBe(403)
    expect(browser.cookies.has('parlance-session')).toBe(false)
  })

  test('gives a user without a name theirs, and changes no name', async () => {
    const served = open
    const [email, ada] = [newAddress(), await newSharer({ name: 'Ada' })]
    await signInAt(newBrowser(served), addPerson(email, { name: 'Grace Hopper' }))
    await signInAt(newBrowser(served), addPerson(ada.email, { name: 'Grace Hopper' }))
    expect([...(await usersOf(email)), ...(await usersOf(ada.email))]).toMatchObject([
      { name: 'Grace Hopper' },
      { name: 'Ada' }
    ])
  })

  test('may have a name that nobody may have here', async () => {
    const served = open
    for (const name of ['', ' ', 'a\u0000b', 'x'.repeat(5_000), 'two\nlines']) {
      const email = newAddress()
      expect((await signInAt(newBrowser(served), addPerson(email, { name }))).status).toBe(303)
      expect(await usersOf(email)).toMatchObject([{ name: null }])
    }
  })
})

describe('the ways to sign in', () => {
  test.each([
    [false, true, false, true],
    [true, true, true, true],
    [true, false, true, false]
  ])('with a provider: %s, with mailed links: %s', async (oidc, mailsLinks, button, form) => {
    const { app } = oidc
      ? await appWith(provider.issuer, { services: { mailsLinks } })
      : { app: await buildTestApp({ mailsLinks, clock: wallClock }) }
    const { text, body } = await newBrowser({ app }).get('/sign-in')
    expect([text.includes('Sign in with Example Inc.'), body.includes('Send the link')]).toEqual([button, form])
    expect(body.includes('class="or"')).toBe(button && form)
  })

  test('without mailed links, asking for one leads back, and mails nothing', async () => {
    const served = await appWith(provider.issuer, { services: { mailsLinks: false, clock } })
    const owner = await newSharer()
    const invite = new URL(await inviteTo(owner, await owner.session(), newAddress())).pathname
    const browser = newBrowser(served)
    await browser.get(invite)
    const fields = { _form: browser.formToken('/sign-in'), email: owner.email }
    const { status, to } = await browser.send('/sign-in', fields)
    expect([status, to]).toEqual([303, '/sign-in'])
    const { rows } = await db.execute(sql`select from sign_in_links where email = ${owner.email}`)
    expect(rows).toEqual([])
  })

  test('without mailed links, the invite of a known mailbox leads to the provider and back', async () => {
    const [owner, ada] = [await newSharer(), await newSharer()]
    const session = await owner.session()
    const invite = new URL(await inviteTo(owner, session, ada.email)).pathname
    const browser = newBrowser(await appWith(provider.issuer, { services: { mailsLinks: false, clock } }))
    const { to } = await browser.submit(invite, invite)
    expect(to).toBe(`/sign-in?${new URLSearchParams({ next: invite })}`)
  })

  test('without a provider its pages are not there', async () => {
    const browser = newBrowser(await testServer())
    for (const path of [START, `${START}/callback?code=x&state=y`]) expect((await browser.get(path)).status).toBe(404)
  })

  test('one user signs in by mail and at the provider', async () => {
    const ada = await newSharer()
    const served = await appWith(provider.issuer, { services: { clock }, clock: wallClock })
    const [byMail, there] = [newBrowser(served), newBrowser(served)]
    await signInAs(byMail, ada.email)
    await signInAt(there, addPerson(ada.email))
    const users = [byMail, there].map(({ cookies }) => cookies.get('parlance-session')?.split('.')[0])
    expect(users).toEqual([ada.id, ada.id])
  })
})

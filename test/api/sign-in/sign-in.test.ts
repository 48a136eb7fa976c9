import { describe, expect, test } from 'vitest'
import { LIMITS } from '../../../src/contract/limits.ts'
import { everyScope } from '../../../src/features/access/actor.ts'
import { updateUser } from '../../../src/features/access/queries.ts'
import { inviteUserAgain } from '../../../src/features/accounts/invite-user.ts'
import { removeOldRows } from '../../../src/features/deletions/old-rows.ts'
import { createSignInUrl, signIn } from '../../../src/features/sign-in/sign-in.ts'
import { sendSignInMail } from '../../../src/features/sign-in/sign-in-mail.ts'
import { sql } from '../../../src/platform/db/drizzle.ts'
import type { JobData } from '../../../src/platform/jobs/queues.ts'
import { smtpMail } from '../../../src/platform/mail/smtp.ts'
import {
  type Browser,
  FOREIGN_SCRIPT,
  hiddenFields,
  mailedLink,
  newBrowser,
  signInAs,
  withoutTokens
} from '../../support/console.ts'
import { ownServer } from '../../support/own-server.ts'
import {
  buildTestApp,
  clock,
  NO_QUEUE,
  NOW,
  newUser,
  PUBLIC_URL,
  SECRET_KEY,
  type Served,
  testDatabase,
  testServer,
  testServices
} from '../../support/server.ts'
import { inviteTo, newSharer } from '../../support/sharing.ts'
import { startSmtp } from '../../support/smtp.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const after = (ms: number) => ({ now: () => new Date(Date.parse(NOW) + ms) })

const { db } = await testDatabase()
const served = await testServer()

/** An address that nobody has used. */
const newAddress = () => `${crypto.randomUUID()}@example.com`

/** Asks for a link in the browser, and returns its path. */
async function askFor(email: string, browser: Browser) {
  await browser.submit('/sign-in', '/sign-in', { email })
  return await mailedLink(email, { db })
}

async function isSignedIn(browser: Browser) {
  return (await browser.get('/')).status === 200
}

describe('signing in', () => {
  test('leads by the mailed link to the start', async () => {
    const ada = await newSharer()
    const browser = newBrowser(served)
    expect((await browser.get('/')).to).toBe('/sign-in')
    const asked = await browser.submit('/sign-in', '/sign-in', { email: ` ${ada.email.toUpperCase()}` })
    expect([asked.status, asked.to]).toEqual([303, '/sign-in/sent'])
    const link = await mailedLink(ada.email, ada)
    const clicked = await browser.submit(link, link)
    expect([clicked.status, clicked.to]).toEqual([303, '/'])
    const { status, text } = await browser.get('/')
    expect([status, text.includes('Ada')]).toEqual([200, true])
  })

  test('leads back to the page that asked for it', async () => {
    const ada = await newSharer()
    const browser = newBrowser(served)
    const { to } = await browser.get('/shared?cursor=x')
    expect(to).toBe('/sign-in?next=%2Fshared%3Fcursor%3Dx')
    await browser.submit(String(to), '/sign-in', { email: ada.email })
    const link = await mailedLink(ada.email, ada)
    expect((await browser.submit(link, link)).to).toBe('/shared?cursor=x')
  })

  test('leads back to a long address, in cookies that every browser keeps, and then to a short one', async () => {
    const ada = await newSharer()
    const browser = newBrowser(served)
    const address = (length: number) => '/shared?cursor='.padEnd(length, '%7B%22a%22%3A')
    for (const length of [LIMITS.signIn.path, 2_600, 20]) {
      const { to } = await browser.get(address(length))
      const asked = await browser.submit(String(to), '/sign-in', { email: ada.email })
      for (const { name, value } of asked.set) expect(name.length + value.length).toBeLessThan(4_000)
      const link = await mailedLink(ada.email, ada)
      expect((await browser.submit(link, link)).to).toBe(address(length))
      await browser.submit('/settings', '/sign-out')
      expect([...browser.cookies.keys()]).toEqual(['parlance-known'])
    }
  })

  test('leads to the address that was asked for last', async () => {
    const ada = await newSharer()
    const browser = newBrowser(served)
    for (const length of [LIMITS.signIn.path, 20]) {
      const next = '/shared?cursor='.padEnd(length, 'x')
      await browser.submit(`/sign-in?${new URLSearchParams({ next })}`, '/sign-in', { email: ada.email })
    }
    const link = await mailedLink(ada.email, ada)
    expect((await browser.submit(link, link)).to).toBe('/shared?cursor=xxxxx')
  })

  test.each([
    'https://evil.example/',
    '//evil.example/',
    '/\\evil.example',
    '/\t/evil.example',
    '\\\\evil.example',
    'javascript:alert(1)',
    'shared',
    '/%0d%0aset-cookie:a=b\r\n',
    `/${'x'.repeat(LIMITS.signIn.path)}`
  ])('never leads to %j', async next => {
    const ada = await newSharer()
    const browser = newBrowser(served)
    await browser.submit(`/sign-in?${new URLSearchParams({ next })}`, '/sign-in', { email: ada.email, next })
    const link = await mailedLink(ada.email, ada)
    expect((await browser.submit(link, link)).to).toBe('/')
    expect((await browser.get(`/sign-in?${new URLSearchParams({ next })}`)).to).toBe('/')
  })

  test('verifies the address', async () => {
    const ada = await newSharer({ emailVerifiedAt: null })
    await signInAs(newBrowser(served), ada.email)
    const { rows } = await db.execute(
      sql`select email_verified_at is not null as verified from users where user_id = ${ada.id}`
    )
    expect(rows).toEqual([{ verified: true }])
  })

  test('is not done by a GET or a HEAD of the link, however often a mail scanner opens it', async () => {
    const ada = await newSharer()
    const browser = newBrowser(served)
    const link = await askFor(ada.email, browser)
    for (const scanner of [newBrowser(served), browser]) {
      for (const _ of [1, 2]) {
        await scanner.get(link)
        await scanner.head(link)
      }
      expect(await isSignedIn(scanner)).toBe(false)
    }
    expect((await browser.submit(link, link)).status).toBe(303)
  })

  test('is done by a link once', async () => {
    const ada = await newSharer()
    const browser = newBrowser(served)
    const link = await askFor(ada.email, browser)
    const { body } = await browser.get(link)
    const cookies = new Map(browser.cookies)
    const fields = hiddenFields(body, link)
    expect((await browser.send(link, fields)).status).toBe(303)
    const again = newBrowser(served)
    for (const [name, value] of cookies) again.cookies.set(name, value)
    const { status, text } = await again.send(link, fields)
    expect([status, text.includes('This link does not work any more')]).toEqual([404, true])
    expect(await isSignedIn(again)).toBe(false)
  })

  test('is done once by two clicks at the same time', async () => {
    const ada = await newSharer()
    const browser = newBrowser(served)
    const link = await askFor(ada.email, browser)
    const fields = hiddenFields((await browser.get(link)).body, link)
    const answers = await Promise.all([1, 2, 3].map(() => browser.send(link, fields)))
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 404, 404])
  })

  test('asks the operation itself for a link that is unused and of this browser', async () => {
    const ada = await newSharer()
    const services = await testServices()
    const secret = (await askFor(ada.email, newBrowser(served))).replace('/sign-in/', '')
    for (const browser of [undefined, '', 'A'.repeat(43)])
      await expect(signIn(services, secret, browser)).rejects.toMatchObject({ code: 'not_found' })
    const { url } = await createSignInUrl(services, everyScope(ada.id, 'command'))
    const free = url.replace(`${PUBLIC_URL}/sign-in/`, '')
    expect(await signIn(services, free, undefined)).toMatchObject({ guest: false })
    await expect(signIn(services, free, undefined)).rejects.toMatchObject({ code: 'not_found' })
  })

  test('works until the link is a quarter of an hour old', async () => {
    const ada = await newSharer()
    for (const [ms, status] of [
      [15 * MINUTE_MS - 1, 200],
      [15 * MINUTE_MS, 404]
    ] as const) {
      const browser = newBrowser(served)
      const link = await askFor(ada.email, browser)
      const later = newBrowser({ app: await buildTestApp({ clock: after(ms) }) })
      for (const [name, value] of browser.cookies) later.cookies.set(name, value)
      expect((await later.get(link)).status).toBe(status)
    }
  })

  test('in another browser than the one that asked says so, and how to go on', async () => {
    const ada = await newSharer()
    const browser = newBrowser(served)
    const link = await askFor(ada.email, browser)
    for (const other of [newBrowser(served), newBrowser(served)]) {
      await other.get('/sign-in')
      const { status, text } = await other.get(link)
      expect(status).toBe(403)
      expect(text).toContain('Open the link in the other browser')
      expect(text).toContain('To sign in here instead, ask for a link in this browser')
      const fields = hiddenFields((await other.get('/sign-in')).body, '/sign-in')
      expect((await other.send(link, fields)).status).toBe(403)
      expect(await isSignedIn(other)).toBe(false)
    }
    expect((await browser.submit(link, link)).to).toBe('/')
  })

  test('takes each of the links that one browser asked for', async () => {
    const ada = await newSharer()
    const browser = newBrowser(served)
    const [first, second] = [await askFor(ada.email, browser), await askFor(ada.email, browser)]
    expect(first).not.toBe(second)
    expect((await browser.submit(first, first)).status).toBe(303)
  })

  test('gives the session a secret that nobody knew before, and ends the one before', async () => {
    const ada = await newSharer()
    const browser = newBrowser(served)
    const fixed = `${ada.id}.${'A'.repeat(43)}`
    browser.cookies.set('parlance-session', fixed)
    await signInAs(browser, ada.email)
    const first = browser.cookies.get('parlance-session')
    expect(first).not.toBe(fixed)
    expect(browser.cookies.has('parlance-browser')).toBe(false)
    const attacker = newBrowser(served)
    attacker.cookies.set('parlance-session', fixed)
    expect(await isSignedIn(attacker)).toBe(false)
    await newBrowser(served).get('/')
    const link = await linkInAnotherTab(ada.email)
    await browser.submit(link, link)
    expect(browser.cookies.get('parlance-session')).not.toBe(first)
    attacker.cookies.set('parlance-session', String(first))
    expect(await isSignedIn(attacker)).toBe(false)
  })

  test('stores nothing that signs in', async () => {
    const ada = await newSharer()
    const browser = newBrowser(served)
    const link = await askFor(ada.email, browser)
    // The cookie that names the link is worth nothing without that of the browser.
    const asked = [...browser.cookies].filter(([name]) => name !== 'parlance-asked').map(([, value]) => value)
    await browser.submit(link, link)
    const secrets = [link.split('.')[1]!, ...asked, browser.cookies.get('parlance-session')!.split('.')[1]!]
    const { rows } = await db.execute(sql`
      select row_to_json(l)::text as text from sign_in_links l where email = ${ada.email}
      union all select row_to_json(c)::text from console_sessions c where user_id = ${ada.id}`)
    expect(rows).toHaveLength(2)
    for (const secret of secrets) expect(JSON.stringify(rows)).not.toContain(secret)
  })
})

/** Asks for another link while signed in, as by a second tab that was open before. */
async function linkInAnotherTab(email: string) {
  const services = await testServices()
  return new URL((await createSignInUrl(services, everyScope(await userOf(email), 'command'))).url).pathname
}

async function userOf(email: string) {
  const { rows } = await db.execute<{ user_id: string }>(sql`select user_id from user_emails where email = ${email}`)
  return rows[0]!.user_id
}

describe('asking for a link', () => {
  test('answers the same for an address with a user and without one, and mails only the first', async () => {
    const ada = await newSharer()
    const smtp = await startSmtp()
    const enqueued: JobData['mail-sign-in'][] = []
    const jobs = {
      ...NO_QUEUE,
      enqueue: async (_tx: unknown, _queue: string, data: object) => void enqueued.push(data as never)
    }
    const app = await buildTestApp({ jobs })
    const answers = []
    for (const email of [ada.email, newAddress()]) {
      const browser = newBrowser({ app })
      const asked = await browser.submit('/sign-in', '/sign-in', { email })
      const sent = await browser.get(String(asked.to))
      answers.push([
        asked.status,
        asked.body,
        asked.to,
        asked.set.map(({ name }) => name),
        sent.status,
        withoutTokens(sent.body)
      ])
    }
    expect(answers[0]).toEqual(answers[1])
    expect(enqueued).toHaveLength(2)
    const mail = smtpMail(smtp.url, 'Parlance <parlance@example.com>')
    const services = { ...(await testServices()), mail, onFailure: () => {} }
    for (const data of enqueued)
      await sendSignInMail(services, data, { last: true, signal: new AbortController().signal })
    mail.close()
    const link = PUBLIC_URL + (await mailedLink(ada.email, { db }))
    expect(smtp.received.map(({ envelope }) => envelope.to)).toEqual([[ada.email]])
    const [{ mail: received }] = smtp.received as [(typeof smtp.received)[0]]
    expect(received.subject).toBe('Sign in to Parlance at parlance.test')
    for (const body of [received.text, received.html]) {
      expect(body).toContain(link)
      expect(body).toContain('within 15 minutes, in the browser in which you asked for it')
      expect(body).not.toContain(ada.id)
    }
  })

  test('does the same statements for an address with a user and without one', async () => {
    const ada = await newSharer()
    const counts = []
    for (const email of [ada.email, newAddress()]) {
      const before = await countLinks(email)
      await askFor(email, newBrowser(served))
      counts.push((await countLinks(email)) - before)
    }
    expect(counts).toEqual([1, 1])
  })

  test.each([
    '',
    'ada',
    'ada@',
    '@example.com',
    'a b@example.com',
    'ada@example.com\r\nbcc: x@example.com',
    'x'.repeat(900)
  ])('refuses %j, and shows it again to correct it', async email => {
    const browser = newBrowser(served)
    const { status, text, body } = await browser.submit('/sign-in', '/sign-in', { email })
    expect([status, text.includes('This is not an e-mail address')]).toEqual([400, true])
    expect(body).toContain('aria-invalid="true"')
  })

  test('is refused to a network after five in a quarter of an hour for an address, whether it has a user or not', async () => {
    const ada = await newSharer()
    const later = { app: await buildTestApp({ clock: after(15 * MINUTE_MS) }) }
    for (const email of [ada.email, newAddress()]) {
      const network = newNetwork()
      for (let index = 0; index < perNetwork; index++) expect((await askAs(email, network)).status).toBe(303)
      const refused = await askAs(email, network)
      expect([refused.status, refused.headers['retry-after']]).toEqual([429, '900'])
      expect(refused.text).toContain('5 links are sent to an address in 15 minutes at the request of one network')
      expect((await askAs(email, network, later)).status).toBe(303)
    }
  })

  test('works after as many requests of a stranger in another network, from IPv6 too', async () => {
    const ada = await newSharer()
    for (const network of [newNetwork(), newNetworkOfIpv6()]) {
      for (let index = 0; index < perNetwork; index++) await askAs(ada.email, network)
      expect((await askAs(ada.email, network)).status).toBe(429)
      expect((await askAs(ada.email, newNetwork())).status).toBe(303)
    }
  })

  test('works in a browser that has signed in before, and for the operator, after all requests of strangers', async () => {
    const ada = await newSharer()
    const browser = newBrowser(served)
    await signInAs(browser, ada.email)
    await browser.submit('/settings', '/sign-out')
    await useUpLinks(ada.email)
    const refused = await newBrowser(served).submit('/sign-in', '/sign-in', { email: ada.email })
    expect([refused.status, refused.text.includes('20 links are sent to an address in 15 minutes')]).toEqual([
      429,
      true
    ])
    await inviteUserAgain({ db, clock, jobs: NO_QUEUE }, everyScope(ada.id, 'command'))
    const link = await askFor(ada.email, browser)
    expect((await browser.submit(link, link)).status).toBe(303)
  })

  test('takes the reserve of a browser for the address alone that signed in there, and five times', async () => {
    const [ada, bob] = [await newSharer(), await newSharer()]
    const browser = newBrowser(served)
    await signInAs(browser, ada.email)
    const known = String(browser.cookies.get('parlance-known'))
    for (const email of [ada.email, bob.email]) await useUpLinks(email)
    const ask = async (email: string, cookie: string) => {
      const asking = newBrowser(served)
      asking.cookies.set('parlance-known', cookie)
      return (await asking.submit('/sign-in', '/sign-in', { email })).status
    }
    for (const forged of ['', 'A'.repeat(43), `${'A'.repeat(43)}.${'A'.repeat(43)}`, `${known}x`])
      expect(await ask(ada.email, forged)).toBe(429)
    expect(await ask(bob.email, known)).toBe(429)
    for (let index = 0; index < perNetwork; index++) expect(await ask(ada.email, known)).toBe(303)
    expect(await ask(ada.email, known)).toBe(429)
  })

  test('by the invite of somebody else works after all requests of strangers, in a browser that has signed in before', async () => {
    const [owner, bob] = [await newSharer(), await newSharer()]
    const browser = newBrowser(served)
    await signInAs(browser, bob.email)
    await browser.submit('/settings', '/sign-out')
    const invite = new URL(await inviteTo(owner, await owner.session(), bob.email)).pathname
    await useUpLinks(bob.email)
    expect((await newBrowser(served).submit(invite, invite)).status).toBe(429)
    expect((await browser.submit(invite, invite)).to).toBe('/join/sent')
  })

  test('is refused after ten invitations an hour to the operator, whom requests of strangers do not count against', async () => {
    const ada = await newSharer()
    await useUpLinks(ada.email)
    const invite = () => inviteUserAgain({ db, clock, jobs: NO_QUEUE }, everyScope(ada.id, 'command'))
    for (let index = 0; index < invitationsPerHour; index++) await invite()
    await expect(invite()).rejects.toMatchObject({ code: 'rate_limit_exceeded' })
  })

  test('works as often after ten invitations of the operator', async () => {
    const ada = await newSharer()
    for (let index = 0; index < invitationsPerHour; index++)
      await inviteUserAgain({ db, clock, jobs: NO_QUEUE }, everyScope(ada.id, 'command'))
    expect(await useUpLinks(ada.email)).toEqual(Array(total).fill(303))
  })

  test('is refused for a client after ten a minute, whatever the addresses', async () => {
    const app = await buildTestApp()
    const browser = newBrowser({ app })
    const ask = () => browser.submit('/sign-in', '/sign-in', { email: newAddress() })
    for (let index = 0; index < LIMITS.signIn.requestsPerMinute; index++) expect((await ask()).status).toBe(303)
    const refused = await ask()
    expect([refused.status, refused.text.includes('Too many requests')]).toEqual([429, true])
  })
})

const { perNetwork, total } = LIMITS.signIn.mails
const { invitationsPerHour } = LIMITS.signIn
const newNetwork = () => `10.${Array.from(crypto.getRandomValues(new Uint8Array(2))).join('.')}.`
const newNetworkOfIpv6 = () => `2001:db8:${crypto.randomUUID().slice(0, 4)}:`

/** Asks for a link in a new browser, at some address of the network. No network asks so often that the server refuses it for that. */
async function askAs(email: string, network: string, from: Pick<Served, 'app'> = served) {
  const part = crypto.getRandomValues(new Uint8Array(1))[0]!
  const address = network.includes(':') ? `${network}${part.toString(16)}::1` : `${network}${part}`
  const browser = newBrowser(from, { address })
  return await browser.submit('/sign-in', '/sign-in', { email })
}

/** Asks from as many networks as it takes to use up the links of a mailbox. Returns the statuses of the answers. */
async function useUpLinks(email: string) {
  const statuses: number[] = []
  for (let count = 0; count < total / perNetwork; count++) {
    const network = newNetwork()
    for (let index = 0; index < perNetwork; index++) statuses.push((await askAs(email, network)).status)
  }
  return statuses
}

/** Other tests may share the database. */
async function countLinks(email: string) {
  const { rows } = await db.execute<{ count: string }>(sql`select count(*) from sign_in_links where email = ${email}`)
  return Number(rows[0]!.count)
}

describe('SIGN_UP', () => {
  test.each([
    ['closed', false],
    ['invited', false],
    ['open', true]
  ] as const)('%s: an address that nobody knows becomes a user: %s', async (signUp, becomes) => {
    const app = await buildTestApp({ signUp })
    const email = newAddress()
    const browser = newBrowser({ app })
    const link = await askFor(email, browser)
    const { status } = await browser.submit(link, link)
    expect([status, await isSignedIn(browser)]).toEqual([becomes ? 303 : 404, becomes])
    const { rows } = await db.execute(
      sql`select u.guest from user_emails e join users u on u.user_id = e.user_id where e.email = ${email}`
    )
    expect(rows).toEqual(becomes ? [{ guest: false }] : [])
  })
})

describe('a session', () => {
  test('ends at sign-out, on every server', async () => {
    const ada = await newSharer()
    const browser = newBrowser(served)
    await signInAs(browser, ada.email)
    const elsewhere = newBrowser({ app: await buildTestApp() })
    elsewhere.cookies.set('parlance-session', browser.cookies.get('parlance-session')!)
    expect(await isSignedIn(elsewhere)).toBe(true)
    const { status, to } = await browser.submit('/', '/sign-out')
    expect([status, to, browser.cookies.has('parlance-session')]).toEqual([303, '/sign-in', false])
    expect(await isSignedIn(elsewhere)).toBe(false)
  })

  test('of another browser stays at sign-out', async () => {
    const ada = await newSharer()
    const [first, second] = [newBrowser(served), newBrowser(served)]
    await signInAs(first, ada.email)
    await signInAs(second, ada.email)
    await first.submit('/', '/sign-out')
    expect([await isSignedIn(first), await isSignedIn(second)]).toEqual([false, true])
  })

  test('ends 30 days after its last use', async () => {
    const ada = await newSharer()
    const browser = newBrowser(served)
    await signInAs(browser, ada.email)
    const visit = async (ms: number) => {
      const later = newBrowser({ app: await buildTestApp({ clock: after(ms) }) })
      later.cookies.set('parlance-session', browser.cookies.get('parlance-session')!)
      return await isSignedIn(later)
    }
    expect(await visit(29 * DAY_MS)).toBe(true)
    expect(await visit(58 * DAY_MS)).toBe(true)
    expect(await visit(58 * DAY_MS + 30 * DAY_MS)).toBe(false)
  })

  test('ends with the user', async () => {
    const ada = await newSharer()
    const browser = newBrowser(served)
    await signInAs(browser, ada.email)
    const { deleteUser } = await import('../../../src/features/deletions/delete-user.ts')
    await deleteUser({ db, jobs: NO_QUEUE, clock }, everyScope(ada.id, 'command'))
    expect(await isSignedIn(browser)).toBe(false)
    const { rows } = await db.execute(sql`
      select 'link' from sign_in_links where email = ${ada.email}
      union all select 'session' from console_sessions where user_id = ${ada.id}`)
    expect(rows).toEqual([])
  })

  test.each(['', 'x', 'usr_x.y', `usr_01m7x0b5t2e9s8d4qj3mzk6cvw.${'A'.repeat(43)}`, '%00', 'é'])(
    'does not come from the cookie %j',
    async cookie => {
      const browser = newBrowser(served)
      browser.cookies.set('parlance-session', cookie)
      expect((await browser.get('/')).to).toBe('/sign-in')
    }
  )

  test('with the user of another: the secret of one is nothing under the id of another', async () => {
    const [ada, ben] = [await newSharer(), await newSharer()]
    const browser = newBrowser(served)
    await signInAs(browser, ada.email)
    const secret = browser.cookies.get('parlance-session')!.split('.')[1]!
    browser.cookies.set('parlance-session', `${ben.id}.${secret}`)
    expect(await isSignedIn(browser)).toBe(false)
  })

  test('is in a cookie for this host alone, which no script reads and no other site sends with a form', async () => {
    const ada = await newSharer()
    const app = await buildTestApp({ publicUrl: 'https://parlance.test' })
    const browser = newBrowser({ app })
    const asked = await browser.submit('/sign-in', '/sign-in', { email: ada.email })
    expect(asked.set.map(({ name }) => name)).toEqual(['__Host-parlance-asked', '__Host-parlance-next'])
    expect([...browser.cookies.keys()].sort()).toEqual([
      '__Host-parlance-asked',
      '__Host-parlance-browser',
      '__Host-parlance-next'
    ])
    const link = await mailedLink(ada.email, ada)
    const { set } = await browser.submit(link, link)
    const cookie = set.find(({ name }) => name === '__Host-parlance-session')
    expect(cookie).toMatchObject({ path: '/', httpOnly: true, secure: true, sameSite: 'Lax' })
    expect(cookie).not.toHaveProperty('domain')
  })
})

describe('a link of the operator', () => {
  const linkFor = async (userId: string) => {
    const services = await testServices()
    return await createSignInUrl(services, everyScope(userId, 'command'))
  }

  test('signs any browser in once, a user without an address too', async () => {
    const user = await newUser()
    const { url, expires_at } = await linkFor(user.id)
    expect(expires_at).toBe('2026-03-02T10:15:00.000Z')
    const [browser, other] = [newBrowser(served), newBrowser(served)]
    const link = new URL(url).pathname
    expect((await browser.submit(link, link)).to).toBe('/')
    expect(await isSignedIn(browser)).toBe(true)
    expect((await other.get(link)).status).toBe(404)
  })

  test('does not verify the address, because nobody has proved it', async () => {
    const user = await newSharer({ emailVerifiedAt: null })
    const link = new URL((await linkFor(user.id)).url).pathname
    await newBrowser(served).submit(link, link)
    const { rows } = await db.execute(sql`select email_verified_at from users where user_id = ${user.id}`)
    expect(rows).toEqual([{ email_verified_at: null }])
  })

  test('of another server key signs nobody in', async () => {
    const user = await newUser()
    const services = await testServices({ secretKey: `another ${SECRET_KEY}` })
    const { url } = await createSignInUrl(services, everyScope(user.id, 'command'))
    expect((await newBrowser(served).get(new URL(url).pathname)).status).toBe(404)
  })

  test('signs nobody in whose address has moved to another user', async () => {
    const [ada, ben] = [await newSharer(), await newSharer()]
    const browser = newBrowser(served)
    const link = await askFor(ada.email, browser)
    await updateUser(db, ada.id, { email: null, emailVerifiedAt: null })
    await updateUser(db, ben.id, { email: ada.email })
    await browser.submit(link, link)
    expect((await browser.get('/')).text).not.toContain(ada.id)
    expect(browser.cookies.get('parlance-session')).toMatch(ben.id)
  })
})

describe('a form', () => {
  const forms = ['/sign-in', '/sign-out', '/join/x', '/sign-in/x']

  test.each(forms)('to %s is refused without its token, and with that of another browser', async action => {
    const stranger = hiddenFields((await newBrowser(served).get('/sign-in')).body, '/sign-in')
    for (const fields of [{}, { _form: '' }, { _form: 'x'.repeat(43) }, { _form: 'x'.repeat(5_000) }, stranger]) {
      const { status, text } = await newBrowser(served).send(action, fields as Record<string, string>)
      expect([status, text.includes('This form has expired')]).toEqual([403, true])
    }
  })

  test.each<[string, Record<string, string>]>([
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['another host of the same site', { 'sec-fetch-site': 'same-site' }],
    ['another origin', { origin: 'https://evil.example' }],
    ['nowhere', { origin: 'null' }],
    ['an address with this name in it', { origin: 'http://parlance.test.evil.example' }]
  ])('from %s is refused, with its token too', async (_, headers) => {
    const ada = await newSharer()
    const browser = newBrowser(served)
    await signInAs(browser, ada.email)
    expect((await browser.submit('/', '/sign-out', {}, headers)).status).toBe(403)
    expect(await isSignedIn(browser)).toBe(true)
  })

  test('of this origin passes', async () => {
    const ada = await newSharer()
    const browser = newBrowser(served, { headers: { 'sec-fetch-site': 'same-origin', origin: PUBLIC_URL } })
    await signInAs(browser, ada.email)
    expect((await browser.submit('/', '/sign-out')).to).toBe('/sign-in')
  })

  test('of the session before is refused after another sign-in', async () => {
    const ada = await newSharer()
    const browser = newBrowser(served)
    await signInAs(browser, ada.email)
    const before = hiddenFields((await browser.get('/')).body, '/sign-out')
    await browser.submit('/', '/sign-out')
    await signInAs(browser, ada.email)
    expect((await browser.send('/sign-out', before)).status).toBe(403)
    expect(await isSignedIn(browser)).toBe(true)
  })

  test('is not read by the API', async () => {
    const { app } = served
    const reply = await app.inject({
      method: 'POST',
      url: '/v1/folders',
      headers: {
        authorization: `Bearer ${(await newUser()).token}`,
        'content-type': 'application/x-www-form-urlencoded'
      },
      payload: 'name=Work'
    })
    expect(reply.statusCode).toBe(415)
  })
})

describe('the rows of signing in', () => {
  test('are removed by retention when they have ended, and not before', async () => {
    const own = await ownServer()
    const { db } = own
    const ada = await newSharer({}, own)
    await signInAs(newBrowser(own), ada.email, own)
    await newBrowser(own).submit('/sign-in', '/sign-in', { email: ada.email })
    await mailedLink(ada.email, own)
    const signal = new AbortController().signal
    const rows = async () => {
      const { rows } = await db.execute<{ links: number; sessions: number }>(sql`
        select (select count(*)::int from sign_in_links where email = ${ada.email}) as links,
          (select count(*)::int from console_sessions where user_id = ${ada.id}) as sessions`)
      return rows[0]
    }
    await removeOldRows(db, after(DAY_MS).now(), signal, 'sign_in_links')
    await removeOldRows(db, after(30 * DAY_MS - 1).now(), signal, 'console_sessions')
    expect(await rows()).toEqual({ links: 2, sessions: 1 })
    await removeOldRows(db, after(DAY_MS + 1).now(), signal, 'sign_in_links')
    await removeOldRows(db, after(30 * DAY_MS).now(), signal, 'console_sessions')
    expect(await rows()).toEqual({ links: 0, sessions: 0 })
  })
})

describe('every page', () => {
  test('is refused for a user after 600 a minute, from any number of addresses', async () => {
    const ada = await newSharer()
    const app = await buildTestApp()
    const browser = newBrowser({ app })
    await signInAs(browser, ada.email, served)
    const load = async () => {
      const elsewhere = newBrowser({ app })
      elsewhere.cookies.set('parlance-session', browser.cookies.get('parlance-session')!)
      return await elsewhere.get('/join/sent')
    }
    for (let turn = 1; turn < LIMITS.pagesPerMinute; turn++) expect((await load()).status).toBe(200)
    const refused = [await load(), await load()].at(-1)!
    expect([refused.status, refused.text.includes('Too many requests')]).toEqual([429, true])
  })

  test.each(['/sign-in', '/sign-in/sent', '/sign-in/x', '/join/x', '/join/sent', '/nothing', '/docs/'])(
    '%s runs no script of another, stands in no frame, and leaves its address here',
    async url => {
      const { headers, body } = await newBrowser(served).get(url)
      const policy = String(headers['content-security-policy']).split('; ')
      expect(policy).toEqual(
        expect.arrayContaining([
          "default-src 'none'",
          "frame-ancestors 'none'",
          "base-uri 'none'",
          "form-action 'self'"
        ])
      )
      expect(policy.join()).not.toMatch(/unsafe|https?:|\*/)
      expect(headers).toMatchObject({ 'referrer-policy': 'same-origin', 'x-robots-tag': 'noindex, nofollow' })
      expect(body).not.toMatch(FOREIGN_SCRIPT)
      expect(body).not.toMatch(/<style| style=| on\w+=/)
    }
  )

  test('of a session with a cookie only is never cached', async () => {
    const ada = await newSharer()
    const browser = newBrowser(served)
    await signInAs(browser, ada.email)
    expect((await browser.get('/')).headers['cache-control']).toBe('private, no-store')
  })

  test('is for a cookie only: a token opens none, and a cookie no route of the API', async () => {
    const ada = await newSharer()
    const { app } = served
    const page = await app.inject({ url: '/', headers: { authorization: `Bearer ${ada.token}` } })
    expect(page.headers.location).toBe('/sign-in')
    const browser = newBrowser(served)
    await signInAs(browser, ada.email)
    expect((await browser.get('/v1/sessions')).status).toBe(401)
  })
})

import { describe, expect, test } from 'vitest'
import { LIMITS } from '../../../src/contract/limits.ts'
import { signInCode } from '../../../src/features/sign-in/sign-in-code.ts'
import { sendSignInMail } from '../../../src/features/sign-in/sign-in-mail.ts'
import { sql } from '../../../src/platform/db/drizzle.ts'
import { smtpMail } from '../../../src/platform/mail/smtp.ts'
import { type Browser, hiddenFields, mailedLink, newBrowser, signInAs } from '../../support/console.ts'
import { ownServer } from '../../support/own-server.ts'
import { buildTestApp, NOW, SECRET_KEY, testDatabase, testServer, testServices } from '../../support/server.ts'
import { inviteTo, newSharer } from '../../support/sharing.ts'
import { startSmtp } from '../../support/smtp.ts'

const PATH = '/sign-in/code'
const { tries, perDay, perNetwork, total } = LIMITS.signIn.codes
const MINUTE_MS = 60_000
const after = (ms: number) => ({ now: () => new Date(Date.parse(NOW) + ms) })

const { db } = await testDatabase()
type Queryable = Pick<typeof db, 'execute'>
const served = await testServer()

const newAddress = () => `${crypto.randomUUID()}@example.com`

async function newestLink(email: string, of: Queryable = db) {
  const { rows } = await of.execute<{ link_id: string }>(
    sql`select link_id from sign_in_links where email = ${email} order by link_id desc limit 1`
  )
  return rows[0]?.link_id ?? ''
}

/** Asks for a mail in the browser, and returns the code in it. */
async function askFor(email: string, browser: Browser, of?: Queryable) {
  await browser.submit('/sign-in', '/sign-in', { email })
  return signInCode(SECRET_KEY, await newestLink(email, of))
}

const enter = (browser: Browser, code: string) => browser.send(PATH, { _form: browser.formToken(PATH), code })
const isSignedIn = async (browser: Browser) => (await browser.get('/')).status === 200
/** Another code than that. */
const wrong = (code: string, by = 1) => String((Number(code) + by) % 1_000_000).padStart(6, '0')

describe('a code', () => {
  test('signs in the browser that asked for it, and leads to the page that asked for the sign-in', async () => {
    const ada = await newSharer()
    const browser = newBrowser(served)
    const { to } = await browser.get('/shared?cursor=x')
    const asked = await browser.submit(String(to), '/sign-in', { email: ada.email })
    const code = signInCode(SECRET_KEY, await newestLink(ada.email))
    const entered = await browser.submit(String(asked.to), PATH, { code })
    expect([entered.status, entered.to]).toEqual([303, '/shared?cursor=x'])
    expect(await isSignedIn(browser)).toBe(true)
    expect([...browser.cookies.keys()].sort()).toEqual(['parlance-known', 'parlance-session'])
  })

  test('is in the mail beside the link, and not in an invitation', async () => {
    const ada = await newSharer()
    const smtp = await startSmtp()
    const code = await askFor(ada.email, newBrowser(served))
    const mail = smtpMail(smtp.url, 'Parlance <parlance@example.com>')
    const services = { ...(await testServices()), mail, onFailure: () => {} }
    const attempt = { last: true, signal: new AbortController().signal }
    await sendSignInMail(services, { linkId: await newestLink(ada.email) }, attempt)
    await db.execute(sql`update sign_in_links set browser = null where email = ${ada.email}`)
    await sendSignInMail(services, { linkId: await newestLink(ada.email) }, attempt)
    mail.close()
    const [asked, invited] = smtp.received.map(({ mail: { text, html } }) => `${text} ${html}`)
    const shown = `${code.slice(0, 3)} ${code.slice(3)}`
    expect(asked?.split(shown)).toHaveLength(3)
    expect(asked).toContain(await mailedLink(ada.email, { db }))
    expect(invited).not.toContain(shown)
  })

  test.each(['123 456', ' 123456', '123-456'])('may be typed as %j', async typed => {
    const browser = newBrowser(served)
    await askFor((await newSharer()).email, browser)
    const { status, text } = await enter(browser, typed)
    expect([status, text.includes('You have 4 more tries')]).toEqual([400, true])
  })

  test.each(['', '12345', '1234567', 'abcdef', '１２３４５６'])('is not %j, which spends no try', async typed => {
    const ada = await newSharer()
    const browser = newBrowser(served)
    const code = await askFor(ada.email, browser)
    for (let index = 0; index < tries; index++) {
      const { status, text } = await enter(browser, typed)
      expect([status, text.includes('A code has six digits')]).toEqual([400, true])
    }
    expect((await enter(browser, code)).status).toBe(303)
  })

  test('has five tries, the right code included', async () => {
    const ada = await newSharer()
    const browser = newBrowser(served)
    const code = await askFor(ada.email, browser)
    for (let left = tries - 1; left > 0; left--) {
      const { status, text } = await enter(browser, wrong(code, left))
      expect([status, text.includes(`You have ${left} more`)]).toEqual([400, true])
    }
    expect((await enter(browser, code)).status).toBe(303)
  })

  test('ends after five wrong ones, and the next mail has another', async () => {
    const ada = await newSharer()
    const browser = newBrowser(served)
    const code = await askFor(ada.email, browser)
    for (let index = 1; index <= tries; index++) await enter(browser, wrong(code, index))
    const { status, text } = await enter(browser, code)
    expect([status, text.includes('This code does not work any more')]).toEqual([404, true])
    expect(await isSignedIn(browser)).toBe(false)
    expect((await enter(browser, await askFor(ada.email, browser))).status).toBe(303)
  })

  test('that is used up leaves its link as it is', async () => {
    const ada = await newSharer()
    const browser = newBrowser(served)
    const code = await askFor(ada.email, browser)
    for (let index = 1; index <= tries; index++) await enter(browser, wrong(code, index))
    const link = await mailedLink(ada.email, { db })
    expect((await browser.submit(link, link)).status).toBe(303)
  })

  test('works once, and neither does its link afterwards, nor it after its link', async () => {
    const ada = await newSharer()
    for (const first of ['code', 'link']) {
      const browser = newBrowser(served)
      const code = await askFor(ada.email, browser)
      const link = await mailedLink(ada.email, { db })
      const again = newBrowser(served)
      const fields = hiddenFields((await browser.get(link)).body, link)
      for (const [name, value] of browser.cookies) again.cookies.set(name, value)
      if (first === 'code') await enter(browser, code)
      else await browser.send(link, fields)
      expect(await isSignedIn(browser)).toBe(true)
      expect((await enter(again, code)).status).toBe(404)
      expect((await again.send(link, fields)).status).toBe(404)
      expect(await isSignedIn(again)).toBe(false)
    }
  })

  test('works for a quarter of an hour', async () => {
    const ada = await newSharer()
    for (const [ms, status] of [
      [15 * MINUTE_MS - 1, 303],
      [15 * MINUTE_MS, 404]
    ] as const) {
      const browser = newBrowser(served)
      const code = await askFor(ada.email, browser)
      const later = newBrowser({ app: await buildTestApp({ clock: after(ms) }) })
      for (const [name, value] of browser.cookies) later.cookies.set(name, value)
      expect((await enter(later, code)).status).toBe(status)
    }
  })

  test('works in no other browser, not even with the cookie that names its link', async () => {
    const ada = await newSharer()
    const browser = newBrowser(served)
    const code = await askFor(ada.email, browser)
    const thief = newBrowser(served)
    await thief.get('/sign-in')
    expect((await enter(thief, code)).status).toBe(404)
    thief.cookies.set('parlance-asked', String(browser.cookies.get('parlance-asked')))
    expect((await enter(thief, code)).status).toBe(404)
    expect((await enter(browser, code)).status).toBe(303)
  })

  test('is that of the newest mail of the browser, for the address that asked', async () => {
    const [ada, bob] = [await newSharer(), await newSharer()]
    const browser = newBrowser(served)
    const first = await askFor(ada.email, browser)
    const second = await askFor(bob.email, browser)
    expect((await enter(browser, first)).status).toBe(first === second ? 303 : 400)
    expect((await enter(browser, second)).status).toBe(303)
    expect((await browser.get('/settings')).text).toContain(bob.email)
  })

  test('of an address that may not sign in is as wrong as any other', async () => {
    const email = newAddress()
    const browser = newBrowser(served)
    const code = await askFor(email, browser)
    for (let index = 1; index < tries; index++) expect((await enter(browser, code)).status).toBe(400)
    expect((await enter(browser, code)).status).toBe(404)
  })

  test('signs in where the invite of a session had a mail sent', async () => {
    const [owner, bob] = [await newSharer(), await newSharer()]
    const invite = new URL(await inviteTo(owner, await owner.session(), bob.email)).pathname
    const browser = newBrowser(served)
    const { to } = await browser.submit(invite, invite)
    const code = signInCode(SECRET_KEY, await newestLink(bob.email))
    expect((await browser.submit(String(to), PATH, { code })).to).toBe(invite)
  })

  test('is refused without the token of its form, and after ten a minute from one client', async () => {
    const browser = newBrowser({ app: await buildTestApp() })
    const code = await askFor((await newSharer()).email, browser)
    expect((await browser.send(PATH, { code })).status).toBe(403)
    for (let index = 0; index < LIMITS.signIn.requestsPerMinute; index++) await enter(browser, 'x')
    expect((await enter(browser, code)).status).toBe(429)
  })
})

describe('guessing a code', () => {
  test('at once has as many tries as in turn', async () => {
    const ada = await newSharer()
    const browser = newBrowser(served)
    const code = await askFor(ada.email, browser)
    const answers = await Promise.all(Array.from({ length: 10 }, (_, index) => enter(browser, wrong(code, index + 1))))
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(tries - 1)
    const { rows } = await db.execute(sql`select code_tries from sign_in_links where email = ${ada.email}`)
    expect(rows).toEqual([{ code_tries: tries }])
    expect((await enter(browser, code)).status).not.toBe(303)
  })

  test('the right one at once signs in once', async () => {
    const ada = await newSharer()
    const browser = newBrowser(served)
    const code = await askFor(ada.email, browser)
    const answers = await Promise.all([1, 2, 3, 4].map(() => enter(browser, code)))
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 404, 404, 404])
  })

  test('of an address ends for a day after twenty wrong ones in all browsers, but not in one that has signed in before', async () => {
    const ada = await newSharer()
    const own = newBrowser(served)
    await signInAs(own, ada.email)
    await own.submit('/settings', '/sign-out')
    for (let mails = 0; mails < perDay / tries; mails++) {
      const stranger = newBrowser({ app: await buildTestApp() })
      const code = await askFor(ada.email, stranger)
      for (let index = 1; index <= tries; index++) await enter(stranger, wrong(code, index))
    }
    const another = newBrowser(served)
    const code = await askFor(ada.email, another)
    const { status, text } = await enter(another, code)
    expect([status, text.includes('Use the link in the mail')]).toEqual([429, true])
    const link = await mailedLink(ada.email, { db })
    expect((await another.submit(link, link)).status).toBe(303)
    expect((await enter(own, await askFor(ada.email, own))).status).toBe(303)
    const nextDay = after(25 * 60 * MINUTE_MS)
    const later = newBrowser({ app: await buildTestApp({ clock: nextDay }) })
    expect((await enter(later, await askFor(ada.email, later))).status).toBe(303)
  })

  test('ends for a network that has entered a hundred wrong ones for any addresses, and not for others', async () => {
    const [address, other] = ['198.51.100.7', '203.0.113.7']
    for (let guessed = 0; guessed < perNetwork; guessed += tries) {
      const browser = newBrowser(served, { address: address.replace(/\d+$/, String(guessed)) })
      const code = await askFor((await newSharer()).email, browser)
      for (let index = 1; index <= tries; index++) await enter(browser, wrong(code, index))
    }
    const ada = await newSharer()
    const statusFrom = async (from: string) => {
      const browser = newBrowser(served, { address: from })
      return (await enter(browser, await askFor(ada.email, browser))).status
    }
    expect([await statusFrom(address), await statusFrom(other)]).toEqual([429, 303])
  })

  test('ends for all but known browsers after a thousand wrong ones for users, whatever the network', async () => {
    const { app, db } = await ownServer()
    const own = newBrowser({ app })
    const ada = await newSharer(undefined, { app, db })
    await signInAs(own, ada.email, { app, db })
    await own.submit('/settings', '/sign-out')
    const guess = async (email: string, count: number) =>
      await db.execute(sql`
        insert into sign_in_links (link_id, email, browser, sender, created_at, expires_at, code_tries)
        select 'sil_' || left(md5(${email}::text || n), 26), ${email}::text, 'x'::bytea, 'y'::bytea, ${NOW}::timestamptz, ${NOW}::timestamptz,
          ${tries}::int from generate_series(1, ${count}::int) n`)
    await guess('nobody@example.com', total / tries)
    const statusOf = async (browser: Browser) => (await enter(browser, await askFor(ada.email, browser, db))).status
    expect(await statusOf(newBrowser({ app }))).toBe(303)
    const { email } = await newSharer(undefined, { app, db })
    await guess(email, total / tries)
    expect([await statusOf(newBrowser({ app })), await statusOf(own)]).toEqual([429, 303])
  })

  test('finds nothing in the database that signs in', async () => {
    const ada = await newSharer()
    const code = await askFor(ada.email, newBrowser(served))
    const { rows } = await db.execute<{ text: string }>(
      sql`select row_to_json(l)::text as text from sign_in_links l where email = ${ada.email}`
    )
    expect(rows[0]?.text).not.toContain(`"${code}"`)
  })
})

import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser, launchBrowser } from '../support/browser.ts'
import { commandJson } from '../support/command.ts'
import { fileIn, freePort, migratedDatabase, serve, until } from '../support/process.ts'
import { type Received, startSmtp } from '../support/smtp.ts'

describe.runIf(hasBrowser)('a server with a mail server, and browsers', () => {
  let browser: Browser

  beforeAll(async () => {
    browser = await launchBrowser()
  })
  afterAll(() => browser?.close())

  test('share, mail, read in a browser that never had an account, sign in, revoke, gone', {
    timeout: 240_000
  }, async () => {
    const smtp = await startSmtp()
    const place = await migratedDatabase()
    const PORT = String(await freePort())
    const url = `http://127.0.0.1:${PORT}`
    const settings = { PORT, PUBLIC_URL: url, SMTP_URL: smtp.url, MAIL_FROM: 'Parlance <parlance@example.com>' }
    const served = { ...place, environment: { ...place.environment, ...settings } }
    await serve(served)
    await commandJson(served, 'user', 'create', '--email', 'ada@example.com', '--name', 'Ada Lovelace', '--verified')
    const [{ token }] = (await commandJson(
      served,
      'token',
      'create',
      '--user',
      'ada@example.com',
      '--name',
      'test',
      '--scopes',
      'all'
    )) as [{ token: string }]
    const document = {
      title: 'Spring order',
      segments: [{ speaker: 'Ada', start: 0, end: 4, text: 'We order the blue ones.' }]
    }
    const file = fileIn(place.dataDir, 'spring.json', JSON.stringify(document))
    await commandJson(served, 'import', '--user', 'ada@example.com', '--wait', file)
    const id = (await ask('GET', '/v1/sessions')).sessions[0]!.id

    const owner = await newPage()
    const [{ url: operatorLink }] = (await commandJson(
      served,
      'user',
      'sign-in-link',
      '--user',
      'ada@example.com'
    )) as [{ url: string }]
    await owner.goto(operatorLink)
    await owner.getByRole('button', { name: 'Sign in' }).click()
    await owner.getByRole('link', { name: /Spring order/ }).waitFor()

    await ask('POST', `/v1/sessions/${id}/sharing/invites`, { emails: ['cleo@example.com'] })
    const invite = await mailTo('cleo@example.com', 1)
    expect(invite.mail.subject).toBe('Ada Lovelace shares a conversation with you')
    const guest = await newPage()
    await guest.goto(linkIn(invite))
    await guest.getByRole('heading', { name: 'Ada Lovelace shares a conversation with you' }).waitFor()
    await guest.getByRole('button', { name: 'Open it' }).click()
    await guest.getByText('We order the blue ones.', { exact: true }).waitFor()
    const address = guest.url()

    const second = await newPage()
    await second.goto(linkIn(invite))
    await second.getByRole('heading', { name: 'This link does not open anything now' }).waitFor()
    await second.goto(address)
    await second.getByLabel('E-mail address').fill('cleo@example.com')
    await second.getByRole('button', { name: 'Send the link' }).click()
    await second.getByRole('heading', { name: 'Look into your mailbox' }).waitFor()
    const signIn = await mailTo('cleo@example.com', 2)
    await (await newPage()).goto(linkIn(signIn))
    await second.goto(linkIn(signIn))
    await second.getByRole('button', { name: 'Sign in' }).click()
    await second.getByText('We order the blue ones.', { exact: true }).waitFor()
    expect(second.url()).toBe(address)

    const { people } = await ask('GET', `/v1/sessions/${id}/sharing`)
    await ask('DELETE', `/v1/sessions/${id}/sharing/people/${people[0]!.id}`)
    expect((await second.goto(address))?.status()).toBe(404)
    await second.getByRole('heading', { name: 'There is nothing here' }).waitFor()
    await second.getByRole('button', { name: 'Sign out' }).click()
    await second.getByRole('heading', { name: 'Sign in' }).waitFor()

    async function ask(method: string, path: string, body?: object) {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      const reply = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
      expect(reply.status).toBe(200)
      return (await reply.json()) as Record<'people' | 'sessions', { id: string }[]>
    }

    function mailTo(address: string, count: number) {
      const received = () => smtp.received.filter(({ envelope }) => envelope.to.includes(address))
      return until(`mail ${count} to ${address}`, () => received()[count - 1])
    }
  })

  /** A page of a browser that has no cookies yet, and runs no scripts. */
  async function newPage(): Promise<Page> {
    const context: BrowserContext = await browser.newContext({ javaScriptEnabled: false })
    return await context.newPage()
  }
})

function linkIn({ mail }: Received) {
  return /https?:\/\/\S+/.exec(String(mail.text))![0]
}

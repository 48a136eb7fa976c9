import { expect } from 'vitest'
import { linkSecret } from '../../src/features/sign-in/sign-in-link.ts'
import { openFormTokens } from '../../src/interfaces/console/cookies.ts'
import { sql } from '../../src/platform/db/drizzle.ts'
import { PUBLIC_URL, SECRET_KEY, type Served, testServer } from './server.ts'
import { newSharer } from './sharing.ts'

type Headers = Record<string, string>

export type Browser = ReturnType<typeof newBrowser>

const FORM_TOKENS = openFormTokens(SECRET_KEY)

/** A client address of its own, because requests for links are counted by it. */
function newAddress() {
  return `10.${Array.from(crypto.getRandomValues(new Uint8Array(3))).join('.')}`
}

/** A browser without scripts: it keeps cookies, and fills in and posts the forms of pages. */
export function newBrowser(
  { app }: Pick<Served, 'app'>,
  { headers = {}, address = newAddress() }: { headers?: Headers; address?: string } = {}
) {
  const cookies = new Map<string, string>()

  async function ask(
    method: 'GET' | 'HEAD' | 'POST' | 'PATCH' | 'DELETE',
    url: string,
    payload?: string | Buffer,
    more: Headers = {}
  ) {
    const reply = await app.inject({
      method,
      url: url.replace(PUBLIC_URL, ''),
      remoteAddress: address,
      headers: {
        accept: 'text/html',
        host: new URL(PUBLIC_URL).host,
        ...(cookies.size > 0 && { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') }),
        ...(payload !== undefined && {
          'content-type': 'application/x-www-form-urlencoded'
        }),
        ...headers,
        ...more
      },
      ...(payload !== undefined && { payload })
    })
    for (const { name, value, maxAge } of reply.cookies) {
      if (value === '' || maxAge === 0) cookies.delete(name)
      else cookies.set(name, value)
    }
    return {
      status: reply.statusCode,
      body: reply.body,
      text: words(reply.body),
      to: reply.headers.location,
      headers: reply.headers,
      set: reply.cookies
    }
  }

  const get = (url: string, more?: Headers) => ask('GET', url, undefined, more)

  return {
    cookies,
    get,
    head: (url: string, more?: Headers) => ask('HEAD', url, undefined, more),
    /** Sends what a script of a page sends. */
    call: (method: 'HEAD' | 'POST' | 'PATCH' | 'DELETE', url: string, more: Headers, payload?: Buffer) =>
      ask(method, url, payload, more),
    /** The token that a page of this browser has in its form to that action, for a form that no page of the browser shows. */
    formToken(action: string) {
      const owner = cookies.get('parlance-session') ?? cookies.get('parlance-browser') ?? 'nobody'
      return FORM_TOKENS.create(owner, action)
    },
    /** Posts a form with these fields, whatever any page says. */
    send: (url: string, fields: Headers = {}, more?: Headers) =>
      ask('POST', url, String(new URLSearchParams(fields)), more),
    /** Loads a page and posts its form to that action, with the hidden fields that it has. */
    async submit(page: string, action: string, fields: Headers = {}, more?: Headers) {
      const { body } = await get(page)
      return await ask('POST', action, String(new URLSearchParams({ ...hiddenFields(body, action), ...fields })), more)
    }
  }
}

/** The hidden fields of the form with that action. */
export function hiddenFields(body: string, action: string) {
  const form = [...body.matchAll(/<form [^>]*action="([^"]*)"[^>]*>([\s\S]*?)<\/form>/g)].find(
    ([, to]) => to === action.replace(PUBLIC_URL, '')
  )
  expect(form, `a form to ${action}`).toBeDefined()
  const hidden = [...form![2]!.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)]
  return Object.fromEntries(hidden.map(([, name, value]) => [name, value!.replaceAll('&amp;', '&')]))
}

/** A page without the tokens of its forms, which are others in each answer. */
export function withoutTokens(html: string) {
  return html.replaceAll(/(name="_form" value=")[^"]+/g, '$1')
}

/** A script that is not one of the console's own files: `<script>` with any other attribute, address or content. */
export const FOREIGN_SCRIPT =
  /<script(?! src="\/assets\/(?:guide|session|upload|queue|transfer|progress|find|correct|keys|tick)\.js" type="module"><\/script>)/i

/** The text that people read on a page. */
export function words(html: string) {
  return html
    .replace(/<(style|title)[\s\S]*?<\/\1>/g, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')
}

/** The path of the newest link that was asked for with an address. Its mail has the same one. */
export async function mailedLink(email: string, { db }: Pick<Served, 'db'>) {
  const { rows } = await db.execute<{ link_id: string }>(
    sql`select link_id from sign_in_links where email = ${email} order by link_id desc limit 1`
  )
  return `/sign-in/${linkSecret(SECRET_KEY, rows[0]!.link_id)}`
}

/** Signs a browser in with the address, and returns the answer to its last click. */
export async function signInAs(browser: Browser, email: string, served?: Served) {
  await browser.submit('/sign-in', '/sign-in', { email })
  const link = await mailedLink(email, served ?? (await testServer()))
  return await browser.submit(link, link)
}

/** A user of the test server whose browser is signed in. */
export async function signedIn() {
  const user = await newSharer()
  const browser = newBrowser(await testServer())
  await signInAs(browser, user.email)
  return { user, browser }
}

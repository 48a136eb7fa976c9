import { beforeAll, describe, expect, test } from 'vitest'
import { served } from '../../matrix/ask.ts'
import { PAGES, type PageRow, tokenPath, VISITORS, type Visitor } from '../../matrix/pages.ts'
import { openWorld, type World } from '../../matrix/world.ts'
import { type Browser, newBrowser, signInAs } from '../../support/console.ts'
import { inviteTo, newSharer } from '../../support/sharing.ts'

let world: World
let emails: Record<Exclude<Visitor, 'nobody' | 'guest'>, string>

beforeAll(async () => {
  world = await openWorld()
  const { owner, recipient, revoked } = world
  const stranger = await newSharer()
  const operator = await newSharer({ operator: true })
  emails = {
    owner: owner.email,
    recipient: recipient.email,
    revoked: revoked.email,
    stranger: stranger.email,
    operator: operator.email
  }
})

async function openBrowser(visitor: Visitor): Promise<Browser> {
  const browser = newBrowser(served)
  if (visitor === 'nobody') return browser
  if (visitor !== 'guest') {
    await signInAs(browser, emails[visitor])
    return browser
  }
  const owner = await newSharer()
  const invite = await inviteTo(owner, await owner.session(), `${crypto.randomUUID()}@example.com`)
  const page = new URL(invite).pathname
  await browser.submit(page, page)
  return browser
}

/** Sends the request of a row, a form with its token. */
async function ask(browser: Browser, name: string, { at, fields, headers }: PageRow) {
  const [method = '', path = ''] = name.split(' ')
  const url = at?.(world.ids) ?? path
  if (method === 'GET') return await browser.get(url)
  // A browser that is not signed in gets its cookie with its first form.
  if (browser.cookies.size === 0) await browser.get('/sign-in')
  const token = browser.formToken(tokenPath(url))
  if (headers) return await browser.call(method as 'HEAD', url, { 'x-form-token': token, ...headers })
  return await browser.send(url, { _form: token, email: 'somebody@example.com', ...fields?.(world.ids) })
}

const shownIn = ({ status, to }: Awaited<ReturnType<typeof ask>>) => {
  if (status === 303)
    return `to ${String(to)
      .replace(world.ids.session, '{session}')
      .replace(/[?#].*/, '')}`
  return status === 200 ? 'page' : String(status)
}

// Signing out is the last row.
describe.each(VISITORS)('a browser of %s', visitor => {
  let browser: Browser
  beforeAll(async () => {
    browser = await openBrowser(visitor)
  })

  test.each(Object.entries(PAGES))('%s', async (name, row) => {
    const answer = await ask(browser, name, row)
    const expected = row[visitor] ?? row.stranger
    expect(shownIn(answer)).toBe(expected)
    const found = (row.secret ?? []).filter(secret => answer.body.includes(secret))
    expect(found).toEqual(['page', '409'].includes(expected) ? (row.secret ?? []) : [])
  })
})

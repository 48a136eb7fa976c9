import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser, launchBrowser } from '../support/browser.ts'
import { record } from '../support/recordings.ts'
import { acceptSession, buildTestApp } from '../support/server.ts'
import { fillSettings } from '../support/settings.ts'
import { claim, inviteTo, linkTo, newSharer } from '../support/sharing.ts'
import { signInPage } from '../support/signed-in.ts'
import { silence } from '../support/sound.ts'

interface Violation {
  id: string
  nodes: { html: string }[]
}

/** What the pages show. */
async function openLibrary() {
  const [user, owner] = [await newSharer({ name: 'Ada Lovelace', operator: true }), await newSharer({ name: 'Ben' })]
  const session = await user.session({
    title: 'Weekly review',
    timestamp: '2026-03-01T09:00:00Z',
    summary: '# Review\n\n- one\n- two',
    tags: ['sales'],
    folders: ['Clients'],
    action_items: [
      { text: 'Send the offer', assignee: 'Ben', source_start: 4 },
      { text: 'Call', completed: true }
    ]
  })
  await record(user, session, 'audio', silence(10))
  await inviteTo(user, session, 'cleo@example.com')
  const [failed, waiting, trashed] = [await user.session(), await acceptSession(user.id), await user.session()]
  await user.db.execute(
    `update sessions set state = 'failed', failure = 'The call failed' where session_id = '${failed}'`
  )
  await user.delete(`/v1/sessions/${trashed}?permanently=false`)
  const shared = await owner.session({ summary: 'Shared', action_items: [{ text: 'Send' }] })
  await claim(user, await linkTo(owner, shared))
  return { user, owner, session, failed, waiting, trashed, shared, ...(await fillSettings(user)) }
}

type Library = Awaited<ReturnType<typeof openLibrary>>

/** Every page, by its address: a new one takes a line here. */
const SIGNED_IN: ((library: Library) => string)[] = [
  () => '/',
  () => '/overview',
  () => '/?tag=sales',
  () => '/?status=failed&type=phone',
  () => '/search',
  () => '/search?q=weekly+review',
  () => '/search?q=zzz',
  ({ session }) => `/s/${session}`,
  ({ session }) => `/s/${session}?open=about`,
  ({ session }) => `/s/${session}?open=speakers`,
  ({ session }) => `/s/${session}?open=sharing`,
  ({ session }) => `/s/${session}#t=4`,
  ({ session }) => `/s/${session}/delete`,
  ({ failed }) => `/s/${failed}`,
  ({ waiting }) => `/s/${waiting}`,
  ({ trashed }) => `/s/${trashed}`,
  () => '/upload',
  () => '/settings/tokens',
  () => '/settings/webhooks',
  () => '/settings',
  ({ webhook }) => `/settings/webhooks/${webhook}`,
  ({ webhook }) => `/settings/webhooks/${webhook}/change`,
  ({ delivery }) => `/settings/webhooks/${delivery}`,
  () => '/action-items?status=all',
  () => '/folders',
  () => '/people',
  ({ person }) => `/people?merge=${person}`,
  () => '/operator/users?search=ada',
  ({ owner }) => `/operator/users/${owner.id}`,
  () => '/operator/failed',
  () => '/shared',
  ({ owner, shared }) => `/shared/${owner.id}/${shared}`,
  () => '/nothing'
]
const SIGNED_OUT = ['/sign-in', '/sign-in/sent', '/sign-in/x', '/join/x']

describe.runIf(hasBrowser)('no page has a violation that axe finds', () => {
  let browser: Browser
  let app: Awaited<ReturnType<typeof buildTestApp>>
  let origin: string
  let axe: string
  let library: Library

  beforeAll(async () => {
    app = await buildTestApp()
    origin = await app.listen({ host: '127.0.0.1', port: 0 })
    browser = await launchBrowser()
    axe = await readFile(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')
    library = await openLibrary()
  })

  afterAll(async () => {
    await browser?.close()
    await app?.close()
  })

  test.each((['light', 'dark'] as const).flatMap(colorScheme => [390, 1280].map(width => ({ colorScheme, width }))))(
    'in $colorScheme at $width pixels',
    { timeout: 180_000 },
    async ({ colorScheme, width }) => {
      const context = await browser.newContext({ colorScheme, viewport: { width, height: 844 } })
      const page = await context.newPage()
      const found: Record<string, string[]> = {}
      const check = async (address: string) => {
        await page.goto(origin + address)
        await page.evaluate(axe)
        const { violations } = await page.evaluate<{ violations: Violation[] }>('axe.run()')
        const texts = violations.map(({ id, nodes }) =>
          `${id}: ${nodes.map(({ html }) => html).join(' ')}`.slice(0, 500)
        )
        if (texts.length > 0) found[address] = texts
      }
      for (const address of SIGNED_OUT) await check(address)
      await signInPage(page, origin, library.user.email)
      for (const address of SIGNED_IN) await check(address(library))
      expect(found).toEqual({})
      await context.close()
    }
  )
})

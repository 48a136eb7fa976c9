// @module-tag embedded
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser, launchBrowser, takePicture } from '../support/browser.ts'
import { mailedLink } from '../support/console.ts'
import { record } from '../support/recordings.ts'
import { buildTestApp, testDatabase } from '../support/server.ts'
import { fillSettings } from '../support/settings.ts'
import { claim, inviteTo, linkTo, newSharer } from '../support/sharing.ts'

const looks = [320, 390, 1280].flatMap(width =>
  (['light', 'dark'] as const).map(colorScheme => ({ width, colorScheme }))
)

const SPOKEN = [
  {
    speaker: 'Ada Lovelace',
    start: 0,
    end: 6,
    text: 'Welcome to the weekly review. We have three things to talk about.'
  },
  { speaker: 'Ada Lovelace', start: 6, end: 12, text: 'First the offer for the spring order, then the battery.' },
  { speaker: 'Ben', start: 12, end: 20, text: "I'll send the offer on Friday, and copy you in." },
  { speaker: 'Ada Lovelace', start: 3_725, end: 3_730, text: 'Then that is settled. Thank you all.' }
]

const SUMMARY = `# Weekly review

The team agreed on the **spring order**.

- Ben sends the offer on Friday
- The battery waits for a new part

<script>alert(1)</script> [a link](javascript:alert(1))`

describe.runIf(hasBrowser)('the console in a browser', () => {
  let browser: Browser
  let app: Awaited<ReturnType<typeof buildTestApp>>
  let origin: string
  let user: Awaited<ReturnType<typeof newSharer>>
  let addresses: Record<string, string>

  beforeAll(async () => {
    app = await buildTestApp()
    origin = await app.listen({ host: '127.0.0.1', port: 0 })
    browser = await launchBrowser()
    const [owner, unbroken] = [await newSharer({ name: 'Ada Lovelace' }), await newSharer({ name: 'Å'.repeat(100) })]
    user = await newSharer({ name: 'Ben Bitdiddle', operator: true })
    const document = {
      title: 'Weekly review with the client about the spring order',
      segments: SPOKEN,
      summary: SUMMARY
    }
    const session = await owner.session({
      ...document,
      action_items: [
        { text: 'Send the offer', assignee: 'Ben', due_date: '2026-03-06' },
        { text: 'Order the part', completed: true }
      ]
    })
    await record(owner, session, 'audio', Buffer.from('RECORDED'))
    const long = await unbroken.session({ title: 'x'.repeat(500), summary: 'y'.repeat(300) })
    await claim(user, await linkTo(owner, session))
    await claim(user, await linkTo(unbroken, long))
    await user.session({ title: 'Call with the supplier', timestamp: '2026-03-01T09:00:00Z' })
    await user.session({ title: 'z'.repeat(500) })
    await user.session({ title: 'شركة المثال: مراجعة الربيع' })
    const { webhook, delivery, person } = await fillSettings(user)
    addresses = {
      sessions: '/',
      overview: '/overview',
      shared: '/shared',
      session: `/shared/${owner.id}/${session}`,
      long: `/shared/${unbroken.id}/${long}`,
      link: new URL(await linkTo(owner, session)).pathname,
      invite: new URL(await inviteTo(owner, session, 'cleo@example.com')).pathname,
      gone: '/join/x',
      nothing: '/shared/usr_x/ses_y',
      'sign-in': '/sign-in',
      sent: '/sign-in/sent',
      used: '/sign-in/x',
      items: '/action-items?status=all',
      folders: '/folders',
      people: '/people',
      merging: `/people?merge=${person}`,
      profile: '/settings',
      tokens: '/settings/tokens',
      webhooks: '/settings/webhooks',
      webhook: `/settings/webhooks/${webhook}`,
      'webhook-change': `/settings/webhooks/${webhook}/change`,
      delivery: `/settings/webhooks/${delivery}`,
      'operator-users': '/operator/users',
      'operator-user': `/operator/users/${unbroken.id}`,
      unknown: '/nothing'
    }
  })

  afterAll(async () => {
    await browser?.close()
    await app?.close()
  })

  async function signIn(page: Page) {
    await page.goto(`${origin}/sign-in`)
    await page.getByLabel('E-mail address').fill(user.email)
    await page.getByRole('button', { name: 'Send the link' }).click()
    await page.goto(origin + (await mailedLink(user.email, await testDatabase())))
    await takePicture(page, `confirm-${page.viewportSize()?.width}`)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Sessions' }).waitFor()
  }

  test.each(looks)(
    'fits $width pixels, is readable in $colorScheme, and asks nothing of another origin',
    async ({ width, colorScheme }) => {
      for (const signedIn of [false, true]) {
        const context = await browser.newContext({
          viewport: { width, height: 844 },
          colorScheme,
          javaScriptEnabled: false
        })
        const page = await context.newPage()
        const problems = watch(page)
        if (signedIn) await signIn(page)
        problems.splice(0)
        for (const [name, address] of Object.entries(addresses)) {
          const status = (await page.goto(origin + address))?.status()
          await takePicture(page, `${name}-${signedIn ? 'in' : 'out'}-${width}-${colorScheme}`, { fullPage: true })
          // The browser itself reports a page that answers 404.
          const unexpected = problems.splice(0).filter(text => !(status === 404 && text.includes('404')))
          const { overflow, contrasts } = await page.evaluate<Measured>(MEASURE)
          expect({ name, unexpected, overflow, poor: contrasts.filter(({ ratio }) => ratio < 4.5) }).toEqual({
            name,
            unexpected: [],
            overflow: 0,
            poor: []
          })
          expect([await page.getByRole('heading', { level: 1 }).count(), await page.getByRole('main').count()]).toEqual(
            [1, 1]
          )
        }
        await context.close()
      }
    }
  )

  /** Collects what the page asks of other origins, and the errors that it reports. */
  function watch(page: Page) {
    const problems: string[] = []
    page.on('request', request => {
      if (!request.url().startsWith(`${origin}/`) && !request.url().startsWith('data:')) problems.push(request.url())
    })
    page.on('console', message => message.type() === 'error' && problems.push(message.text()))
    return problems
  }
})

/** Runs in the page, so it is text here: how far it is too wide, and how each text stands out from what is behind it. */
const MEASURE = `(() => {
  const channels = color => (color.match(/[0-9.]+/g) ?? []).map(Number)
  const linear = value => (value <= 10.3 ? value / 3294.6 : ((value / 255 + 0.055) / 1.055) ** 2.4)
  const luminance = color => {
    const [red, green, blue] = channels(color).map(linear)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
  }
  const behind = element => {
    if (!element) return 'rgb(255, 255, 255)'
    const color = getComputedStyle(element).backgroundColor
    return channels(color)[3] === 0 ? behind(element.parentElement) : color
  }
  return {
    overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    contrasts: [...document.querySelectorAll('h1, h2, h3, p, li, dt, dd, time, code, a, button, label, span, strong, bdi')].map(element => {
      const [a, b] = [luminance(getComputedStyle(element).color), luminance(behind(element))]
      return { text: element.textContent.slice(0, 20), ratio: (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) }
    })
  }
})()`

interface Measured {
  overflow: number
  contrasts: { text: string; ratio: number }[]
}

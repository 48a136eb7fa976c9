// @module-tag embedded
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openProvider } from '../../src/features/sign-in/oidc/provider.ts'
import { type Library, openLibrary, VIEWS, type Visit, visitsOf } from '../matrix/views.ts'
import { hasBrowser, launchBrowser, takePicture } from '../support/browser.ts'
import { afterFile } from '../support/folders.ts'
import { CLIENT } from '../support/oidc.ts'
import { freePort } from '../support/ports.ts'
import { buildTestApp, clock, NO_QUEUE, PUBLIC_URL } from '../support/server.ts'
import { signInOnce } from '../support/signed-in.ts'

const VISITORS = ['in', 'out'] as const
const SCHEMES = ['light', 'dark'] as const
/** A desktop, the same at 200 % zoom, a phone, and the narrowest screen. */
const WIDTHS = [1280, 640, 390, 320]
/** Names, roles and contrast: each of two layouts in one scheme. Contrast is measured in both schemes at every width besides. */
const AXE_LOOKS = ['1280 light', '390 dark']

const CHECKS = [
  { check: 'database', ok: true, detail: 'PostgreSQL 17.5 (server), pgvector 0.8.1, up to date' },
  { check: 'mail', ok: false, detail: `SMTP_URL: ${'mail.'.repeat(30)}example does not answer; start or correct it` }
]

const QUEUES = {
  counts: [
    { queue: 'process-session', state: 'retry', jobs: 1_200, since: clock.now() },
    { queue: 'purge-media', state: 'failed', jobs: 3, since: clock.now() }
  ],
  reasons: [{ reason: `The provider at https://${'x'.repeat(100)}.example answers 503`, jobs: 1_200 }]
}

/** Opens a provider that does not answer, so that the pages for signing in show it and its refusal. */
async function openSilentProvider() {
  const settings = {
    issuer: `http://127.0.0.1:${await freePort()}`,
    ...CLIENT,
    name: 'Example Inc.',
    allowedDomains: []
  }
  return openProvider(settings, { redirectUri: `${PUBLIC_URL}/sign-in/oidc/callback`, clock, outbound: {} })
}

describe.runIf(hasBrowser)(
  'a page fits every screen, is readable in light and dark, and is reached by keyboard',
  () => {
    const finally_ = afterFile()
    let browser: Browser
    let app: Awaited<ReturnType<typeof buildTestApp>>
    let origin: string
    let axe: string
    let library: Library
    let pages: Record<(typeof VISITORS)[number], Record<'scripted' | 'plain', Watched>>

    beforeAll(async () => {
      const oidc = await openSilentProvider()
      finally_(async () => oidc.close())
      app = await buildTestApp({
        oidc,
        diagnose: async () => CHECKS,
        jobs: { ...NO_QUEUE, inspectQueues: async () => QUEUES }
      })
      origin = await app.listen({ host: '127.0.0.1', port: 0 })
      browser = await launchBrowser()
      axe = await readFile(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')
      library = await openLibrary(app)
      const signedIn = await signInOnce(browser, origin, library.user.email)
      const open = async (state: object) => ({
        scripted: await openWatched(state),
        plain: await openWatched({ ...state, javaScriptEnabled: false })
      })
      pages = { in: await open(signedIn), out: await open({}) }
    })

    afterAll(async () => {
      await browser?.close()
      await app?.close()
    })

    test.each(Object.keys(VIEWS))('%s', async route => {
      const found: Record<string, string[]> = {}
      for (const visitor of VISITORS)
        for (const [at, visit] of visitsOf(route, visitor, library).entries()) {
          const name = `${route.replace(/\W+/g, '-')}-${at}-${visitor}`
          const { scripted, plain } = pages[visitor]
          const wrong = [
            ...(await load(scripted, visit)),
            ...(await looksOf(scripted.page, name, AXE_LOOKS)),
            ...(await unreachedIn(scripted.page))
          ]
          // A page that has no script is the same without them.
          if (await scripted.page.evaluate<boolean>("document.querySelector('script, noscript') !== null"))
            wrong.push(...(await load(plain, visit)), ...(await looksOf(plain.page, `${name}-plain`)))
          found[`${visit.address} ${visitor}`] = wrong
        }
      expect(found).toEqual(Object.fromEntries(Object.keys(found).map(address => [address, []])))
    })

    test('POST /operator/health/checks', async () => {
      const { page } = pages.in.scripted
      await page.goto(`${origin}/operator/health`)
      await page.getByRole('button', { name: 'Check now' }).click()
      await page.getByText('Not working: mail.').waitFor()
      expect(await looksOf(page, 'POST-operator-health-checks', AXE_LOOKS)).toEqual([])
    })

    /** Opens a page that notes what it asks of other origins, and the errors that the browser reports. */
    async function openWatched(options: object) {
      const context = await browser.newContext(options)
      const page = await context.newPage()
      const problems: string[] = []
      page.on('request', request => {
        if (!request.url().startsWith(`${origin}/`) && !request.url().startsWith('data:')) problems.push(request.url())
      })
      page.on('console', message => message.type() === 'error' && problems.push(message.text()))
      page.on('pageerror', error => problems.push(String(error)))
      return { page, problems }
    }
    type Watched = Awaited<ReturnType<typeof openWatched>>

    /** Returns what is wrong with the page that an address answers with. */
    async function load({ page, problems }: Watched, { address, status }: Visit) {
      await page.setViewportSize({ width: 1280, height: 844 })
      const answer = await page.goto(origin + address)
      // A visitor whose session is gone is led to the sign-in, which is a page without faults.
      const [got, expected] = [`${answer?.status()} at ${page.url()}`, `${status} at ${origin}${address}`]
      const [headings, mains] = [
        await page.getByRole('heading', { level: 1 }).count(),
        await page.getByRole('main').count()
      ]
      return [
        // The browser itself reports a page that answers with an error.
        ...problems.splice(0).filter(text => !(status >= 400 && text.includes(`status of ${status}`))),
        ...(got === expected ? [] : [`is ${got} instead of ${expected}`]),
        ...(headings === 1 && mains === 1 ? [] : [`has ${headings} first headings and ${mains} main parts`])
      ]
    }

    /** Returns what is wrong with the page at each width and in both schemes, without loading it again. */
    async function looksOf(page: Page, name: string, axeLooks: string[] = []) {
      const wrong: string[] = []
      if (axeLooks.length > 0) await page.evaluate(axe)
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 844 })
        for (const colorScheme of SCHEMES) {
          await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
          const { overflow, poor } = await page.evaluate<Measured>(MEASURE)
          if (overflow !== 0) wrong.push(`is ${overflow} px too wide at ${width} px`)
          if (poor.length > 0) wrong.push(`cannot be read in ${colorScheme}: ${poor.join(', ')}`)
          const look = `${width} ${colorScheme}`
          if (axeLooks.includes(look)) wrong.push(...(await violationsOf(page, look)))
          await takePicture(page, `${name}-${width}-${colorScheme}`, { fullPage: true })
        }
      }
      return wrong
    }

    async function violationsOf(page: Page, look: string) {
      const { violations } = await page.evaluate<{ violations: Violation[] }>(
        "axe.run({ resultTypes: ['violations'] })"
      )
      return violations.map(({ id, nodes }) =>
        `${look} ${id}: ${nodes.map(({ html }) => html).join(' ')}`.slice(0, 500)
      )
    }

    /** Presses Tab through the page. Returns the controls that it does not reach, and those that do not show that they have the focus. */
    async function unreachedIn(page: Page) {
      await page.setViewportSize({ width: 1280, height: 844 })
      const stops = await page.evaluate<number>(WATCH_FOCUS)
      for (let at = 0; at < stops; at++) await page.keyboard.press('Tab')
      return await page.evaluate<string[]>(UNREACHED)
    }
  }
)

interface Violation {
  id: string
  nodes: { html: string }[]
}

/** Runs in the page, so it is text here: how far it is too wide, and how each text stands out from what is behind it. */
const MEASURE = `(() => {
  // A mixed colour has its channels from 0 to 1.
  const channels = color => {
    const numbers = (color.match(/[0-9.]+/g) ?? []).map(Number)
    return color.startsWith('color(srgb') ? numbers.map((value, at) => (at < 3 ? value * 255 : value)) : numbers
  }
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
    poor: [...document.querySelectorAll('h1, h2, h3, p, li, td, dt, dd, time, code, a, button, label, span, strong, bdi')].flatMap(element => {
      const [a, b] = [luminance(getComputedStyle(element).color), luminance(behind(element))]
      const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
      return ratio < 4.5 ? [element.textContent.slice(0, 20) + ' (' + ratio.toFixed(1) + ')'] : []
    })
  }
})()`

interface Measured {
  overflow: number
  poor: string[]
}

/**
 * Notes what gets the focus from the beginning of the page on. Returns how often Tab has to be pressed: players and dates have stops of their own, and
 * Tab reaches one of a group of radio buttons. What only the mouse reaches has another link beside it, in the table below a chart.
 */
const WATCH_FOCUS = `(() => {
  const radioOf = ({ name, form }) => {
    const group = [...(form ?? document).querySelectorAll('[type=radio][name="' + name + '"]')]
    return group.find(({ checked }) => checked) ?? group[0]
  }
  const shown = [...document.querySelectorAll('a[href], button, input:not([type=hidden]), select, textarea, summary, audio[controls], [tabindex]')]
    .filter(element => element.checkVisibility() && !element.disabled && element.tabIndex >= 0)
    .filter(element => element.type !== 'radio' || element === radioOf(element))
  const watched = { shown, reached: new Set(), unseen: new Set() }
  document.addEventListener('focusin', ({ target }) => {
    watched.reached.add(target)
    const { outlineStyle, boxShadow } = getComputedStyle(target)
    if (outlineStyle === 'none' && boxShadow === 'none') watched.unseen.add(target)
  })
  window.watchedFocus = watched
  document.activeElement?.blur()
  getSelection().setPosition(document.body, 0)
  return shown.length + 10 * shown.filter(({ tagName, type }) => tagName === 'AUDIO' || /^date/.test(type)).length + 1
})()`

const UNREACHED = `(() => {
  const { shown, reached, unseen } = window.watchedFocus
  const markup = element => element.outerHTML.slice(0, 200)
  return [
    ...shown.filter(element => !reached.has(element)).map(element => 'Tab does not reach ' + markup(element)),
    ...[...unseen].map(element => 'does not show its focus: ' + markup(element))
  ]
})()`

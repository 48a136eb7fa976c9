// @module-tag embedded
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../src/core/ids.ts'
import { hasBrowser, launchBrowser, takePicture } from '../support/browser.ts'
import { buildTestApp } from '../support/server.ts'
import { linkTo, newSharer } from '../support/sharing.ts'

describe.runIf(hasBrowser)('the pages of sharing in a browser without scripts', () => {
  let browser: Browser
  let app: Awaited<ReturnType<typeof buildTestApp>>
  let origin: string
  let addresses: Record<string, string>

  beforeAll(async () => {
    app = await buildTestApp()
    origin = await app.listen({ host: '127.0.0.1', port: 0 })
    browser = await launchBrowser()
    const owner = await newSharer({ name: 'Ada Lovelace' })
    const unbroken = await newSharer({ name: 'Å'.repeat(120) })
    const link = await linkTo(
      owner,
      await owner.session({ title: 'Weekly review with the client about the spring order' })
    )
    const long = await linkTo(unbroken, await unbroken.session({ title: 'x'.repeat(500) }))
    addresses = {
      offer: new URL(link).pathname,
      long: new URL(long).pathname,
      none: '/join/x',
      shared: `/shared/${newId('usr')}/${newId('ses')}`,
      nothing: '/shared/x/y'
    }
  })

  afterAll(async () => {
    await browser?.close()
    await app?.close()
  })

  const looks = [320, 390, 1280].flatMap(width =>
    (['light', 'dark'] as const).map(colorScheme => ({ width, colorScheme }))
  )

  test.each(looks)(
    'fit $width pixels, are readable in $colorScheme, and ask nothing of another origin',
    async ({ width, colorScheme }) => {
      const context = await browser.newContext({
        viewport: { width, height: 844 },
        colorScheme,
        javaScriptEnabled: false
      })
      const page = await context.newPage()
      const requested: string[] = []
      const problems: string[] = []
      page.on('request', request => requested.push(request.url()))
      page.on('console', message => message.type() === 'error' && problems.push(message.text()))
      for (const [name, address] of Object.entries(addresses)) {
        const status = (await page.goto(origin + address))?.status()
        await takePicture(page, `${name}-${width}-${colorScheme}`, { fullPage: true })
        // The browser itself reports a page that answers 404.
        const unexpected = problems.splice(0).filter(text => !(status === 404 && text.includes('404')))
        const { overflow, contrasts } = await page.evaluate<Measured>(MEASURE)
        expect({ name, unexpected, overflow, poor: contrasts.filter(({ ratio }) => ratio < 4.5) }).toEqual({
          name,
          unexpected: [],
          overflow: 0,
          poor: []
        })
        expect([await page.getByRole('heading', { level: 1 }).count(), await page.getByRole('main').count()]).toEqual([
          1, 1
        ])
      }
      expect(requested.filter(url => !url.startsWith(`${origin}/`) && !url.startsWith('data:'))).toEqual([])
      await context.close()
    }
  )
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
    contrasts: [...document.querySelectorAll('h1, h2, p, li, code, footer, bdi')].map(element => {
      const [a, b] = [luminance(getComputedStyle(element).color), luminance(behind(element))]
      return { text: element.textContent.slice(0, 20), ratio: (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) }
    })
  }
})()`

interface Measured {
  overflow: number
  contrasts: { text: string; ratio: number }[]
}

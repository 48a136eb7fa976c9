// @module-tag embedded
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser, launchBrowser, takePicture } from '../support/browser.ts'
import { buildTestApp } from '../support/server.ts'
import { newSharer } from '../support/sharing.ts'
import { signInOnce } from '../support/signed-in.ts'

const LINES = 5_000

/** Ten hours of talk. Three lines have a word of their own. */
const SEGMENTS = Array.from({ length: LINES }, (_, at) => ({
  speaker: Math.floor(at / 4) % 2 ? 'Ben' : 'Ada Lovelace',
  start: at * 7.2,
  end: at * 7.2 + 7,
  text: `Line ${at}: we go on about the offer and the order for spring${[10, 2_500, 4_990].includes(at) ? ', and Zoë’s Résumé' : ''}.`
}))

describe.runIf(hasBrowser)('a conversation of ten hours in a browser', () => {
  let browser: Browser
  let app: Awaited<ReturnType<typeof buildTestApp>>
  let origin: string
  let signedIn: Awaited<ReturnType<typeof signInOnce>>
  let path: string

  beforeAll(async () => {
    app = await buildTestApp()
    origin = await app.listen({ host: '127.0.0.1', port: 0 })
    browser = await launchBrowser()
    const user = await newSharer()
    signedIn = await signInOnce(browser, origin, user.email)
    path = `/s/${await user.session({ title: 'Ten hours', segments: SEGMENTS })}`
  }, 300_000)

  afterAll(async () => {
    await browser?.close()
    await app?.close()
  })

  async function open(options: Parameters<Browser['newContext']>[0] = {}) {
    const context = await browser.newContext({ ...signedIn, viewport: { width: 1280, height: 844 }, ...options })
    return { context, page: await context.newPage() }
  }

  const isInView = async (page: Page, text: string) =>
    await page.getByText(text, { exact: true }).evaluate(element => {
      const { top, bottom } = (
        element as unknown as { getBoundingClientRect(): { top: number; bottom: number } }
      ).getBoundingClientRect()
      return top > 0 && bottom < (globalThis as unknown as { innerHeight: number }).innerHeight
    })
  const SOON = { timeout: 30_000 }
  const LAST = SEGMENTS[4_990]!.text

  test('is painted before it has arrived', { timeout: 180_000 }, async () => {
    const { context, page } = await open()
    // As from the list: the stylesheet is there already.
    await page.goto(origin)
    const devtools = await context.newCDPSession(page)
    await devtools.send('Network.enable')
    // Slow, so that the processor of a busy machine has little part in the times.
    const bytesPerSecond = 40_000
    await devtools.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 20,
      downloadThroughput: bytesPerSecond,
      uploadThroughput: bytesPerSecond
    })
    await page.goto(origin + path, { timeout: 120_000 })
    const { painted, whole } = await page.evaluate<{ painted: number; whole: number }>(`({
      painted: performance.getEntriesByName('first-contentful-paint')[0].startTime,
      whole: performance.getEntriesByType('navigation')[0].responseEnd
    })`)
    process.stdout.write(`first paint after ${Math.round(painted)} ms of ${Math.round(whole)} ms\n`)
    expect(painted).toBeLessThan(whole / 2)
    await context.close()
  })

  test.each([390, 1280])('is searched in all lines by keyboard, at %i pixels', { timeout: 180_000 }, async width => {
    const { context, page } = await open({ viewport: { width, height: 844 }, hasTouch: width === 390 })
    await page.goto(origin + path)
    const [box, count] = [
      page.getByRole('searchbox', { name: 'Find in the transcript' }),
      page.locator('.find-lines output')
    ]
    await box.waitFor()
    await page.keyboard.press('f')
    await page.keyboard.type('zoë’s resume')
    const marked = () =>
      page.evaluate<string[]>(
        "[...(CSS.highlights.get('found') ?? [])].map(({ startContainer, startOffset, endOffset }) => startContainer.data.slice(startOffset, endOffset))"
      )
    await expect.poll(marked, SOON).toEqual(Array.from({ length: 3 }, () => 'Zoë’s Résumé'))
    expect(await count.textContent()).toBe('1 of 3')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Enter')
    expect(await count.textContent()).toBe('3 of 3')
    await takePicture(page, `find-${width}`)
    await expect.poll(() => isInView(page, LAST), SOON).toBe(true)
    await page.keyboard.press('Shift+Enter')
    expect(await count.textContent()).toBe('2 of 3')
    await page.getByRole('button', { name: 'Next place' }).click()
    await page.getByRole('button', { name: 'Next place' }).click()
    expect(await count.textContent()).toBe('1 of 3')
    await box.fill('battery')
    await expect.poll(() => count.textContent(), SOON).toBe('Not found')
    await box.fill('line')
    await expect.poll(() => count.textContent(), SOON).toMatch(/ of 5000 or more$/)
    await box.press('Escape')
    expect(await count.textContent()).toBe('')
    await context.close()
  })

  test('is whole without scripts', { timeout: 180_000 }, async () => {
    const { context, page } = await open({ javaScriptEnabled: false })
    await page.goto(origin + path)
    expect(await page.locator('.turn [data-s]').count()).toBe(LINES)
    expect([
      await page.getByRole('searchbox', { name: 'Find in the transcript' }).count(),
      await page.getByText(LAST, { exact: true }).count()
    ]).toEqual([0, 1])
    await context.close()
  })
})

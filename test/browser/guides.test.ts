// @module-tag embedded
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser, launchBrowser, takePicture } from '../support/browser.ts'
import { buildTestApp } from '../support/server.ts'

describe.runIf(hasBrowser)('the guides in a browser', () => {
  let browser: Browser
  let app: Awaited<ReturnType<typeof buildTestApp>>
  let origin: string

  beforeAll(async () => {
    app = await buildTestApp()
    origin = await app.listen({ host: '127.0.0.1', port: 0 })
    browser = await launchBrowser()
  })

  afterAll(async () => {
    await browser?.close()
    await app?.close()
  })

  /** Opens a page, and collects what the browser complains of and what it asks of other origins. */
  async function open(path: string, width: number, colorScheme: 'light' | 'dark' = 'light') {
    const context = await browser.newContext({ viewport: { width, height: 844 }, colorScheme })
    const page = await context.newPage()
    const problems: string[] = []
    page.on('console', message => message.type() === 'error' && problems.push(message.text()))
    page.on('pageerror', fault => problems.push(String(fault)))
    page.on(
      'request',
      request => request.url().startsWith(origin) || request.url().startsWith('data:') || problems.push(request.url())
    )
    await page.goto(`${origin}/docs/${path}`)
    return { page, problems }
  }

  test.each([320, 390, 1280])('fit %d pixels, by day and by night', async width => {
    for (const colorScheme of ['light', 'dark'] as const) {
      for (const path of ['', 'api/search', 'api/webhooks', 'configuration']) {
        const { page, problems } = await open(path, width, colorScheme)
        await takePicture(page, `${path.replace('/', '-') || 'index'}-${width}-${colorScheme}`)
        const overflow = await page.evaluate(
          'document.documentElement.scrollWidth - document.documentElement.clientWidth'
        )
        expect({ path, overflow, problems }).toEqual({ path, overflow: 0, problems: [] })
        const wide = await page.evaluate(
          `[...document.querySelectorAll('.table, pre')].filter(one => one.scrollWidth > one.clientWidth).length`
        )
        expect({ path, wide }).toEqual({ path, wide: 0 })
        const broken = await page.evaluate(`[...document.querySelectorAll('.anchor')].filter(mark => {
          const [heading, height] = [mark.parentElement, mark.parentElement.offsetHeight]
          mark.remove()
          return heading.offsetHeight < height
        }).length`)
        expect({ path, broken }).toEqual({ path, broken: 0 })
        await page.context().close()
      }
    }
  })

  test.each([390, 1280])('are searched in the page, at %d pixels', async width => {
    const { page, problems } = await open('quickstart', width)
    await page.getByRole('searchbox').fill('rotate the secret')
    const result = page.getByRole('link', { name: /^Webhooks: Rotate the secret/ })
    await result.waitFor()
    await takePicture(page, `search-${width}`)
    await result.click()
    await page.waitForURL(/\/docs\/api\/webhooks#rotate-the-secret$/)
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toContain('Webhooks')
    await page.getByRole('searchbox').fill('xyzzy')
    await page.getByText('Nothing found').waitFor()
    expect(problems).toEqual([])
    await page.context().close()
  })

  test('are searched after the index could not be loaded at first', async () => {
    const { page } = await open('quickstart', 1280)
    const answers = [429]
    await page.route('**/search.json', async route => {
      const status = answers.pop()
      await (status === undefined ? route.continue() : route.fulfill({ status, json: { error: {} } }))
    })
    // The letters that are typed while the first request runs find nothing; the next one loads the index.
    const typeAgain = async () => {
      for (const query of ['rotate', 'rotate the secret']) await page.getByRole('searchbox').fill(query)
      return await page.getByRole('link', { name: /^Webhooks: Rotate the secret/ }).isVisible()
    }
    await expect.poll(typeAgain, { timeout: 60_000 }).toBe(true)
    expect(answers).toEqual([])
    await page.context().close()
  })

  test('copy a block of commands, as it is in the page', async () => {
    const { page } = await open('quickstart', 390)
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('button', { name: 'Copy' }).first().click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('npm ci\nnpm run demo')
    await page.context().close()
  })

  test('are printed without navigation, and with every line of their commands whole', async () => {
    const { page } = await open('cli', 390)
    await page.emulateMedia({ media: 'print' })
    for (const part of ['header', 'nav', 'button']) expect(await page.locator(part).first().isVisible()).toBe(false)
    expect(await page.locator('h1').isVisible()).toBe(true)
    const cut = await page.evaluate(
      `[...document.querySelectorAll('pre')].filter(block => block.scrollWidth > block.clientWidth).length`
    )
    expect(cut).toBe(0)
    await page.context().close()
  })

  test('can be read without scripts: only the search is missing', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false })
    const page = await context.newPage()
    await page.goto(`${origin}/docs/`)
    expect(await page.getByRole('searchbox').count()).toBe(0)
    await page.getByRole('navigation').getByRole('link', { name: 'Backup' }).click()
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toContain('Backup')
    await context.close()
  })
})

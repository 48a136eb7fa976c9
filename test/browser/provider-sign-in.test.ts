// @module-tag embedded
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openProvider } from '../../src/features/sign-in/oidc/provider.ts'
import { hasBrowser, launchBrowser, takePicture } from '../support/browser.ts'
import { afterFile } from '../support/folders.ts'
import { CLIENT, startProvider, wallClock } from '../support/oidc.ts'
import { freePort } from '../support/ports.ts'
import { buildTestApp } from '../support/server.ts'
import { newSharer } from '../support/sharing.ts'

describe.runIf(hasBrowser)('a provider in a browser without scripts', () => {
  const finally_ = afterFile()
  let browser: Browser
  let app: Awaited<ReturnType<typeof buildTestApp>>
  let origin: string
  let provider: Awaited<ReturnType<typeof startProvider>>

  beforeAll(async () => {
    const port = await freePort()
    origin = `http://127.0.0.1:${port}`
    const redirectUri = `${origin}/sign-in/oidc/callback`
    provider = await startProvider({ redirectUri, finally: finally_ })
    const settings = { issuer: provider.issuer, ...CLIENT, name: 'Example Inc.', allowedDomains: [] }
    const oidc = openProvider(settings, { redirectUri, clock: wallClock, outbound: {} })
    finally_(async () => oidc.close())
    app = await buildTestApp({ oidc, clock: wallClock, publicUrl: origin })
    await app.listen({ host: '127.0.0.1', port })
    browser = await launchBrowser()
  })

  afterAll(async () => {
    await browser?.close()
    await app?.close()
  })

  test('signs in by a click and a login, signs out, and says why it does not sign in', async () => {
    const ada = await newSharer({ name: 'Ada Lovelace' })
    provider.people.set('ada', { email: ada.email, email_verified: true })
    provider.people.set('eve', { email: ada.email, email_verified: false })
    for (const [width, colorScheme] of [
      [390, 'light'],
      [1280, 'dark']
    ] as const) {
      const context = await browser.newContext({
        viewport: { width, height: 844 },
        colorScheme,
        javaScriptEnabled: false
      })
      const page = await context.newPage()
      const logIn = async (login: string) => {
        await page.getByRole('link', { name: 'Sign in with Example Inc.' }).click()
        await page.getByPlaceholder('Enter any login').fill(login)
        await page.getByPlaceholder('and password').fill('x')
        await page.getByRole('button', { name: 'Sign-in' }).click()
      }
      await page.goto(`${origin}/action-items`)
      await takePicture(page, `provider-sign-in-${width}`, { fullPage: true })
      await logIn('eve')
      await page.getByRole('heading', { name: 'Your address is not verified' }).waitFor()
      await takePicture(page, `provider-refused-${width}`, { fullPage: true })
      await context.clearCookies()
      await page.goto(`${origin}/action-items`)
      await logIn('ada')
      await page.getByRole('heading', { name: 'Action items' }).waitFor()
      expect(page.url()).toBe(`${origin}/action-items`)
      if (width < 896) await page.getByText('More', { exact: true }).click()
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.getByRole('heading', { name: 'Sign in' }).waitFor()
      await context.close()
    }
  })
})

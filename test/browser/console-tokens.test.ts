// @module-tag embedded
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser, launchBrowser, takePicture } from '../support/browser.ts'
import { buildTestApp } from '../support/server.ts'
import { newSharer } from '../support/sharing.ts'
import { signInPage } from '../support/signed-in.ts'

describe.runIf(hasBrowser)('tokens in a browser without scripts', () => {
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

  test('a token is made with a few clicks, works for a program, and is refused once it is revoked', async () => {
    const user = await newSharer()
    const context = await browser.newContext({ javaScriptEnabled: false })
    const page = await context.newPage()
    await signInPage(page, origin, user.email)

    await page.getByRole('link', { name: 'Settings' }).click()
    await page.getByRole('link', { name: 'Tokens' }).click()
    await page.getByLabel('Name').fill('From the browser')
    await page.getByLabel('Manage webhooks').check()
    await page.getByLabel('It works for').selectOption('30 days')
    await page.getByRole('button', { name: 'Make the token' }).click()
    await takePicture(page, 'token-made', { fullPage: true })
    const token = await page.locator('.secret').innerText()
    const ask = async () =>
      (await fetch(`${origin}/v1/webhooks`, { headers: { authorization: `Bearer ${token.trim()}` } })).status
    expect(await ask()).toBe(200)

    await page.getByRole('link', { name: 'I have copied it' }).click()
    const row = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: 'From the browser' }) })
    expect(await row.innerText()).toContain('Expires on 1 April 2026')
    await row.getByText('Revoke', { exact: true }).click()
    await row.getByRole('button', { name: 'Revoke the token' }).click()
    await page.getByText('Revoked and expired tokens (1)').waitFor()
    expect(await ask()).toBe(401)
    await context.close()
  })
})

import type { Browser, Page } from 'playwright-core'
import { expect } from 'vitest'
import { takePicture } from './browser.ts'
import { mailedLink } from './console.ts'
import { type Served, testDatabase } from './server.ts'

/** Signs a page of a real browser in by the link that is mailed to the address. If no link is mailed, this fails with the status of that answer. */
export async function signInPage(page: Page, origin: string, email: string, served?: Pick<Served, 'db'>) {
  await page.goto(`${origin}/sign-in`)
  await page.getByLabel('E-mail address').fill(email)
  const [answer] = await Promise.all([
    page.waitForResponse(response => response.request().method() === 'POST'),
    page.getByRole('button', { name: 'Send the link' }).click()
  ])
  expect([answer.url(), answer.status()]).toEqual([`${origin}/sign-in`, 303])
  await page.goto(origin + (await mailedLink(email, served ?? (await testDatabase()))))
  await takePicture(page, 'confirm')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Sessions' }).waitFor()
}

/**
 * Signs in once, and returns what opens further contexts signed in. A mailbox gets ten links an hour and an address asks for ten a minute, by a clock that
 * stands still here, so a file that signed in for each test would fail at its eleventh.
 */
export async function signInOnce(browser: Browser, origin: string, email: string) {
  const context = await browser.newContext({ javaScriptEnabled: false })
  await signInPage(await context.newPage(), origin, email)
  const storageState = await context.storageState()
  await context.close()
  return { storageState }
}

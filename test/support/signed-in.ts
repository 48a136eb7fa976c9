import type { Page } from 'playwright-core'
import { mailedLink } from './console.ts'
import { testDatabase } from './server.ts'

/** Signs a page of a real browser in by the link that is mailed to the address. */
export async function signInPage(page: Page, origin: string, email: string) {
  await page.goto(`${origin}/sign-in`)
  await page.getByLabel('E-mail address').fill(email)
  await page.getByRole('button', { name: 'Send the link' }).click()
  await page.goto(origin + (await mailedLink(email, await testDatabase())))
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Sessions' }).waitFor()
}

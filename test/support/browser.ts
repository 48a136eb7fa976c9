import { existsSync, mkdirSync } from 'node:fs'
import { chromium, type Page, type PageScreenshotOptions } from 'playwright-core'

const CHROMIUM = '/usr/bin/chromium'
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update'
]

/** The folder for pictures of the pages. */
const PICTURES = process.env.PICTURES

export const hasBrowser = existsSync(CHROMIUM)

/** A busy machine may take longer than Playwright's 30 seconds, and a test that waits this long is still within its own time. */
const WAIT_MS = 100_000

export async function launchBrowser() {
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS, timeout: WAIT_MS })
  const open = browser.newContext.bind(browser)
  browser.newContext = async options => {
    const context = await open(options)
    context.setDefaultTimeout(WAIT_MS)
    return context
  }
  return browser
}

/** Takes a picture of the page where PICTURES names a folder for it. */
export async function takePicture(page: Page, name: string, options?: PageScreenshotOptions) {
  if (!PICTURES) return
  mkdirSync(PICTURES, { recursive: true })
  await page.screenshot({ path: `${PICTURES}/${name}.png`, ...options })
}

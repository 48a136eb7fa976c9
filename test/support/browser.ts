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

export function launchBrowser() {
  return chromium.launch({ executablePath: CHROMIUM, args: FLAGS })
}

/** Takes a picture of the page where PICTURES names a folder for it. */
export async function takePicture(page: Page, name: string, options?: PageScreenshotOptions) {
  if (!PICTURES) return
  mkdirSync(PICTURES, { recursive: true })
  await page.screenshot({ path: `${PICTURES}/${name}.png`, ...options })
}

import { existsSync } from 'node:fs'
import { chromium } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { buildTestApp, newUser } from '../support/server.ts'

const CHROMIUM = '/usr/bin/chromium'
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update'
]

test.runIf(existsSync(CHROMIUM))('the reference page shows every operation and asks nothing of another origin', async () => {
  const app = await buildTestApp()
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS })
  onTestFinished(async () => {
    await browser.close()
    await app.close()
  })
  const page = await browser.newPage()
  const requested: string[] = []
  const problems: string[] = []
  page.on('request', request => requested.push(request.url()))
  page.on('console', message => message.type() === 'error' && problems.push(message.text()))
  page.on('pageerror', fault => problems.push(String(fault)))

  await page.goto(`${origin}/v1/docs`, { waitUntil: 'networkidle' })
  await page.getByText('Get the transcript of a session').first().waitFor()

  const { paths } = JSON.parse((await app.inject('/v1/openapi.json')).body)
  const summaries = Object.values<Record<string, { summary: string }>>(paths).flatMap(path =>
    Object.values(path).map(({ summary }) => summary)
  )
  const text = (await page.locator('body').innerText()).toLowerCase()
  expect(summaries.filter(summary => !text.includes(summary.toLowerCase()))).toEqual([])
  const foreign = requested.filter(url => !url.startsWith(origin) && !url.startsWith('data:') && !url.startsWith('blob:'))
  expect({ foreign, problems }).toEqual({ foreign: [], problems: [] })
})

test('the reference page may run nothing but its own script, and may not be framed', async () => {
  const { app } = await newUser()
  const [first, second] = [await app.inject('/v1/docs/'), await app.inject('/v1/docs/')]
  const policy = String(first.headers['content-security-policy'])
  const nonce = /'nonce-([^']+)'/.exec(policy)?.[1] ?? ''
  expect(policy).toContain("default-src 'none'")
  expect(policy).toContain("frame-ancestors 'none'")
  expect(first.body).toContain(`nonce="${nonce}"`)
  expect(second.headers['content-security-policy']).not.toBe(policy)
})

// @module-tag embedded
import { expect, test } from 'vitest'
import { hasBrowser, launchBrowser, takePicture } from '../support/browser.ts'
import { dispatching, hookOf } from '../support/dispatch.ts'
import { until } from '../support/process.ts'
import { startReceiver } from '../support/receiver.ts'
import { newSharer } from '../support/sharing.ts'
import { signInPage } from '../support/signed-in.ts'

test.runIf(hasBrowser)(
  'a failing webhook is seen in the log with its answer, mended, and its event sent again',
  async () => {
    const receiver = await startReceiver(
      () => response => response.writeHead(500, { server: 'Acme' }).end('Out of paper')
    )
    const served = await dispatching()
    const user = await newSharer({}, served)
    const hook = await hookOf(user, receiver.url, ['session.completed'])
    await user.session({ title: 'Weekly review' })
    const log = async () => (await user.get(`/v1/webhooks/${hook.id}/deliveries`)).body.deliveries
    await until('the attempt failed', async () => (await log())[0]?.attempts.length === 1)

    const origin = await served.app.listen({ host: '127.0.0.1', port: 0 })
    const browser = await launchBrowser()
    try {
      const context = await browser.newContext({ javaScriptEnabled: false, viewport: { width: 390, height: 844 } })
      const page = await context.newPage()
      await signInPage(page, origin, user.email, served)

      await page.goto(`${origin}/settings/webhooks`)
      await page.getByRole('link', { name: receiver.url }).click()
      await page.getByRole('link', { name: 'Body, headers and what was answered' }).click()
      await page.getByText('answered 500').waitFor()
      const [request, answer] = await page.locator('.as-sent').allInnerTexts()
      expect(request).toContain('"title": "Weekly review"')
      expect(answer).toMatch(/server: Acme\s+Out of paper$/)
      await takePicture(page, 'delivery-failed', { fullPage: true })

      receiver.answer = () => 204
      await page.getByRole('link', { name: receiver.url }).click()
      await page.getByRole('link', { name: 'Change', exact: true }).click()
      await page.getByLabel('URL').fill(`${receiver.url}?mended=1`)
      await page.getByRole('button', { name: 'Save' }).click()
      await until('the new URL has the event', async () => (await log())[0].status === 'delivered')
      await page.getByRole('button', { name: 'Send again' }).click()
      await page.getByText('The event is sent again now.').waitFor()
      await until('the retry arrived', async () => receiver.received.length === 3)
      expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(1)
      expect(receiver.received.map(({ path }) => path)).toEqual(['/hook', '/hook?mended=1', '/hook?mended=1'])
      await context.close()
    } finally {
      await browser.close()
      await served.app.close()
    }
  }
)

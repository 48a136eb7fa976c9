// @module-tag both

import { expect, test } from 'vitest'
import { newBrowser, signInAs } from '../../support/console.ts'
import { dispatching, hookOf } from '../../support/dispatch.ts'
import { until } from '../../support/process.ts'
import { startReceiver } from '../../support/receiver.ts'
import { newSharer } from '../../support/sharing.ts'

test('a failing webhook is seen in the log with its answer, sent again by a click, and then seen as delivered', async () => {
  const receiver = await startReceiver(() => 500)
  const served = await dispatching()
  const user = await newSharer({}, served)
  const browser = newBrowser(served)
  await signInAs(browser, user.email, served)
  const hook = await hookOf(user, receiver.url, ['session.completed'])
  const page = `/settings/webhooks/${hook.id}`
  await user.session()
  const log = async () => (await user.get(`/v1/webhooks/${hook.id}/deliveries`)).body.deliveries
  await until('the attempt failed', async () => (await log())[0]?.attempts.length === 1)

  const failing = await browser.get(`${page}?status=pending`)
  expect(failing.text).toContain('The receiver did not answer with a 2xx')
  expect(failing.text).toContain('1 failed attempt in a row')
  expect(failing.text).toContain(`POST ${receiver.url} webhook-id: ${receiver.received[0]!.id}`)

  const one = await browser.get(`${page}/deliveries/${receiver.received[0]!.id}`)
  expect(one.text).toContain('answered 500')
  const [, , sent] = /<pre[^>]*><code>([\s\S]*?)\n\n([\s\S]*?)<\/code>/.exec(one.body) ?? []
  expect(JSON.parse(sent!.replaceAll('&quot;', '"').replaceAll('&#39;', "'"))).toEqual(
    JSON.parse(receiver.received[0]!.body)
  )
  expect(one.body).not.toContain(receiver.received[0]!.headers['webhook-signature'])

  receiver.answer = () => 204
  const retry = `${page}/deliveries/${receiver.received[0]!.id}/retry`
  const clicked = await browser.submit(page, retry)
  expect([clicked.status, clicked.text.includes('The event is sent again now.')]).toEqual([200, true])
  await until('it was delivered', async () => (await log())[0].status === 'delivered')
  expect((await browser.get(`${page}?status=delivered`)).text).toContain('answered 204')
  expect((await browser.get(`${page}?status=pending`)).text).toContain('There is no such delivery')

  const replayed = await browser.submit(page, `${page}/replay`, { since: '2026-01-01' })
  expect([replayed.status, replayed.text.includes('1 event is sent again.')]).toEqual([200, true])
  await until('the replay', async () => receiver.received.length === 3)
  expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(1)

  await browser.submit(page, `${page}/active`, { active: 'false' })
  const refused = await browser.submit(page, retry)
  expect([refused.status, refused.text.includes('The webhook is turned off')]).toEqual([400, true])
})

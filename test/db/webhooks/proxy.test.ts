// @module-tag both

import { expect, test } from 'vitest'
import { startConnectProxy } from '../../support/connect-proxy.ts'
import { dispatching, HOUR, hookOf } from '../../support/dispatch.ts'
import { startReceiver } from '../../support/receiver.ts'

const PATIENT = { timeout: 120_000, interval: 20 }

test('a delivery waits while the proxy is away, says so in its log, and arrives once the proxy is back', async () => {
  const [receiver, proxy] = [await startReceiver(), await startConnectProxy()]
  const proxies = { http: proxy.url, https: proxy.url, except: [] }
  const lookup = async () => [{ address: '127.0.0.1', family: 4 }]
  const { newUser, pass } = await dispatching({ settings: { proxies, lookup } })
  const user = await newUser()
  const { id } = await hookOf(user, receiver.url.replace('127.0.0.1', 'hooks.example'))
  await proxy.stop()
  await user.session()
  const deliveries = async () => (await user.get(`/v1/webhooks/${id}/deliveries`)).body.deliveries
  await expect.poll(async () => (await deliveries())[0]?.attempts.length, PATIENT).toBe(1)
  const failed = { status: null, error: 'proxy_unreachable', reason: 'The proxy of this server does not answer' }
  expect(await deliveries()).toMatchObject([{ status: 'pending', attempts: [failed] }])
  await proxy.start()
  await pass(HOUR)
  await expect.poll(async () => (await deliveries())[0].status, PATIENT).toBe('delivered')
  expect([receiver.received.length, proxy.asked]).toEqual([1, [`127.0.0.1:${new URL(receiver.url).port}`]])
})

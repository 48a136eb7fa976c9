import type { LookupAddress } from 'node:dns'
import type { Socket } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { WebhookSettings } from '../../../src/features/webhooks/address.ts'
import { openWebhookClient } from '../../../src/features/webhooks/client.ts'
import { startConnectProxy } from '../../support/connect-proxy.ts'
import { certificateFor, startHttpsServer, trust } from '../../support/https-server.ts'
import { startRaw } from '../../support/raw-server.ts'
import { startReceiver } from '../../support/receiver.ts'

const NAME = 'hooks.example'
const at =
  (...addresses: string[]) =>
  async () =>
    addresses.map((address): LookupAddress => ({ address, family: address.includes(':') ? 6 : 4 }))

/** Posts to the URL through the proxy. The network of the tests' receivers is allowed. */
async function post(
  url: string,
  proxy: { url: string },
  settings: Partial<WebhookSettings> & { except?: string[] } = {}
) {
  const { except = [], ...rest } = settings
  const proxies = { http: proxy.url, https: proxy.url, except }
  const local = { allowHttp: true, allowedCidrs: ['127.0.0.0/8'], lookup: at('127.0.0.1') }
  const client = openWebhookClient({ ...local, proxies, ...rest })
  onTestFinished(() => client.close())
  return await client.post({ url, headers: {}, body: '{}', timeoutMs: 60_000 })
}

const urlOf = (receiver: { url: string }, host = NAME) => receiver.url.replace('127.0.0.1', host)
const portOf = (receiver: { url: string }) => new URL(receiver.url).port

describe('through a proxy', () => {
  test('an http endpoint gets the request with its own name, and the proxy the address that was checked', async () => {
    const [receiver, proxy] = [await startReceiver(), await startConnectProxy()]
    expect(await post(urlOf(receiver), proxy)).toMatchObject({ status: 204, error: null })
    expect(receiver.received).toMatchObject([{ path: '/hook', headers: { host: `${NAME}:${portOf(receiver)}` } }])
    expect(proxy.asked).toEqual([`127.0.0.1:${portOf(receiver)}`])
  })

  test('an https endpoint is asked for its name, and its certificate must be for that', async () => {
    const proxy = await startConnectProxy()
    const certificate = certificateFor(NAME)
    trust(certificate.authority)
    const names: unknown[] = []
    const port = await startHttpsServer(certificate, ({ socket }, response) => {
      names.push('servername' in socket && socket.servername)
      response.end()
    })
    expect(await post(`https://${NAME}:${port}/`, proxy)).toMatchObject({ status: 200, error: null })
    expect(names).toEqual([NAME])
    expect(await post(`https://other.example:${port}/`, proxy)).toMatchObject({ error: 'tls_wrong_host' })
    expect(proxy.asked).toEqual(Array(2).fill(`127.0.0.1:${port}`))
  })

  test('an https endpoint that wants a client certificate gets it', async () => {
    const [proxy, client, own] = [await startConnectProxy(), certificateFor('parlance.example'), certificateFor(NAME)]
    trust(own.authority)
    const port = await startHttpsServer({ ...own, ca: client.authority, requestCert: true, rejectUnauthorized: true })
    expect(await post(`https://${NAME}:${port}/`, proxy)).toMatchObject({ status: null, error: 'reset' })
    expect(await post(`https://${NAME}:${port}/`, proxy, { certificate: client })).toMatchObject({ status: 200 })
  })

  test('a name is looked up once, so that a proxy never gets an address that was not checked', async () => {
    const [receiver, proxy] = [await startReceiver(), await startConnectProxy()]
    let looks = 0
    const lookup = async () => await at(looks++ === 0 ? '127.0.0.1' : '10.0.0.1')()
    expect(await post(urlOf(receiver), proxy, { lookup })).toMatchObject({ status: 204 })
    expect([looks, proxy.asked]).toEqual([1, [`127.0.0.1:${portOf(receiver)}`]])
  })

  test.each<[string, Partial<WebhookSettings>]>([
    ['10.1.2.3', {}],
    ['169.254.169.254', {}],
    ['inside.example', { lookup: at('10.1.2.3') }],
    ['both.example', { lookup: at('8.8.8.8', '10.1.2.3') }]
  ])('an address that is not public is refused, and the proxy not asked: %s', async (host, settings) => {
    const proxy = await startConnectProxy()
    const outcome = await post(`http://${host}:8080/`, proxy, { allowedCidrs: [], ...settings })
    expect([outcome.error, proxy.asked]).toEqual(['blocked_address', []])
  })

  test('the next address of a name is tried if the proxy finds nobody at the first', async () => {
    const receiver = await startReceiver()
    const proxy = await startConnectProxy(authority => (authority.startsWith('127.0.0.9:') ? 503 : undefined))
    expect(await post(urlOf(receiver), proxy, { lookup: at('127.0.0.9', '127.0.0.1') })).toMatchObject({ status: 204 })
    expect(proxy.asked).toEqual([`127.0.0.9:${portOf(receiver)}`, `127.0.0.1:${portOf(receiver)}`])
  })

  test('the user and password of its URL are sent to it, and not to the receiver', async () => {
    const [receiver, proxy] = [await startReceiver(), await startConnectProxy()]
    const url = proxy.url.replace('//', '//parlance:h%40sh@')
    expect(await post(urlOf(receiver), { url })).toMatchObject({ status: 204 })
    expect(proxy.credentials).toEqual([`Basic ${Buffer.from('parlance:h@sh').toString('base64')}`])
    expect(receiver.received[0]?.headers).not.toHaveProperty('proxy-authorization')
  })

  test('a connection is kept for the next attempt', async () => {
    const [receiver, proxy] = [await startReceiver(), await startConnectProxy()]
    const proxies = { http: proxy.url, https: undefined, except: [] }
    const client = openWebhookClient({
      allowHttp: true,
      allowedCidrs: ['127.0.0.0/8'],
      lookup: at('127.0.0.1'),
      proxies
    })
    onTestFinished(() => client.close())
    for (let attempt = 0; attempt < 10; attempt++)
      expect(await client.post({ url: urlOf(receiver), headers: {}, body: '{}', timeoutMs: 60_000 })).toMatchObject({
        status: 204
      })
    expect(proxy.asked.length).toBeLessThanOrEqual(2)
  })
})

test('a host of NO_PROXY is reached directly', async () => {
  const [receiver, proxy] = [await startReceiver(), await startConnectProxy()]
  expect(await post(urlOf(receiver), proxy, { except: ['.example'] })).toMatchObject({ status: 204 })
  expect(proxy.asked).toEqual([])
})

test.each([
  ['refuses the receiver', 403, 'proxy_refused'],
  ['wants other credentials', 407, 'proxy_refused'],
  ['finds nobody there', 503, 'refused']
])('a proxy that %s is a failed attempt with a reason of its own', async (_, status, error) => {
  const proxy = await startConnectProxy(() => status)
  expect(await post(`http://${NAME}:8080/`, proxy)).toMatchObject({ status: null, error })
})

test.each<[string, (socket: Socket) => void]>([
  ['hangs up', socket => socket.destroy()],
  ['speaks something else', socket => socket.write('220 mail.example ESMTP\r\n')],
  ['never answers', () => {}]
])('a proxy that %s is a failed attempt, soon', async (_, onConnection) => {
  const { port } = await startRaw(onConnection)
  const outcome = await post(`http://${NAME}:8080/`, { url: `http://127.0.0.1:${port}` })
  expect(outcome).toMatchObject({ status: null, error: 'proxy_unreachable' })
})

test('a proxy that is away is a failed attempt', async () => {
  const proxy = await startConnectProxy()
  await proxy.stop()
  expect(await post(`http://${NAME}:8080/`, proxy)).toMatchObject({ status: null, error: 'proxy_unreachable' })
})

import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { LIMITS } from '../../../src/contract/limits.ts'
import { exchange, portOf } from '../../support/http.ts'
import { buildTestApp } from '../../support/server.ts'

const PER_ADDRESS = 8
const PATIENT = { timeout: 60_000, interval: 20 }

interface Connection {
  /** Sends a request. Resolves to the status of its answer, or to 0 if the server closes the connection. */
  ask(): Promise<number>
  isClosed(): boolean
  close(): void
}

type Options = NonNullable<Parameters<typeof buildTestApp>[1]>

/** A listening application, and connections to it from an address of this machine. */
async function listening(options: Options) {
  const app = await buildTestApp({}, { maxAddressConnections: PER_ADDRESS, ...options })
  await app.listen({ host: '0.0.0.0', port: 0 })
  onTestFinished(() => app.close())

  function open(localAddress: string): Connection {
    const socket = connect({ port: portOf(app), host: '127.0.0.1', localAddress }).setEncoding('utf8')
    onTestFinished(() => void socket.destroy())
    socket.on('error', () => {})
    return {
      ask: () =>
        new Promise(resolve => {
          socket.once('data', (text: string) => resolve(Number(text.split(' ')[1])))
          socket.once('close', () => resolve(0))
          socket.write('GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n')
        }),
      isClosed: () => socket.destroyed,
      close: () => socket.destroy()
    }
  }

  /** Opens idle connections, each of which has had an answer. */
  const openIdle = async (count: number, address: string) => {
    const opened: Connection[] = []
    for (let at = 0; at < count; at++) {
      const connection = open(address)
      expect(await connection.ask()).toBe(404)
      opened.push(connection)
    }
    return opened
  }
  return { open, openIdle }
}

test('an address has so many connections at once and no more, which leaves room for others', async () => {
  const { open, openIdle } = await listening({})
  const [first] = await openIdle(PER_ADDRESS, '127.0.0.1')
  expect(await open('127.0.0.1').ask()).toBe(0)
  expect(await open('127.0.0.2').ask()).toBe(404)
  first?.close()
  await expect.poll(() => open('127.0.0.1').ask(), PATIENT).toBe(404)
})

test('a connection has so many requests in flight; with more it is closed, and the rest is not even parsed', async () => {
  const { requests } = LIMITS.connections
  const app = await buildTestApp()
  let [begun, parsed] = [0, 0]
  app.server.on('request', () => {
    parsed++
  })
  app.addHook('onRequest', async () => {
    begun++
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  onTestFinished(() => app.close())
  const get = (connection: string) => `GET /nothing HTTP/1.1\r\nHost: x\r\nConnection: ${connection}\r\n\r\n`
  const send = async (count: number) => {
    const answers = await exchange(portOf(app), [get('keep-alive').repeat(count - 1) + get('close')])
    return answers.map(({ status }) => status)
  }
  expect(await send(requests)).toEqual(Array(requests).fill(404))
  expect(begun).toBe(requests)
  expect(await send(50 * requests)).toEqual([])
  expect([begun, parsed]).toEqual([2 * requests, 2 * requests + 1])
  expect(await send(2)).toEqual([404, 404])
})

test.each<[string, Options['trustProxy'], number]>([
  ['proxies that are named', ['127.0.0.1', '10.0.0.0/8'], 404],
  ['proxies of a named network', ['127.0.0.0/31'], 404],
  ['proxies that are counted', 1, 404],
  ['other addresses than those of proxies', ['127.0.0.2'], 0]
])('the limit of an address and %s', async (_, trustProxy, status) => {
  const { open, openIdle } = await listening({ trustProxy })
  await openIdle(PER_ADDRESS, '127.0.0.1')
  expect(await open('127.0.0.1').ask()).toBe(status)
})

test('idle connections are closed sooner while most connections are taken', async () => {
  const { open, openIdle } = await listening({ maxConnections: 20, keepAliveTimeoutMs: 40_000 })
  const idle = await openIdle(PER_ADDRESS, '127.0.0.1')
  idle.push(...(await openIdle(PER_ADDRESS, '127.0.0.2')))
  const startedAt = performance.now()
  // One is enough. With several, the last might be opened after the first were closed, when there is no crowd any more.
  idle.push(...(await openIdle(1, '127.0.0.3')))
  await expect.poll(() => idle.every(({ isClosed }) => isClosed()), PATIENT).toBe(true)
  expect(performance.now() - startedAt).toBeLessThan(30_000)
  expect(await open('127.0.0.4').ask()).toBe(404)
})

test('an address beyond its limit of requests without a token keeps no idle connections', async () => {
  const app = await buildTestApp({ rateLimits: { perMinute: 1, perDay: 100 } })
  const shown = async () => {
    const { statusCode, headers } = await app.inject('/nothing')
    return [statusCode, headers.connection]
  }
  for (let at = 0; at < 10; at++) expect(await shown()).toEqual([404, 'keep-alive'])
  expect(await shown()).toEqual([404, 'close'])
})

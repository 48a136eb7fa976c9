// @module-tag embedded
import { connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { LIMITS } from '../../src/contract/limits.ts'
import { portOf } from '../support/http.ts'
import { until } from '../support/process.ts'
import { buildTestApp, newUser } from '../support/server.ts'

const LONG = process.env.SECURITY === 'long'
/** A client address has a limit of connections. The rest is for the clients that ask meanwhile. */
const FROM_ONE_ADDRESS = LIMITS.connections.perAddress * 0.3
/** How many of each kind, and how long a request and a connection without a byte may take; long, as a server has it. Node
 * looks twice before it calls a connection with something to send one on which nothing moves. */
const [SOCKETS, REQUEST_MS, STALL_MS] = LONG ? [FROM_ONE_ADDRESS, 30_000, 60_000] : [100, 3_000, 4_000]
/** For a busy machine; the target is a second. */
const SLACK_MS = 120_000

test(`${3 * SOCKETS} clients that send or read too slowly keep nobody else waiting, and are cut off in time`, {
  timeout: 600_000
}, async () => {
  const app = await buildTestApp({}, LONG ? {} : { requestTimeoutMs: REQUEST_MS, stallTimeoutMs: STALL_MS })
  await app.listen({ host: '127.0.0.1', port: 0 })
  onTestFinished(() => app.close())
  const { token } = await newUser('account:read', 'events:read')
  const account = () => fetch(`${app.listeningOrigin}/v1/account`, { headers: { authorization: `Bearer ${token}` } })
  expect((await account()).status).toBe(200)
  const connections = () => new Promise<number>(resolve => app.server.getConnections((_, count) => resolve(count)))
  const [connectionsBefore, memoryBefore] = [await connections(), process.memoryUsage().rss]

  const auth = `Authorization: Bearer ${token}\r\n`
  const dripping = `POST /v1/events/ack HTTP/1.1\r\nHost: x\r\n${auth}Content-Type: application/json\r\nContent-Length: 60000\r\n\r\n`
  // More than the buffers between the two take.
  const unread = 'GET /v1/openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(120)
  const kinds: [string, number, (socket: Socket) => NodeJS.Timeout | undefined][] = [
    ['headers', REQUEST_MS / 3, socket => drip(socket, 'GET /v1/account HTTP/1.1\r\nHost: x\r\n', 'A: b\r\n')],
    ['body', REQUEST_MS, socket => drip(socket, dripping, ' ')],
    [
      'reading',
      STALL_MS,
      socket => {
        socket.pause().write(unread)
        return undefined
      }
    ]
  ]

  function drip(socket: Socket, first: string, rest: string) {
    socket.write(first)
    return setInterval(() => socket.write(rest), 200)
  }

  const startedAt = performance.now()
  const lasted = new Map<string, number[]>()
  const open = kinds.flatMap(([kind, , begin]) =>
    Array.from({ length: SOCKETS }, () => {
      const socket = connect(portOf(app), '127.0.0.1')
      // Whoever does not read does not hear of the end either: the server's side is looked at for those.
      const timer = begin(socket)
      if (timer) socket.resume()
      socket.on('error', () => {})
      const closed = new Promise<void>(resolve =>
        socket.on('close', () => {
          clearInterval(timer)
          lasted.set(kind, [...(lasted.get(kind) ?? []), performance.now() - startedAt])
          resolve()
        })
      )
      onTestFinished(() => void socket.destroy())
      return { kind, closed }
    })
  )

  const statuses = new Set<number>()
  let slow = true
  const others = (async () => {
    let count = 0
    while (slow) {
      statuses.add((await account()).status)
      count++
      await wait(20)
    }
    return count
  })()
  await Promise.all(open.filter(({ kind }) => kind !== 'reading').map(({ closed }) => closed))
  await until(
    'those that do not read are cut off',
    async () => (await connections()) <= connectionsBefore + 4,
    2 * STALL_MS + SLACK_MS
  )
  const took = performance.now() - startedAt
  slow = false
  expect(await others).toBeGreaterThan(20)
  expect([...statuses]).toEqual([200])
  for (const [kind, limitMs] of kinds.slice(0, 2)) {
    expect(Math.max(...lasted.get(kind)!), kind).toBeLessThan(limitMs + 1_000 + SLACK_MS)
    expect(Math.min(...lasted.get(kind)!), kind).toBeGreaterThan(limitMs * 0.5)
  }
  const grown = (process.memoryUsage().rss - memoryBefore) / 1024 ** 2
  if (LONG)
    console.log({
      grownMiB: Math.round(grown),
      lasted: kinds.map(([kind]) => [kind, Math.round(Math.max(...(lasted.get(kind) ?? [took])))])
    })
  expect(grown).toBeLessThan(400)
})

test('a server holds connections for as long as the settings of a server say', async () => {
  const { server } = await buildTestApp()
  const { requestTimeout, headersTimeout, keepAliveTimeout, timeout, maxConnections } = server
  expect({ requestTimeout, headersTimeout, keepAliveTimeout, timeout, maxConnections }).toEqual({
    // That of an upload; the bodies of other requests have 30 seconds.
    requestTimeout: 3_600_000,
    headersTimeout: 10_000,
    keepAliveTimeout: 72_000,
    timeout: 60_000,
    maxConnections: 10_000
  })
})

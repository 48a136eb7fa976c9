import { readdirSync, readlinkSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, onTestFailed, onTestFinished, test } from 'vitest'
import { LIMITS } from '../../src/contract/limits.ts'
import { UNLIMITED } from '../faults/load.ts'
import { CONTAINER_BYTES, CONTAINER_HEAP } from '../support/container.ts'
import { portOf } from '../support/http.ts'
import { migratedDatabase, newOwner, serve, until } from '../support/process.ts'
import { canMeasureProcesses, memoryOf, watchMemory } from '../support/process-memory.ts'
import { buildTestApp, newUser } from '../support/server.ts'
import { closed, openSlowClients, openSocket, pipelined } from '../support/slow-clients.ts'

const LONG = process.env.SECURITY === 'long'
const MEBIBYTE = 1024 * 1024
/** A client address has a limit of connections. The rest is for the clients that ask meanwhile. */
const SOCKETS = LONG ? LIMITS.connections.perAddress * 0.3 : 100
/** For a busy machine; the target is a second. */
const SLACK_MS = 120_000
const SLOW = { timeout: 600_000 }

/** The times of a server. */
const SERVER = { requestTimeoutMs: 30_000, stallTimeoutMs: 60_000 }
const SHORT = { requestTimeoutMs: 3_000, stallTimeoutMs: 4_000 }

/** Sends requests until `stop`, which returns the status of each. */
function keepAsking(url: string, token: string) {
  const statuses: number[] = []
  let asking = true
  const all = (async () => {
    while (asking) {
      const reply = await fetch(`${url}/v1/account`, { headers: { authorization: `Bearer ${token}` } })
      await reply.arrayBuffer()
      statuses.push(reply.status)
      await wait(20)
    }
  })()
  // `stop` throws it.
  all.catch(() => {})
  return {
    statuses,
    async stop() {
      asking = false
      await all
      return statuses
    }
  }
}

/** Checks that all slow clients are cut off, how and when. `connections` returns how many are open besides those that ask. */
async function expectCutOff(
  slow: ReturnType<typeof openSlowClients>,
  connections: () => Promise<number> | number,
  { requestTimeoutMs, stallTimeoutMs }: typeof SERVER
) {
  const limits = { headers: requestTimeoutMs / 3, body: requestTimeoutMs }
  for (const kind of ['headers', 'body'] as const) {
    const ended = await slow[kind]
    const lasted = ended.filter(({ status }) => status === 408).map(({ ms }) => ms)
    // A server on a busy machine may refuse a few of the requests before their body is late.
    expect(ended.filter(({ status }) => status !== 408 && status !== 503)).toEqual([])
    expect(lasted.length, kind).toBeGreaterThan(0.9 * ended.length)
    expect(Math.max(...lasted), kind).toBeLessThan(limits[kind] + 1_000 + SLACK_MS)
    expect(Math.min(...lasted), kind).toBeGreaterThan(limits[kind] * 0.5)
  }
  // Node looks twice before it calls a connection with something to send one on which nothing moves.
  const withinMs = 2 * stallTimeoutMs + SLACK_MS
  await until('those that do not read are cut off', async () => (await connections()) <= 4, withinMs)
}

test('300 clients that send or read too slowly keep nobody else waiting, and are cut off in time', SLOW, async () => {
  const app = await buildTestApp({}, SHORT)
  await app.listen({ host: '127.0.0.1', port: 0 })
  onTestFinished(() => app.close())
  const { token } = await newUser('account:read', 'events:read')
  const connections = () => new Promise<number>(resolve => app.server.getConnections((_, count) => resolve(count)))
  const others = keepAsking(app.listeningOrigin, token)
  const slow = openSlowClients({ port: portOf(app), token, count: 100, dripMs: 200 })
  await expectCutOff(slow, connections, SHORT)
  const statuses = await others.stop()
  expect(statuses.length).toBeGreaterThan(20)
  expect(new Set(statuses)).toEqual(new Set([200]))
})

/** A server as a container has it. Connections are counted from outside. */
async function container() {
  const place = await migratedDatabase()
  const { token } = await newOwner(place)
  const server = await serve({ environment: { ...place.environment, ...UNLIMITED, ...CONTAINER_HEAP } })
  onTestFailed(() => console.log(server.output.stderr))
  const before = socketsOf(server.pid)
  return { server, token, port: Number(new URL(server.url).port), connections: () => socketsOf(server.pid) - before }
}

test.runIf(canMeasureProcesses)(`${3 * SOCKETS} slow clients leave a server within 512 MiB`, SLOW, async () => {
  const { server, token, port, connections } = await container()
  const others = keepAsking(server.url, token)
  await until('others are answered', () => others.statuses.length > 20)
  const [before, memory] = [memoryOf(server.pid), watchMemory(server.pid)]
  const slow = openSlowClients({ port, token, count: SOCKETS, dripMs: 2_000 })
  await slow.connected
  const asked = others.statuses.length
  await until('others are answered meanwhile', () => others.statuses.length > asked + 20)
  if (LONG) await expectCutOff(slow, connections, SERVER)
  const statuses = await others.stop()
  expect(new Set(statuses)).toEqual(new Set([200]))
  report('slow clients', before, memory.stop())
})

test.runIf(canMeasureProcesses)(
  `${SOCKETS} clients that each send 1,000 requests at once leave a server within 512 MiB`,
  SLOW,
  async () => {
    const { server, token, port } = await container()
    const others = keepAsking(server.url, token)
    await until('others are answered', () => others.statuses.length > 20)
    const [before, memory] = [memoryOf(server.pid), watchMemory(server.pid)]
    const sent = Array.from({ length: SOCKETS }, () => {
      const socket = openSocket(port).resume()
      socket.write(pipelined(1_000))
      return closed(socket)
    })
    await Promise.all(sent)
    const statuses = await others.stop()
    expect(new Set(statuses)).toEqual(new Set([200]))
    report('pipelined requests', before, memory.stop())
  }
)

function report(what: string, before: number, peak: number) {
  const [from, to] = [before, peak].map(bytes => Math.round(bytes / MEBIBYTE))
  if (LONG) console.log(`${what}: ${from} MiB before, ${to} MiB at most`)
  expect(peak).toBeLessThan(CONTAINER_BYTES)
}

function socketsOf(pid: number) {
  const folder = `/proc/${pid}/fd`
  return readdirSync(folder).filter(name => {
    try {
      return readlinkSync(`${folder}/${name}`).startsWith('socket:')
    } catch {
      // It was closed meanwhile.
      return false
    }
  }).length
}

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

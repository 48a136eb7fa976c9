// @module-tag both

import { accessSync, constants, readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, onTestFinished, test } from 'vitest'
import { LONG, loadOf, UNLIMITED } from '../faults/load.ts'
import { answersOf } from '../support/metrics.ts'
import {
  endOf,
  freePort,
  migratedDatabase,
  onPostgres,
  type Serving,
  serve,
  serverPorts,
  start,
  until
} from '../support/process.ts'

const SLOW = { timeout: 600_000 }
const STOPS = LONG ? 20 : 3

/** Whether connections that a stopping server has not accepted go to the other servers on its port: the kernel's setting. */
const MIGRATE_REQUESTS = '/proc/sys/net/ipv4/tcp_migrate_req'

function canMigrateRequests() {
  try {
    accessSync(MIGRATE_REQUESTS, constants.W_OK)
    return true
  } catch {
    return false
  }
}

function migrateRequests() {
  const before = readFileSync(MIGRATE_REQUESTS, 'utf8')
  writeFileSync(MIGRATE_REQUESTS, '1')
  onTestFinished(() => writeFileSync(MIGRATE_REQUESTS, before))
}

/** A migrated database, and the environment of servers that share one free port. */
async function sharedPort() {
  const { environment, ...place } = await migratedDatabase()
  return { ...place, environment: { ...environment, ...UNLIMITED, REUSE_PORT: 'true', PORT: String(await freePort()) } }
}

/** How many requests of the API the server has answered. */
async function countAnswers({ adminUrl }: Serving) {
  const text = await (await fetch(`${adminUrl}/metrics`, { headers: { connection: 'close' } })).text()
  return Object.values(answersOf(text)).reduce((sum, count) => sum + count, 0)
}

describe.runIf(onPostgres)('servers with REUSE_PORT', () => {
  test('answer on one port, each a part of the requests', SLOW, async () => {
    const place = await sharedPort()
    const servers = [await serve(place), await serve(place)]
    expect(servers[0]!.url).toBe(servers[1]!.url)
    await until('both have answered', async () => {
      expect(await servers[0]!.get('/v1/openapi.json')).toMatchObject({ status: 200 })
      return (await Promise.all(servers.map(countAnswers))).every(count => count > 0)
    })
  })

  // A machine where the test may not change the kernel's setting skips it.
  test.runIf(canMigrateRequests())('stop one after the other under load without a failed request', SLOW, async () => {
    migrateRequests()
    const place = await sharedPort()
    const servers = [await serve(place), await serve(place)]
    const load = await loadOf(place)
    const stop = load.start([servers[0]!])
    for (let stopped = 0; stopped < STOPS; stopped++) {
      const old = servers[stopped % 2]!
      old.kill('SIGTERM')
      expect(await endOf(old, 40_000)).toMatchObject({ code: 0, signal: null, stderr: '' })
      servers[stopped % 2] = await serve(place)
    }
    const { statuses, strange } = await stop()
    expect({ statuses: [...statuses.keys()], strange }).toEqual({ statuses: [200], strange: [] })
    expect(statuses.get(200)).toBeGreaterThan(100)
    expect(await load.check()).toBeGreaterThan(0)
  })

  test('refuse a server without it with one sentence, and continue', SLOW, async () => {
    const place = await sharedPort()
    const server = await serve(place)
    const ports = await serverPorts(place.environment.PORT)
    const other = start({ ...place.environment, ...ports, REUSE_PORT: 'false', LOG_LEVEL: 'error' }, ['serve'])
    expect(await endOf(other)).toEqual({
      code: 1,
      signal: null,
      stdout: '',
      stderr: `PORT: another process has port ${ports.PORT} at 127.0.0.1; stop it, or choose another PORT\n`
    })
    expect(await server.get('/v1/openapi.json')).toMatchObject({ status: 200 })
  })
})

import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { promisify } from 'node:util'
import Fastify from 'fastify'
import { expect, test } from 'vitest'
import { closeUnused, countInFlight } from '../../../src/interfaces/http/transport/in-flight.ts'
import { watchArrivals } from '../../../src/server/reuse-port.ts'
import { portOf } from '../../support/http.ts'

const CLIENT = new URL('../../support/burst-client.mjs', import.meta.url).pathname
const CLIENTS = 190
/** The time for which each request holds the event loop up. */
const BUSY_MS = 15

/** An application on a port, whose requests take all of the processor. */
async function busyServer() {
  const app = Fastify({ return503OnClosing: false })
  closeUnused(app, countInFlight(app.server))
  app.addHook('preClose', watchArrivals(app.server))
  const arrived = Promise.withResolvers<void>()
  app.get('/', async () => {
    arrived.resolve()
    const until = performance.now() + BUSY_MS
    while (performance.now() < until);
    return 'done'
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  return { app, arrived: arrived.promise }
}

test('a stop under overload answers every request that a client could send', { timeout: 60_000 }, async () => {
  const { app, arrived } = await busyServer()
  const client = promisify(execFile)(process.execPath, [CLIENT, String(portOf(app)), String(CLIENTS)])
  await arrived
  await app.close()
  const ends: string[] = JSON.parse((await client).stdout)
  expect(ends).toHaveLength(CLIENTS)
  expect(ends.filter(end => end === 'reset')).toEqual([])
  expect(ends.filter(end => end === 'answered').length).toBeGreaterThan(CLIENTS / 2)
})

test('a stop waits for no connection on which nothing arrives, and not for one that is new', {
  timeout: 30_000
}, async () => {
  const { app } = await busyServer()
  const unused = connect(portOf(app), '127.0.0.1')
  await once(unused, 'connect')
  const began = performance.now()
  await app.close()
  expect(performance.now() - began).toBeLessThan(5_000)
  unused.destroy()
})

// @module-tag postgres

import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import pg from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { migratedDatabase, onPostgres, openPlace, readiness, serve, until } from '../support/process.ts'
import { canRunCluster, ownCluster } from './cluster.ts'
import { loadOf, UNLIMITED } from './load.ts'

const SLOW = { timeout: 600_000 }

describe.runIf(onPostgres && Boolean(process.env.FAULTS))('a server that has no descriptors left', () => {
  test('stays, and goes on as before when those who held them leave', SLOW, async context => {
    context.skip(limitDescriptors === undefined, 'there is no prlimit here')
    const fresh = await migratedDatabase()
    const place = { ...fresh, environment: { ...fresh.environment, ...UNLIMITED } }
    const server = await serve(place)
    const load = await loadOf(place)
    limitDescriptors?.(server.pid, 128)
    const crowd = await crowdAt(new URL(server.url), 400)
    await until('it has none left', () => descriptorsOf(server.pid) >= 127)
    const stop = load.start([server], { pauseMs: 50 })
    await new Promise(done => setTimeout(done, 2_000))
    crowd.leave()
    await until('it is ready', async () => (await readiness(server.adminUrl)) === 200)
    await load.progress(10)
    const { strange } = await stop()
    expect(strange).toEqual([])
    const calm = load.start([server])
    await load.progress(10)
    expect([...(await calm()).statuses.keys()]).toEqual([200])
    await load.check()
    expect((await fetch(`${server.adminUrl}/livez`)).status).toBe(200)
  })
})

const limitDescriptors = (() => {
  try {
    execFileSync('prlimit', ['--version'])
    return (pid: number, count: number) =>
      void execFileSync('prlimit', ['--pid', String(pid), `--nofile=${count}:${count}`])
  } catch {
    return undefined
  }
})()

function descriptorsOf(pid: number) {
  return readdirSync(`/proc/${pid}/fd`).length
}

/** So many clients that connect and say nothing. */
async function crowdAt({ hostname, port }: URL, count: number) {
  const sockets: Socket[] = []
  for (let n = 0; n < count; n++) sockets.push(connect(Number(port), hostname).on('error', () => {}))
  await Promise.race(sockets.map(socket => once(socket, 'connect')))
  const leave = () => {
    for (const socket of sockets) socket.destroy()
  }
  onTestFinished(leave)
  return { leave }
}

describe.runIf(onPostgres && Boolean(process.env.FAULTS))('a server that gets no connection for its changes', () => {
  test(
    'refuses them within their time, and at once where many wait, reads on, and changes at once when there is one',
    SLOW,
    async () => {
      const fresh = await migratedDatabase()
      const place = { ...fresh, environment: { ...fresh.environment, ...UNLIMITED } }
      const server = await serve(place)
      const load = await loadOf(place, { sessions: 12 })
      const { pool } = await openPlace(place)
      const other = await pool.connect()
      // Each waits with its connection for a row that is locked, until none is left.
      await other.query('begin; lock table sessions in exclusive mode')
      const stop = load.start([server])
      await until('it has refused', () => (stop.seen.statuses.get(503) ?? 0) > 0)
      expect((await fetch(`${server.adminUrl}/livez`)).status).toBe(200)
      const reads = stop.seen.reads.get(200) ?? 0
      await until('it reads', () => (stop.seen.reads.get(200) ?? 0) > reads + 5)
      const crowd = await Promise.all(Array.from({ length: 200 }, () => change(server.url, load)))
      expect(new Set(crowd)).toEqual(new Set(['503 with Retry-After']))
      expect(server.output.stdout).toContain('Too many wait for a connection')
      await other.query('rollback')
      other.release()
      await load.progress(24)
      const seen = await stop()
      expect(seen.strange).toEqual([])
      expect([...seen.reads.keys()]).toEqual([200])
      await load.check()
    }
  )
})

/** A change that the load does not know of: it must not come through. */
async function change(url: string, { owner, ids }: Awaited<ReturnType<typeof loadOf>>) {
  const headers = { authorization: `Bearer ${owner.token}`, 'content-type': 'application/json' }
  const reply = await fetch(`${url}/v1/sessions/${ids[0]}`, { method: 'PATCH', headers, body: '{"favorite":true}' })
  await reply.body?.cancel()
  return `${reply.status} ${reply.headers.has('retry-after') ? 'with' : 'without'} Retry-After`
}

describe.runIf(onPostgres && canRunCluster && Boolean(process.env.FAULTS))(
  'a Postgres that has given all its connections to others',
  () => {
    test('makes the server refuse as the contract says, and it goes on as soon as there are some', SLOW, async () => {
      const { cluster, place } = await ownCluster()
      const server = await serve(place)
      const load = await loadOf(place)
      const others: pg.Client[] = []
      for (;;) {
        const client = new pg.Client({ connectionString: cluster.url })
        client.on('error', () => {})
        if (
          !(await client.connect().then(
            () => true,
            () => false
          ))
        )
          break
        others.push(client)
      }
      const [admin] = others
      const stop = load.start([server])
      // The connections the server had are taken too.
      await admin!.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'parlance serve'"
      )
      for (let n = 0; n < 20; n++) {
        const client = new pg.Client({ connectionString: cluster.url })
        client.on('error', () => {})
        if (
          await client.connect().then(
            () => true,
            () => false
          )
        )
          others.push(client)
      }
      await until('it has refused', () => (stop.seen.statuses.get(503) ?? 0) > 3)
      expect((await fetch(`${server.adminUrl}/livez`)).status).toBe(200)
      await Promise.all(others.map(client => client.end()))
      await load.progress(10)
      const seen = await stop()
      expect(seen.strange).toEqual([])
      expect([...seen.statuses.keys()].filter(status => status !== 200 && status !== 503)).toEqual([])
      await load.check()
    })
  }
)

// @module-tag postgres

import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import {
  freshDatabase,
  migratedDatabase,
  onPostgres,
  openPlace,
  type Place,
  readiness,
  run,
  serve,
  start,
  until
} from '../support/process.ts'
import { canRunCluster, ownCluster } from './cluster.ts'
import { LONG, loadOf, UNLIMITED } from './load.ts'
import { startProxy } from './proxy.ts'

/** FAULTS=long goes on for longer, over and over. */
const ROUNDS = LONG ? 10 : 2
const SLOW = { timeout: LONG ? 900_000 : 600_000 }

async function patientPlace(): Promise<Place> {
  const place = await migratedDatabase()
  return { ...place, environment: { ...place.environment, ...UNLIMITED } }
}

describe.runIf(onPostgres)('while the database', () => {
  test(
    'loses every connection again and again, requests fail as the contract says and nothing acknowledged is lost',
    SLOW,
    async () => {
      const place = await patientPlace()
      const server = await serve(place)
      const load = await loadOf(place)
      const { pool } = await openPlace(place)
      const stop = load.start([server])
      for (let round = 0; round < ROUNDS * 20; round++) {
        await pool.query(`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name = 'parlance serve'`)
        await wait(100)
      }
      await load.progress(10)
      const storm = await stop()
      expect(storm.strange).toEqual([])
      const calm = load.start([server])
      await load.progress(10)
      expect([...(await calm()).statuses.keys()]).toEqual([200])
      expect(await load.check()).toBeGreaterThan(0)
      await until('it is ready', async () => (await readiness(server.adminUrl)) === 200)
    }
  )

  test(
    'is behind a network that delays, loses and resets, every request has its answer, and afterwards all is well',
    SLOW,
    async () => {
      const place = await patientPlace()
      const address = new URL(place.url!)
      const proxy = await startProxy(Number(address.port || 5432))
      const load = await loadOf(place)
      address.host = `127.0.0.1:${proxy.port}`
      const server = await serve({ environment: { ...place.environment, DATABASE_URL: address.href } })
      for (let round = 0; round < ROUNDS; round++) {
        const stop = load.start([server])
        proxy.become({ delayMs: 50 })
        await load.progress(5)
        proxy.reset()
        proxy.become(round % 2 === 0 ? 'lost' : 'answers lost')
        await until('it says that the database is away', async () => (await readiness(server.adminUrl)) === 503)
        expect((await fetch(`${server.adminUrl}/livez`)).status).toBe(200)
        await wait(2_000)
        proxy.become({ delayMs: 0 })
        proxy.reset()
        await until('it is ready again', async () => (await readiness(server.adminUrl)) === 200)
        expect((await stop()).strange).toEqual([])
      }
      const calm = load.start([server])
      await load.progress(10)
      expect([...(await calm()).statuses.keys()]).toEqual([200])
      await load.check()
    }
  )

  test(
    'is on another machine from now on, and every connection is lost without a word, the server connects again',
    SLOW,
    async () => {
      const place = await patientPlace()
      const address = new URL(place.url!)
      const proxy = await startProxy(Number(address.port || 5432))
      const load = await loadOf(place)
      address.host = `127.0.0.1:${proxy.port}`
      const server = await serve({ environment: { ...place.environment, DATABASE_URL: address.href } })
      const { pool } = await openPlace(place)
      const other = await pool.connect()
      await other.query('begin; lock table folders in access exclusive mode')
      let isLost = false
      // A change is refused after a while, and on a busy machine that may be before every connection is there.
      const changes = Array.from({ length: 20 }, async (_, n) => {
        for (;;) {
          const status = await load.addFolder(server, `Folder ${n}`)
          if (isLost || status !== 503) return status
        }
      })
      await until('every connection waits for the lock', async () => {
        const { rows } = await pool.query("select from pg_locks where relation = 'folders'::regclass and not granted")
        return rows.length === 10
      })
      isLost = true
      proxy.forget()
      await other.query('rollback')
      other.release()
      // A request that had no connection yet may get one after the rollback.
      const statuses = new Set(await Promise.all(changes))
      expect(statuses).toContain(503)
      expect(statuses.difference(new Set([201, 503]))).toEqual(new Set())
      const isCalm = async () => {
        const stop = load.start([server])
        await load.progress(10)
        const { statuses } = await stop()
        return statuses.has(200) && statuses.size === 1
      }
      await until('every answer is 200 again', isCalm)
      await until('it is ready', async () => (await readiness(server.adminUrl)) === 200)
      await load.check()
    }
  )

  test(
    'is lost without a word in the middle of a migration, another migration needs to wait for half a minute only',
    SLOW,
    async () => {
      const place = await freshDatabase()
      const address = new URL(place.url!)
      const proxy = await startProxy(Number(address.port || 5432))
      address.host = `127.0.0.1:${proxy.port}`
      const { pool } = await openPlace(place)
      const other = await pool.connect()
      // The name belongs to a table that is not committed, so the migration waits for it after it has made others.
      await other.query('begin; create table sessions ()')
      start({ ...place.environment, DATABASE_URL: address.href }, ['migrate'])
      const waiting = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
      await until('the migration waits in the middle', async () => (await pool.query(waiting)).rows.length > 0)
      proxy.forget()
      await other.query('rollback')
      other.release()
      const sentence = /^(?:[^\n]*another migration[^\n]*\n)?$/
      expect(await run(place, 'migrate')).toMatchObject({ code: 0, stderr: expect.stringMatching(sentence) })
    }
  )

  test('is locked by somebody else, requests are refused in time and the admin port answers', SLOW, async () => {
    const place = await patientPlace()
    const server = await serve(place)
    const load = await loadOf(place)
    const { pool } = await openPlace(place)
    const other = await pool.connect()
    await other.query('begin; lock table sessions in access exclusive mode')
    const stop = load.start([server])
    await until('requests are refused', () => stop.seen.statuses.has(503))
    expect((await fetch(`${server.adminUrl}/livez`)).status).toBe(200)
    await other.query('rollback')
    other.release()
    expect((await stop()).strange).toEqual([])
    const calm = load.start([server])
    await load.progress(10)
    expect([...(await calm()).statuses.keys()]).toEqual([200])
    await load.check()
  })
})

describe.runIf(onPostgres && canRunCluster)('when a Postgres', () => {
  test.each(['fast', 'immediate'] as const)(
    'is restarted with mode %s under load, the server stays, is not ready meanwhile, and goes on',
    SLOW,
    async mode => {
      const { cluster, place } = await ownCluster()
      const server = await serve(place)
      const load = await loadOf(place)
      for (let round = 0; round < ROUNDS; round++) {
        const stop = load.start([server])
        await load.progress(10)
        cluster.stop(mode)
        await until('it says that the database is away', async () => (await readiness(server.adminUrl)) === 503)
        expect((await fetch(`${server.adminUrl}/livez`)).status).toBe(200)
        cluster.start()
        await until('it is ready again', async () => (await readiness(server.adminUrl)) === 200)
        await load.progress(10)
        expect((await stop()).strange).toEqual([])
      }
      expect(await load.check()).toBeGreaterThan(0)
    }
  )
})

// @module-tag both

import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { expect, inject, test } from 'vitest'
import { endOf, onPostgres, openPlace, type Place, readiness, serve, start, until } from '../support/process.ts'
import { canRunCluster, ownCluster } from './cluster.ts'
import { noDisk, smallDisk } from './disk.ts'
import { loadOf, report, total, UNLIMITED } from './load.ts'

const SLOW = { timeout: 300_000 }

/** A database whose disk can be filled up: a Postgres of the test's own, or the embedded one. */
async function smallPlace() {
  const disk = smallDisk(200)
  if (onPostgres) return { disk, ...(await ownCluster(join(disk.folder, 'postgres'))) }
  const where = inject('database')
  if ('template' in where) cpSync(where.template, disk.folder, { recursive: true })
  const place: Place = { environment: { DATA_DIR: disk.folder, ...UNLIMITED }, url: undefined, dataDir: disk.folder }
  return { disk, place, cluster: undefined }
}

test.runIf(Boolean(process.env.FAULTS))(
  'a database whose disk is full refuses writes as the contract says, goes on reading, and takes writes again as soon as there is room',
  SLOW,
  async context => {
    context.skip(noDisk !== undefined, noDisk)
    context.skip(onPostgres && !canRunCluster, 'no Postgres of its own can be run here')
    const { disk, place, cluster } = await smallPlace()
    const server = await serve(place)
    const load = await loadOf(place)
    const stop = load.start([server])
    await load.progress(10)

    disk.fill()
    await until('writes are refused', () => (stop.seen.statuses.get(503) ?? 0) > 3)
    const reads = stop.seen.reads.get(200) ?? 0
    await until('reads go on', () => (stop.seen.reads.get(200) ?? 0) > reads + 5)
    expect(await livenessOf(server)).toBe(200)
    await until('it is ready meanwhile', async () => (await readiness(server.adminUrl)) === 200)
    expect([...stop.seen.reads.keys()]).toEqual([200])
    disk.free()
    await load.progress(10)
    expect([...stop.seen.statuses.keys()].sort()).toEqual([200, 503])

    // With no room for its log either, a Postgres stops, and so does the embedded one with its server.
    disk.fill()
    await fillLog(place)
    const again = await (cluster ? returnOf(server, cluster, disk) : startAgain(server, place, disk))
    const second = load.start([again])
    await load.progress(10)
    const seen = [await stop(), await second()]
    expect(seen.flatMap(({ strange }) => strange)).toEqual([])
    const checked = await load.check()
    report(
      `disk filled up twice: ${seen.reduce((sum, { statuses }) => sum + total(statuses), 0)} requests, ${checked} acknowledged changes checked`
    )
  }
)

async function livenessOf({ adminUrl }: { adminUrl: string }) {
  return (await fetch(`${adminUrl}/livez`)).status
}

/** Makes the database need more of the disk for its log, until that costs it its life. */
async function fillLog(place: Place) {
  const { pool, close } = await openPlace(place)
  for (let segment = 0; segment < 50; segment++) {
    const taken = await pool.query('select pg_switch_wal(); create table filler (); drop table filler').then(
      () => true,
      () => false
    )
    if (!taken) break
  }
  await close().catch(() => {})
}

type Disk = ReturnType<typeof smallDisk>
type Server = Awaited<ReturnType<typeof serve>>

/** The server stays, says that the database is away, and goes on when that has been started again. */
async function returnOf(server: Server, cluster: { start(): void; stop(mode: 'immediate'): void }, disk: Disk) {
  await until('it says that the database is away', async () => (await readiness(server.adminUrl)) === 503)
  expect(await livenessOf(server)).toBe(200)
  disk.free()
  try {
    cluster.stop('immediate')
  } catch {
    // It has ended by itself.
  }
  cluster.start()
  await until('it is ready again', async () => (await readiness(server.adminUrl)) === 200)
  return server
}

/** The server ends, for another start to bring it back, which says what is wrong until there is room. */
async function startAgain(server: Server, place: Place, disk: Disk) {
  const { code, stdout } = await endOf(server)
  expect({ code, fatal: stdout.split('\n').filter(line => line.includes('"level":60')) }).toEqual({
    code: 1,
    // On a busy machine a statement exceeds its deadline first, and the engine that is started again finds no room.
    fatal: [
      expect.stringMatching(/(No space left on device|its disk has \d MiB left).*the embedded database ended by itself/)
    ]
  })
  const refused = await start(place.environment, ['serve']).ended
  expect(refused).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^Failed: The database in .* does not start: its disk has \d MiB left\. Make room/)
  })
  disk.free()
  return await serve(place)
}

import { randomBytes } from 'node:crypto'
import { cpSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openEngine } from '../../src/platform/db/embedded/engine.ts'
import { noDisk, smallDisk } from '../faults/disk.ts'
import { migratedDatabase, newOwner, onPostgres, readiness, serve, until } from '../support/process.ts'

/** Starts an engine on a database of its own, which is moved to `disk` if that is given. */
async function newEngine(disk?: { folder: string }) {
  const { dataDir } = await migratedDatabase()
  const folder = disk?.folder ?? dataDir
  if (disk) cpSync(join(dataDir, 'database'), join(folder, 'database'), { recursive: true })
  const engine = await openEngine(folder, false)
  onTestFinished(() => engine.close())
  const connect = async (config: pg.ClientConfig = {}) => {
    const client = new pg.Client({
      host: engine.socketDir,
      user: 'postgres',
      database: 'postgres',
      application_name: 'parlance test',
      ...config
    })
    client.on('error', () => {})
    onTestFinished(() => client.end())
    await client.connect()
    return client
  }
  return { engine, folder, connect, client: await connect() }
}

/** Bytes of the write-ahead log that the folder keeps. */
function logIn(folder: string) {
  const log = join(folder, 'database', 'pg_wal')
  return readdirSync(log).reduce((sum, name) => sum + statSync(join(log, name)).size, 0)
}

describe.runIf(!onPostgres)('the embedded database, which has no background processes', () => {
  test('reclaims what changes leave behind, gathers statistics and keeps its log short', async () => {
    const { folder, client } = await newEngine()
    await client.query('create table notes (id int primary key, text text)')
    await client.query('insert into notes select n from generate_series(1, 100) n')
    const text = () => randomBytes(500_000).toString('base64')
    for (let change = 0; change < 200; change++)
      await client.query('update notes set text = $1 where id = $2', [text(), 1 + (change % 100)])
    const { rows } = await client.query("select (pg_current_wal_lsn() - '0/0') / 1048576 > 128 as written")
    expect(rows).toEqual([{ written: true }])
    await until('the log is short', () => logIn(folder) <= 80 * 2 ** 20)
    const counted =
      'select n_dead_tup::int as dead, reltuples::int as known from pg_stat_user_tables s join pg_class c on c.oid = s.relid'
    await until(
      'nothing dead is left',
      async () => (await client.query(`${counted} where s.relname = 'notes'`)).rows[0].dead < 70
    )
    expect((await client.query(`${counted} where s.relname = 'notes'`)).rows[0].known).toBe(100)
    // Long texts lie in a table of their own, which may be vacuumed later.
    const ofTexts =
      'select n_dead_tup <= 50 + 0.2 * n_live_tup as clean from pg_stat_all_tables t join pg_class c on c.reltoastrelid = t.relid'
    await until(
      'their space is free',
      async () => (await client.query(`${ofTexts} where c.relname = 'notes'`)).rows[0].clean
    )
    const bytes = async () =>
      Number((await client.query("select pg_total_relation_size('notes') as bytes")).rows[0].bytes)
    const before = await bytes()
    for (let change = 0; change < 50; change++)
      await client.query('update notes set text = $1 where id = $2', [text(), 1 + change])
    expect(await bytes()).toBeLessThan(before * 1.1)
  })

  test('ends a statement beyond its deadline, and serves others again with everything committed', async () => {
    const { connect, client } = await newEngine()
    await client.query('create table kept (n int)')
    await client.query('insert into kept values (1)')
    const slow = await connect({ statement_timeout: 1_000 })
    await expect(slow.query('select count(*) from generate_series(1, 1000000000000)')).rejects.toThrow(
      'Connection terminated'
    )
    const again = await until('the engine is back', () => connect().catch(() => undefined))
    expect((await again.query('select n from kept')).rows).toEqual([{ n: 1 }])
  })

  test('says that its disk is full if it cannot start again after such a statement', async ({ skip }) => {
    skip(noDisk !== undefined, noDisk)
    const disk = smallDisk(200)
    const { engine, connect, client } = await newEngine(disk)
    await client.query('checkpoint')
    const slow = await connect({ statement_timeout: 1_000 })
    disk.fill()
    // A busy database needs another segment of its log to start; one in a test has room in the last.
    rmSync(join(disk.folder, 'database', 'global', 'pg_control'))
    // In the FROM clause, the series would need room on the disk.
    await expect(slow.query('select count(*) from (select generate_series(1, 1000000000000)) s')).rejects.toThrow(
      'Connection terminated'
    )
    expect(await engine.lost).toBe(
      `The database in ${disk.folder} does not start: its disk has 0 MiB left. Make room, then start again`
    )
  })

  test('lets a client without a deadline compute for as long as it takes', async () => {
    const { connect, client } = await newEngine()
    const hurried = await connect({ statement_timeout: 1_000 })
    expect((await hurried.query('select 1 as one')).rows).toEqual([{ one: 1 }])
    expect(
      (await client.query('select count(*)::int as n from generate_series(1, 8000000), pg_sleep(1.5)')).rows
    ).toEqual([{ n: 8_000_000 }])
  })

  test('a server goes on when its engine has ended a statement', { timeout: 300_000 }, async () => {
    const place = await migratedDatabase()
    const owner = await newOwner(place)
    const server = await serve(place)
    expect((await server.get('/v1/sessions', owner.token)).status).toBe(200)
    const slow = new pg.Client({
      host: place.dataDir,
      user: 'postgres',
      database: 'postgres',
      application_name: 'parlance test',
      statement_timeout: 1_000
    })
    slow.on('error', () => {})
    await slow.connect()
    await expect(slow.query('select count(*) from generate_series(1, 1000000000000)')).rejects.toThrow(
      'Connection terminated'
    )
    await until('it answers again', async () => (await server.get('/v1/sessions', owner.token)).status === 200)
    await until('it is ready', async () => (await readiness(server.adminUrl)) === 200)
    server.kill('SIGTERM')
    expect(await server.ended).toMatchObject({ code: 0 })
  })
})

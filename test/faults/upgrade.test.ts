// @module-tag postgres

import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { migrateDatabase } from '../../src/platform/db/migrate.ts'
import {
  freshDatabase,
  migratedDatabase,
  onPostgres,
  openPlace,
  type Place,
  rowsOf,
  run,
  serve,
  temporaryFolder,
  until
} from '../support/process.ts'
import { LONG, loadOf, UNLIMITED } from './load.ts'

/** FAULTS=long changes every table at once, which takes minutes: each time one of them is in use, it begins anew. */
const CHANGED = LONG ? '.' : '^(sessions|events|tokens|users)$'
const SLOW = { timeout: 600_000 }
/** On a busy machine, requests without a pause hold some table at every moment, and no attempt of the migration succeeds for minutes. */
const PACED = { pauseMs: 50 }
const WAITS_FOR_SESSIONS =
  "select from pg_locks where relation = 'sessions'::regclass and mode = 'AccessExclusiveLock' and not granted"

/** This program with one migration more, as the next version will be: it adds to tables, and an index to one. */
async function newerTree(place: Place) {
  const tree = temporaryFolder()
  for (const part of ['src', 'migrations', 'package.json']) cpSync(part, join(tree, part), { recursive: true })
  symlinkSync(resolve('node_modules'), join(tree, 'node_modules'))
  const named =
    "select quote_ident(tablename) as name from pg_tables where schemaname = 'public' and tablename ~ $1 order by 1"
  const tables = await rowsOf(place, named, [CHANGED])
  expect(tables.length).toBeGreaterThan(2)
  const statements = [
    ...tables.map(({ name }) => `alter table ${name} add column "of_the_next_version" text`),
    'create index "of_the_next_version" on "sessions" ("user_id", "of_the_next_version")'
  ]
  writeFileSync(join(tree, 'migrations/9999_next.sql'), statements.join(';\n--> statement-breakpoint\n'))
  const path = join(tree, 'migrations/meta/_journal.json')
  const journal = JSON.parse(readFileSync(path, 'utf8'))
  const entry = {
    ...journal.entries.at(-1),
    idx: journal.entries.length,
    when: Date.now() + 1_000_000,
    tag: '9999_next'
  }
  writeFileSync(path, JSON.stringify({ ...journal, entries: [...journal.entries, entry] }))
  return { ...place, tree }
}

/** Everything that an owner may read, each with its answer's status. */
async function readAll(url: string, { owner, ids }: { owner: { token: string }; ids: string[] }) {
  const of = (part: string) => `/sessions/${ids[0]}${part}`
  const paths = [
    '/account',
    '/sessions',
    '/sessions?tag=a',
    of(''),
    of('/transcript'),
    of('/action-items'),
    of('/media'),
    '/sessions/stats'
  ]
  paths.push('/folders', '/people', '/shared-sessions', '/webhooks', '/events?cursor=0', of('/sharing'))
  const asked: [string, object | undefined][] = paths.map(path => [path, undefined])
  asked.push(
    ['/sessions/search', { query: 'hello' }],
    ['/sessions/bulk', { session_ids: ids, include_transcript: true }]
  )
  asked.push(['/folders', { name: 'Clients' }], [of('/sharing/link'), {}])
  const statuses: Record<string, number> = {}
  for (const [path, body] of asked) {
    const headers = { authorization: `Bearer ${owner.token}`, ...(body && { 'content-type': 'application/json' }) }
    const reply = await fetch(`${url}/v1${path}`, {
      headers,
      ...(body && { method: 'POST', body: JSON.stringify(body) })
    })
    await reply.text()
    statuses[`${body ? 'POST' : 'GET'} ${path}`] = reply.status
  }
  return statuses
}

describe.runIf(onPostgres)('an upgrade under load', () => {
  test(
    'of the schema fails no request, though a table is in use for long; old servers go on, beside new ones',
    SLOW,
    async () => {
      const fresh = await migratedDatabase()
      const place = { ...fresh, environment: { ...fresh.environment, ...UNLIMITED } }
      const newer = await newerTree(place)
      const old = await serve(place)
      const load = await loadOf(place)
      const before = await readAll(old.url, load)

      // As a backup does. Who waits behind a change that waits for this would be refused after five seconds.
      const { pool } = await openPlace(place)
      const backup = await pool.connect()
      await backup.query('begin; lock table sessions in access share mode')
      const stop = load.start([old], PACED)
      const migrating = run(newer, 'migrate')
      const waits = async () => (await pool.query(WAITS_FOR_SESSIONS)).rows.length > 0
      for (const attempt of ['first', 'second']) {
        await until(`the ${attempt} attempt waits for the table`, waits)
        await until(`the ${attempt} attempt gives in`, async () => !(await waits()))
      }
      await backup.query('commit')
      backup.release()
      expect(await migrating).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/^Applied migrations: 1\.\nIn .+\.\n$/),
        stderr: expect.stringContaining('waits up to 300 s for a table: ')
      })
      const changing = await stop()
      expect({ statuses: [...changing.statuses.keys()], strange: changing.strange }).toEqual({
        statuses: [200],
        strange: []
      })

      const next = await serve(newer)
      const stopBoth = load.start([old, next], PACED)
      expect(await readAll(old.url, load)).toEqual(before)
      expect(await readAll(next.url, load)).toEqual(before)
      const both = await stopBoth()
      expect({ statuses: [...both.statuses.keys()], strange: both.strange }).toEqual({ statuses: [200], strange: [] })
      expect(await load.check()).toBeGreaterThan(0)
    }
  )

  test('gives up with a sentence when a table stays in use', SLOW, async () => {
    const place = await freshDatabase()
    const { pool } = await openPlace(place)
    // As another migration leaves it that has begun and is not done.
    await pool.query('create schema drizzle')
    await pool.query(
      'create table drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint)'
    )
    const other = await pool.connect()
    await other.query('begin; lock table drizzle.__drizzle_migrations in exclusive mode')
    const waits: string[] = []
    const migrating = migrateDatabase(
      { connectionString: place.url! },
      { patienceMs: 6_000, onWait: reason => waits.push(reason) }
    )
    const holder = String.raw`parlance test \(process \d+ of the database\) has used the table drizzle.__drizzle_migrations for \d+ s`
    await expect(migrating).rejects.toThrow(
      new RegExp(
        `^The schema could not be changed: ${holder}. Try again when that is over, or run: select pg_terminate_backend\\(\\d+\\)$`
      )
    )
    expect(waits).toEqual([expect.stringMatching(new RegExp(`^The migration waits up to 6 s for a table: ${holder}$`))])
    await other.query('rollback')
    other.release()
    await migrateDatabase({ connectionString: place.url! }, { patienceMs: 1_000 })
    expect(await rowsOf(place, 'select count(*)::int as rows from user_counters')).toEqual([{ rows: 0 }])
  })
})

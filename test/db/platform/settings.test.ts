// @module-tag both

import { expect, onTestFinished, test } from 'vitest'
import { sql } from '../../../src/platform/db/drizzle.ts'
import { openDatabase } from '../../../src/platform/db/open.ts'
import {
  fileIn,
  freshDatabase,
  migratedDatabase,
  onPostgres,
  openPlace,
  rowsOf,
  runJson,
  serve,
  temporaryFolder
} from '../../support/process.ts'

test.runIf(onPostgres)(
  'every connection ends statements and lost connections in time, without compilation and parallel workers',
  async () => {
    const { db, slow } = await openPlace(await migratedDatabase())
    const settings = sql`select current_setting('statement_timeout') as timeout, current_setting('jit') as jit,
    current_setting('max_parallel_workers_per_gather') as workers,
    current_setting('tcp_keepalives_idle') as idle, current_setting('idle_in_transaction_session_timeout') as transaction`
    const expected = [{ timeout: '15s', jit: 'off', workers: '0', idle: '30', transaction: '30s' }]
    for (const reader of [db, slow]) expect(await reader.query(settings)).toEqual(expected)
    expect((await db.execute(settings)).rows).toEqual(expected)
  }
)

test.runIf(onPostgres)(
  'options in the URL are sent as well, and do not replace those that the program needs',
  async () => {
    const { url, dataDir } = await migratedDatabase()
    const options = '-c TimeZone=America/New_York -c geqo=off'
    const asked = Object.assign(new URL(url!), {
      search: new URLSearchParams({ options, application_name: 'mine' }).toString()
    }).href
    const settings = sql`select current_setting('TimeZone') as zone, current_setting('statement_timeout') as timeout,
    current_setting('geqo') as geqo, current_setting('application_name') as name`
    const database = await openDatabase({
      url: asked,
      replicaUrl: asked,
      dataDir,
      share: true,
      name: 'parlance test',
      onError: () => {}
    })
    onTestFinished(() => database.close())
    const expected = [{ zone: 'UTC', timeout: '15s', geqo: 'off', name: 'mine' }]
    for (const reader of [database.db, database.slow, database.replica])
      expect(await reader.query(settings)).toEqual(expected)
    expect((await database.db.execute(settings)).rows).toEqual(expected)
  }
)

/** Defaults of a database under which statements or their values would mean something else. */
const STRANGE = {
  TimeZone: 'Asia/Tokyo',
  DateStyle: 'German',
  IntervalStyle: 'iso_8601',
  bytea_output: 'escape',
  extra_float_digits: '-5',
  standard_conforming_strings: 'off',
  quote_all_identifiers: 'on',
  default_transaction_isolation: 'repeatable read',
  idle_session_timeout: '1s',
  search_path: 'elsewhere'
}

test.runIf(onPostgres)('the defaults of a database change neither its tables nor what is read from them', async () => {
  const place = await freshDatabase()
  const name = new URL(place.url!).pathname.slice(1)
  await rowsOf(place, 'create schema elsewhere')
  await rowsOf(place, 'create schema "for vectors"')
  await rowsOf(place, 'create extension vector schema "for vectors"')
  for (const [setting, value] of Object.entries(STRANGE))
    await rowsOf(place, `alter database ${name} set ${setting} = ${setting === 'search_path' ? value : `'${value}'`}`)

  const server = await serve(place)
  await runJson(place, 'user', 'create', '--email', 'ada@example.test')
  const ofAda = ['--user', 'ada@example.test']
  const [issued] = await runJson(place, 'token', 'create', ...ofAda, '--name', 'test', '--scopes', 'all')
  const talk = fileIn(temporaryFolder(), 'talk.txt', 'Ada: The budget is too small.')
  await runJson(place, 'import', ...ofAda, '--wait', '--at', '2026-05-04T13:00:00Z', talk)
  expect(await server.get('/v1/sessions', String(issued?.token))).toMatchObject({
    status: 200,
    body: { sessions: [{ timestamp: '2026-05-04T13:00:00.000Z' }] }
  })
  expect((await runJson(place, 'doctor')).find(({ check }) => check === 'database')).toMatchObject({ ok: true })
  expect(await rowsOf(place, "select schemaname from pg_tables where tablename = 'sessions'")).toEqual([
    { schemaname: 'public' }
  ])
})

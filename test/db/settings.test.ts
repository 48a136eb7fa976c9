import { expect, onTestFinished, test } from 'vitest'
import { sql } from '../../src/db/drizzle.ts'
import { openDatabase } from '../../src/db/open.ts'
import { migratedDatabase, onPostgres, openPlace } from '../support/process.ts'

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

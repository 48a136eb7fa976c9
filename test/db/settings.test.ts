import { expect, test } from 'vitest'
import { sql } from '../../src/db/drizzle.ts'
import { migratedDatabase, onPostgres, openPlace } from '../support/process.ts'

test.runIf(onPostgres)('statements end in time, are never compiled and start no workers, on whatever connection', async () => {
  const { db, slow } = await openPlace(await migratedDatabase())
  const settings = sql`select current_setting('statement_timeout') as timeout, current_setting('jit') as jit,
    current_setting('max_parallel_workers_per_gather') as workers`
  const expected = [{ timeout: '15s', jit: 'off', workers: '0' }]
  for (const reader of [db, slow]) expect(await reader.query(settings)).toEqual(expected)
  expect((await db.execute(settings)).rows).toEqual(expected)
})

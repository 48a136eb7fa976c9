import { expect, test } from 'vitest'
import { migratedDatabase, onPostgres, openPlace } from '../support/process.ts'

test.runIf(onPostgres)('statements end in time, are never compiled and start no workers, on whatever connection', async () => {
  const { db, pool, express, background, searches } = await openPlace(await migratedDatabase())
  const text = "select current_setting('statement_timeout'), current_setting('jit'), current_setting('max_parallel_workers_per_gather')"
  for (const reader of [db, express, background, searches])
    expect(await reader.run({ name: 'settings', text }, [])).toEqual([['15s', 'off', '0']])
  expect((await pool.query({ text, rowMode: 'array' })).rows).toEqual([['15s', 'off', '0']])
})

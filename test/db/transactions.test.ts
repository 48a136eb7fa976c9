import { expect, test } from 'vitest'
import { sql } from '../../src/db/drizzle.ts'
import { migratedDatabase, openPlace } from '../support/process.ts'

test('what transactions ask often is prepared, once a connection; what differs each time is not', async () => {
  const { db } = await openPlace(await migratedDatabase(), { poolSize: 1 })
  const add = (one: number, other: string) =>
    db.transaction(async tx => {
      await tx.execute(sql`select ${sql.raw(other)}`)
      const { rows } = await tx.execute<{ sum: number }>(sql`select ${one}::integer + 1 as sum`)
      return rows[0]?.sum
    })
  for (let n = 0; n < 30; n++) expect(await add(n, `'text ${n}'`)).toBe(n + 1)
  const { rows } = await db.execute<{ statement: string }>(sql`select statement from pg_prepared_statements where name like '%often%'`)
  expect(rows.map(({ statement }) => statement)).toEqual(['select $1::integer + 1 as sum'])
})

test('a prepared statement is good after its table was changed', async () => {
  const { db } = await openPlace(await migratedDatabase(), { poolSize: 1 })
  const count = () => db.transaction(async tx => (await tx.execute(sql`select user_id from users where name = ${'Ada'}`)).rows.length)
  for (let n = 0; n < 15; n++) expect(await count()).toBe(0)
  await db.execute(sql`alter table users add column more text`)
  await db.execute(sql`alter table users drop column more`)
  expect(await count()).toBe(0)
})

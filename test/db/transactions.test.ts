import { expect, test } from 'vitest'
import { sql } from '../../src/db/drizzle.ts'
import { migratedDatabase, onPostgres, openPlace } from '../support/process.ts'

test('frequent statements of transactions are prepared once per connection; statements that always differ are not', async () => {
  const { db } = await openPlace(await migratedDatabase(), { poolSize: 1 })
  const add = (one: number, other: string) =>
    db.transaction(async tx => {
      await tx.execute(sql`select ${sql.raw(other)}`)
      const { rows } = await tx.execute<{ sum: number }>(sql`select ${one}::integer + 1 as sum`)
      return rows[0]?.sum
    })
  for (let n = 0; n < 30; n++) expect(await add(n, `'text ${n}'`)).toBe(n + 1)
  const { rows } = await db.execute<{ statement: string }>(
    sql`select statement from pg_prepared_statements where statement like '%as sum'`
  )
  expect(rows.map(({ statement }) => statement)).toEqual(['select $1::integer + 1 as sum'])
})

test('a prepared statement still works after a change of its table', async () => {
  const { db } = await openPlace(await migratedDatabase(), { poolSize: 1 })
  const count = () =>
    db.transaction(async tx => (await tx.execute(sql`select user_id from users where name = ${'Ada'}`)).rows.length)
  for (let n = 0; n < 15; n++) expect(await count()).toBe(0)
  await db.execute(sql`alter table users add column more text`)
  await db.execute(sql`alter table users drop column more`)
  expect(await count()).toBe(0)
})

test('a failed transaction leaves nothing, and listeners hear only of committed ones', async () => {
  const { db, commits } = await openPlace(await migratedDatabase(), { poolSize: 1 })
  await db.execute(sql`create table notes (text text)`)
  const heard: string[] = []
  for (const topic of ['deliveries', 'deletions']) commits.on(topic, userId => heard.push(`${topic} of ${userId}`))
  const failing = db.transaction(async tx => {
    tx.afterCommit('deliveries', 'usr_ada')
    await tx.execute(sql`insert into notes values ('before')`)
    await tx.execute(sql`select 1 / ${0}::integer`)
  })
  await expect(failing).rejects.toMatchObject({ code: '22012' })
  await db.transaction(async tx => {
    await tx.transaction(async inner => inner.afterCommit('deletions', 'usr_ben'))
    expect(heard).toEqual([])
  })
  expect((await db.execute(sql`select text from notes`)).rows).toEqual([])
  expect(heard).toEqual(['deletions of usr_ben'])
})

test.runIf(onPostgres)(
  'a transaction that loses its connection leaves nothing, and the next one has another connection',
  async () => {
    const { db } = await openPlace(await migratedDatabase(), { poolSize: 1 })
    await db.execute(sql`create table kept (n integer)`)
    for (let n = 0; n < 3; n++) {
      const losing = db.transaction(async tx => {
        await tx.execute(sql`insert into kept values (${n})`)
        await tx.execute(sql`select pg_terminate_backend(pg_backend_pid())`)
      })
      await expect(losing).rejects.toThrow()
    }
    expect((await db.execute(sql`select n from kept`)).rows).toEqual([])
  }
)

import { expect, test } from 'vitest'
import { sql } from '../../src/db/drizzle.ts'
import { together } from '../../src/db/together.ts'
import { migratedDatabase, onPostgres, openPlace } from '../support/process.ts'

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

test('of statements sent together the fault that was the cause is told, when all have ended, and nothing of them stays', async () => {
  const { db } = await openPlace(await migratedDatabase(), { poolSize: 1 })
  await db.execute(sql`create table notes (text text)`)
  let ended = 0
  for (let n = 0; n < 20; n++) {
    const failing = db.transaction(async tx => {
      const afterwards = async () => {
        await tx.execute(sql`select 1`)
        for (let turn = 0; turn < n; turn++) await Promise.resolve()
        try {
          await tx.execute(sql`insert into notes values (${`afterwards ${n}`})`)
        } finally {
          ended++
        }
      }
      await tx.execute(sql`insert into notes values ('before')`)
      await together(tx.execute(sql`select 2`), afterwards(), tx.execute(sql`select 1 / ${0}::integer`), tx.execute(sql`select 3`))
    })
    await expect(failing).rejects.toMatchObject({ cause: { code: '22012' } })
    expect(ended).toBe(n + 1)
  }
  const { rows } = await db.execute(sql`select text from notes`)
  expect(rows).toEqual([])
})

test('statements sent together each run once, and the answer is the first one’s', async () => {
  const { db } = await openPlace(await migratedDatabase(), { poolSize: 1 })
  await db.execute(sql`create table counted (n integer)`)
  const answer = await db.transaction(async tx => {
    const first = tx.select({ n: sql<number>`7` }).from(sql`(select) one`)
    return await together(first, tx.execute(sql`insert into counted values (1)`), false, undefined)
  })
  expect(answer).toEqual([{ n: 7 }])
  expect((await db.execute(sql`select n from counted`)).rows).toEqual([{ n: 1 }])
})

test.runIf(onPostgres)(
  'of a transaction whose connection is lost on the way nothing stays, and the next has another connection',
  async () => {
    const { db } = await openPlace(await migratedDatabase(), { poolSize: 1 })
    await db.execute(sql`create table kept (n integer)`)
    for (let n = 0; n < 3; n++) {
      const losing = db.transaction(async tx => {
        await tx.execute(sql`insert into kept values (${n})`)
        await together(tx.execute(sql`select pg_terminate_backend(pg_backend_pid())`), tx.execute(sql`insert into kept values (${n})`))
      })
      await expect(losing).rejects.toThrow()
    }
    expect((await db.execute(sql`select n from kept`)).rows).toEqual([])
  }
)

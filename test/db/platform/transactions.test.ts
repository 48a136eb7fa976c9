// @module-tag both

import { EventEmitter } from 'node:events'
import pg from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { lockFolder } from '../../../src/features/folders/queries.ts'
import { lockSession } from '../../../src/features/library/session-row.ts'
import { sql } from '../../../src/platform/db/drizzle.ts'
import type { Db } from '../../../src/platform/db/open.ts'
import { openTransactions } from '../../../src/platform/db/transactions.ts'
import { migratedDatabase, onPostgres, openPlace } from '../../support/process.ts'
import { newUser } from '../../support/server.ts'

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
  'if a transaction does not begin, nothing of it is committed, whatever its first statement is',
  async () => {
    const { url } = await migratedDatabase()
    const pool = new pg.Pool({ connectionString: url, max: 1, pipeline: true, Client: NeverBegins })
    onTestFinished(() => pool.end())
    await pool.query('create table notes (text text)')
    const transaction = openTransactions(pool, {
      commits: new EventEmitter(),
      nameOf: () => undefined,
      maxWaiting: 1,
      maxWaitingOfOwner: 1
    })
    const first = [sql`select text from notes for update`, sql`insert into notes values ('first')`]
    for (const statement of first) {
      const failing = transaction(async tx => {
        await tx.execute(statement)
        await tx.execute(sql`insert into notes values ('second')`)
      })
      await expect(failing).rejects.toMatchObject({ code: '22012' })
    }
    await expect(transaction(async () => {})).rejects.toMatchObject({ code: '22012' })
    expect((await pool.query('select text from notes')).rows).toEqual([])
  }
)

test('steps before the commit run last, in the order in which they were added, and a failing one undoes everything', async () => {
  const { db } = await openPlace(await migratedDatabase(), { poolSize: 1 })
  await db.execute(sql`create table notes (id serial, text text)`)
  const note = (text: string) => async (tx: Db) =>
    void (await tx.execute(sql`insert into notes (text) values (${text})`))
  await db.transaction(async tx => {
    tx.beforeCommit(async last => {
      await note('first step')(last)
      last.beforeCommit(note('step of a step'))
    })
    await tx.transaction(async inner => inner.beforeCommit(note('step of a savepoint')))
    const undone = tx.transaction(async inner => {
      inner.beforeCommit(note('never'))
      inner.afterCommit('deliveries', 'nobody')
      throw new Error('undone')
    })
    await expect(undone).rejects.toThrow('undone')
    await note('work')(tx)
  })
  const texts = async () => (await db.execute(sql`select text from notes order by id`)).rows.map(({ text }) => text)
  expect(await texts()).toEqual(['work', 'first step', 'step of a savepoint', 'step of a step'])
  const failing = db.transaction(async tx => {
    await note('undone')(tx)
    tx.beforeCommit(() => Promise.reject(new Error('not now')))
  })
  await expect(failing).rejects.toThrow('not now')
  expect(await texts()).toHaveLength(4)
  expect(() => db.beforeCommit(note('never'))).toThrow('There is no transaction')
})

describe('locks', () => {
  test('in another order than that of locks.ts fail, in a savepoint too', async () => {
    const { db } = await openPlace(await migratedDatabase(), { poolSize: 1 })
    const wrong = (run: (tx: Db) => Promise<unknown>) => expect(db.transaction(run)).rejects
    await wrong(async tx => {
      tx.willLock('folder')
      tx.willLock('session')
    }).toThrow('This transaction locks "session" after "folder"; see platform/db/locks.ts')
    await wrong(async tx => {
      tx.willLock('user counters')
      await tx.transaction(async inner => inner.willLock('webhook'))
    }).toThrow('This transaction locks "webhook" after "user counters"')
  })

  test('in that order, or of a kind that the transaction has, are taken', async () => {
    const { db } = await openPlace(await migratedDatabase(), { poolSize: 1 })
    await db.transaction(async tx => {
      for (const lock of ['session', 'folder', 'session', 'folder', 'user counters'] as const) tx.willLock(lock)
    })
    await db.transaction(async tx => tx.willLock('session'))
  })

  test('taken by operations in the wrong order fail: a folder before a session', async () => {
    const user = await newUser()
    const id = await user.session()
    const { body } = await user.post('/v1/folders', { name: 'Clients' })
    const wrong = user.db.transaction(async tx => {
      expect(await lockFolder(tx, user.id, body.id)).toBe(true)
      await lockSession(tx, user.id, id)
    })
    await expect(wrong).rejects.toThrow('"session" after "folder"')
  })
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

/** A client whose transactions do not begin, while its connection goes on. */
class NeverBegins extends pg.Client {
  constructor(settings?: string | pg.ClientConfig) {
    super(settings)
    const { query } = pg.Client.prototype
    const failing = (config: pg.QueryConfig, ...rest: unknown[]) =>
      Reflect.apply(query, this, [config.text === 'begin' ? 'select 1 / 0' : config, ...rest])
    Object.assign(this, { query: failing })
  }
}

test.runIf(onPostgres)('corrections that wait for one session hold one connection, so others go on', async () => {
  const user = await newUser()
  const [held, free] = [await user.session(), await user.session()]
  const correct = (id: string, name: string) => user.patch(`/v1/sessions/${id}/speakers`, { from: 'Ada', name })
  const released = Promise.withResolvers<void>()
  const locked = Promise.withResolvers<void>()
  const holding = user.db.transaction(async tx => {
    await lockSession(tx, user.id, held)
    locked.resolve()
    await released.promise
  })
  await locked.promise
  const waiting = Array.from({ length: 15 }, () => correct(held, 'Grace'))
  expect((await correct(free, 'Eve')).status).toBe(200)
  released.resolve()
  await holding
  // The first has made the change that the others would make.
  const statuses = (await Promise.all(waiting)).map(({ status }) => status)
  expect(statuses.toSorted()).toEqual([200, ...Array.from({ length: 14 }, () => 400)])
})

// @module-tag both

import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { sql } from '../../../src/platform/db/drizzle.ts'
import type { OpenDatabase } from '../../../src/platform/db/open.ts'
import { type JobAttempt, openJobs } from '../../../src/platform/jobs/jobs.ts'
import { type JobData, QUEUE_NAMES } from '../../../src/platform/jobs/queues.ts'
import { afterFile, migratedDatabase, openPlace, type Place, until } from '../../support/process.ts'

const SLOW = { timeout: 300_000 }
const job = (sessionId: string) => ({ userId: 'usr_test', sessionId })

const finally_ = afterFile()
let shared: { place: Place; database: OpenDatabase }
beforeAll(async () => {
  const place = await migratedDatabase(finally_)
  shared = { place, database: await openPlace(place, { poolSize: 8, finally: finally_ }) }
})

describe('a job', () => {
  test('enqueued in a transaction that is rolled back never runs; in a committed one it runs once', SLOW, async () => {
    const { database, jobs } = await newQueue()
    const ran: string[] = []
    await jobs.work('process-session', 2, async ({ sessionId }) => void ran.push(sessionId))
    const dropped = database.db.transaction(async tx => {
      await jobs.enqueue(tx, 'process-session', job('rolled back'))
      throw new Error('rolled back')
    })
    await expect(dropped).rejects.toThrow('rolled back')
    await enqueue(database, jobs, 'committed')
    await until('it has run', () => ran.length > 0)
    await enqueue(database, jobs, 'last')
    await until('the one after it has run', () => ran.includes('last'))
    expect(ran).toEqual(['committed', 'last'])
  })

  test('can be the first thing that a process enqueues', SLOW, async () => {
    const place = await migratedDatabase()
    const database = await openPlace(place, { poolSize: 4 })
    for (let process = 0; process < 2; process++) {
      const jobs = await openJobs(database, { supervise: false, onError: () => {} })
      await database.db.transaction(tx => jobs.enqueue(tx, 'process-session', job(`of process ${process}`)))
      await jobs.stop()
    }
    const { rows } = await database.pool.query("select data->>'sessionId' as id from pgboss.job order by id")
    expect(rows).toEqual([{ id: 'of process 0' }, { id: 'of process 1' }])
  })

  test('runs on one of several workers only', SLOW, async () => {
    const { database, jobs } = await newQueue()
    const others = [await anotherWorker(database), await anotherWorker(database)]
    const ran: string[] = []
    for (const worker of [jobs, ...others])
      await worker.work('process-session', 2, async ({ sessionId }) => void ran.push(sessionId))
    const ids = Array.from({ length: 50 }, (_, index) => `job ${index}`)
    // In one transaction, which lets all workers see them at once and waits for one connection only.
    await database.db.transaction(async tx => {
      for (const id of ids) await jobs.enqueue(tx, 'process-session', job(id))
    })
    await until('all have run', () => ran.length >= ids.length)
    await until('none is left', async () => (await statesOf(database)).every(state => state === 'completed'))
    expect(ran.sort()).toEqual(ids.sort())
  })

  test('is counted by queue and state until it is done, with the error for which it is repeated', SLOW, async () => {
    const { database, jobs } = await newQueue()
    await jobs.work('process-session', 1, () => Promise.reject(new Error('The provider is away')))
    await enqueue(database, jobs, 'fails')
    await database.db.transaction(tx => jobs.enqueue(tx, 'delete-user', { userId: 'usr_test' }))
    const inspect = () => jobs.inspectQueues(database.db)
    // Five seconds later it is attempted again, which counts as another state.
    const { counts, reasons } = await until('it waits for another attempt', async () => {
      const found = await inspect()
      return found.reasons.length > 0 && found.counts.some(({ state }) => state === 'retry') ? found : undefined
    })
    expect(counts.toSorted((a, b) => a.queue.localeCompare(b.queue))).toEqual([
      { queue: 'delete-user', state: 'created', jobs: 1, since: expect.any(Date) },
      { queue: 'process-session', state: 'retry', jobs: 1, since: expect.any(Date) }
    ])
    expect(reasons).toEqual([{ reason: 'The provider is away', jobs: 1 }])
    await database.pool.query("update pgboss.job set state = 'completed'")
    expect(await inspect()).toEqual({ counts: [], reasons: [] })
  })

  test('is attempted again when it fails', SLOW, async () => {
    const { database, jobs } = await newQueue()
    const attempts: boolean[] = []
    await jobs.work('process-session', 1, async (_, { last }) => {
      attempts.push(last)
      if (attempts.length === 1) throw new Error('not yet')
    })
    await enqueue(database, jobs, 'fails once')
    await until('it is done', async () => (await statesOf(database)).every(state => state === 'completed'))
    expect(attempts).toEqual([false, false])
  })

  test('of another owner runs beside a backlog of one owner', SLOW, async () => {
    const { database, jobs } = await newQueue()
    const begun: string[] = []
    let release = () => {}
    const released = new Promise<void>(resolve => {
      release = resolve
    })
    await jobs.work('process-session', { atOnce: 3, perOwner: 2 }, async ({ sessionId }) => {
      begun.push(sessionId)
      await released
    })
    for (const id of ['first', 'second', 'third', 'fourth']) await enqueue(database, jobs, id)
    await database.db.transaction(tx =>
      jobs.enqueue(tx, 'process-session', { userId: 'usr_other', sessionId: 'of another' })
    )
    await until('three are under way', () => begun.length === 3)
    expect(begun.filter(id => id !== 'of another')).toHaveLength(2)
    release()
    await until('all are done', async () => (await statesOf(database)).every(state => state === 'completed'))
    expect(begun).toHaveLength(5)
  })

  test('follows another at once, long before the queue is polled again', SLOW, async () => {
    const { database, jobs } = await newQueue()
    const ran: string[] = []
    for (let n = 0; n < 20; n++) await database.db.transaction(tx => jobs.enqueue(tx, 'erase-answers', job(`job ${n}`)))
    const startedAt = performance.now()
    // Polled every ten seconds, this would take more than three minutes.
    await jobs.work('erase-answers', 1, async ({ sessionId }) => void ran.push(sessionId))
    await until('all have run', () => ran.length === 20)
    expect(performance.now() - startedAt).toBeLessThan(60_000)
  })

  test('does not wait after a job during which the process’s clock was set back by an hour', SLOW, async () => {
    const { database, jobs } = await newQueue()
    const ran: string[] = []
    let release = () => {}
    await jobs.work('process-session', 1, async ({ sessionId }) => {
      ran.push(sessionId)
      if (sessionId === 'first')
        await new Promise<void>(resolve => {
          release = resolve
        })
    })
    await enqueue(database, jobs, 'first')
    await until('the first is under way', () => ran.length > 0)
    const real = Date.now
    const stepped = vi.spyOn(Date, 'now').mockImplementation(() => real() - 3_600_000)
    onTestFinished(() => stepped.mockRestore())
    await enqueue(database, jobs, 'second')
    release()
    await until('the second has run', () => ran.includes('second'))
    expect(ran).toEqual(['first', 'second'])
  })

  test('leaves its error in the queue, without the values of a statement', SLOW, async () => {
    const { database, jobs: idle } = await newQueue()
    await idle.stop()
    const faults: string[] = []
    const jobs = await openJobs(database, { supervise: true, onError: fault => faults.push(fault.message) })
    onTestFinished(() => jobs.stop())
    await enqueue(database, jobs, 'fails')
    await database.pool.query('update pgboss.job set retry_limit = 0')
    await jobs.work(
      'process-session',
      1,
      async () => void (await database.db.execute(sql`select ${'a word'}::text from nowhere`))
    )
    await until('it has failed', async () => (await statesOf(database)).includes('failed'))
    const { rows } = await database.pool.query('select output from pgboss.job')
    expect(rows).toEqual([{ output: expect.objectContaining({ message: 'a statement failed' }) }])
    expect(JSON.stringify(rows)).not.toContain('a word')
    expect(faults).toEqual([expect.stringContaining('nowhere')])
  })

  test('is handed back at once when its worker stops, and finished by another', SLOW, async () => {
    const { database, jobs } = await newQueue()
    const events: string[] = []
    await jobs.work('process-session', 1, async (_, attempt) => {
      events.push('started')
      await aborted(attempt)
    })
    await enqueue(database, jobs, 'long')
    await until('it is under way', () => events.length > 0)
    await jobs.stop()
    const other = await anotherWorker(database)
    await other.work('process-session', 1, async ({ sessionId }) => void events.push(`finished ${sessionId}`))
    await until('another has finished it', () => events.includes('finished long'))
    await until('nothing is left', async () => (await statesOf(database)).every(state => state === 'completed'))
    expect(events).toEqual(['started', 'finished long'])
  })

  test('runs if the database’s clock was a day ahead when it was enqueued and is set back', SLOW, async () => {
    const { database, jobs } = await newQueue()
    await enqueue(database, jobs, 'ahead')
    await database.pool.query(
      `update pgboss.job set created_on = created_on + interval '1 day', start_after = start_after + interval '1 day'`
    )
    const ran: string[] = []
    await jobs.work('process-session', 1, async ({ sessionId }) => void ran.push(sessionId))
    await until('it has run', () => ran.length > 0)
  })

  test('of any queue is kept while the database’s clock is 400 days ahead', SLOW, async () => {
    const { database, jobs } = await newQueue()
    const data = {
      ...job('kept'),
      personId: '',
      inviteId: '',
      sendCount: 1,
      tokenId: '',
      days: 1,
      key: '',
      version: 1,
      model: null
    }
    for (const queue of QUEUE_NAMES as (keyof JobData)[])
      await database.db.transaction(tx => jobs.enqueue(tx, queue, data as never))
    await database.pool.query(`
      update pgboss.job set created_on = created_on - interval '400 days', start_after = start_after - interval '400 days',
        keep_until = keep_until - interval '400 days'`)
    // A job that pg-boss may delete shows that it has looked.
    await database.db.transaction(tx => jobs.enqueue(tx, 'retention', {}))
    await database.pool.query("update pgboss.job set keep_until = 'epoch' where created_on > now() - interval '1 day'")
    await database.pool.query('update pgboss.queue set maintain_on = null')
    await until('old jobs are deleted', async () => (await statesOf(database)).length === QUEUE_NAMES.length)
    expect(await statesOf(database)).toEqual(QUEUE_NAMES.map(() => 'created'))
  })
})

/** An empty queue, in the one database of this file. */
async function newQueue() {
  const { place, database } = shared
  const jobs = await anotherWorker(database, true)
  await database.pool.query('delete from pgboss.job')
  return { place, database, jobs }
}

async function anotherWorker(database: OpenDatabase, supervise = false) {
  const jobs = await openJobs(database, { supervise, onError: () => {} })
  onTestFinished(() => jobs.stop())
  return jobs
}

async function enqueue({ db }: OpenDatabase, jobs: Awaited<ReturnType<typeof openJobs>>, sessionId: string) {
  await db.transaction(tx => jobs.enqueue(tx, 'process-session', job(sessionId)))
}

async function statesOf({ pool }: OpenDatabase): Promise<string[]> {
  const { rows } = await pool.query('select state from pgboss.job')
  return rows.map(({ state }) => state)
}

/** Works until it is told to give up, as the pipeline does. */
async function aborted({ signal }: JobAttempt) {
  await new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('given up'))))
}

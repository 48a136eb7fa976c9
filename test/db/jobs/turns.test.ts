// @module-tag both

import { expect, onTestFinished, test } from 'vitest'
import { type Jobs, openJobs } from '../../../src/platform/jobs/jobs.ts'
import { emptyDatabase, newOwner, openPlace, until } from '../../support/process.ts'
import { acceptSession } from '../../support/server.ts'

const SLOW = { timeout: 300_000 }

/** A queue with owners by name. A session that has run is completed. */
async function newQueue(...names: string[]) {
  const place = await emptyDatabase()
  const database = await openPlace(place, { poolSize: 6 })
  const { db, pool } = database
  const open = async () => {
    const jobs = await openJobs(database, { supervise: false, onError: () => {} })
    onTestFinished(() => jobs.stop())
    return jobs
  }
  const jobs = await open()
  const owners = new Map<string, string>()
  for (const name of names) owners.set(name, (await newOwner(place)).id)
  const nameOf = (userId: string) => [...owners].find(([, id]) => id === userId)![0]
  const ran: string[] = []

  async function add(name: string, count = 1) {
    const userId = owners.get(name)!
    for (let at = 0; at < count; at++) {
      const sessionId = await acceptSession(userId, {}, db)
      await db.transaction(tx => jobs.enqueue(tx, 'process-session', { userId, sessionId }))
    }
  }

  /** Runs jobs until there are none; `before` is called in each of them. */
  async function work(workers: Parameters<Jobs['work']>[1], before = async (_name: string) => {}) {
    await jobs.work('process-session', workers, async ({ userId, sessionId }) => {
      ran.push(nameOf(userId))
      await pool.query("update sessions set state = 'completed' where session_id = $1", [sessionId])
      await before(nameOf(userId))
    })
    await until('no job is left', async () => {
      const { rows } = await pool.query("select from pgboss.job where state <= 'active'")
      return rows.length === 0
    })
  }

  /** The turns of an owner's sessions as they were queued. */
  const turnsOf = async (name: string): Promise<number[]> => {
    const { rows } = await pool.query(
      'select -priority as turn from pgboss.job where group_id = $1 order by created_on',
      [owners.get(name)]
    )
    return rows.map(({ turn }) => turn)
  }

  /**
   * Makes the turns of all sessions earlier by so many periods, as if these had passed. With a number below zero the turns are ahead of the
   * clock, and a period that ends during the test changes none.
   */
  async function passPeriods(periods: number) {
    await pool.query('update pgboss.job set priority = priority + $1', [periods])
    await pool.query('update user_counters set last_turn = last_turn - $1', [periods])
  }
  return { jobs, open, ran, add, work, turnsOf, passPeriods, owners }
}

test(
  'the sessions of a newcomer are processed after a few of the two hundred that another owner has queued',
  SLOW,
  async () => {
    const { ran, add, work } = await newQueue('ada', 'ben')
    await add('ada', 200)
    await add('ben', 2)
    await work({ atOnce: 3, perOwner: 2 })
    expect(ran).toHaveLength(202)
    expect(ran.lastIndexOf('ben')).toBeLessThan(10)
  }
)

test('two owners with a backlog alternate, from wherever the first one is', SLOW, async () => {
  const { ran, add, work } = await newQueue('ada', 'ben')
  await add('ada', 9)
  await work(1, async () => {
    if (ran.length === 5) await add('ben', 5)
  })
  expect(ran.join(' ')).toBe('ada ada ada ada ada ada ben ada ben ada ben ada ben ben')
})

test(
  'an owner with a backlog has their turn among owners who send the next session when one is done',
  SLOW,
  async () => {
    const { ran, add, work, passPeriods } = await newQueue('ada', 'ben', 'cleo')
    await add('ada', 5)
    await passPeriods(-10)
    await add('ben')
    await add('cleo')
    await work(1, async name => {
      if (name !== 'ada' && ran.includes('ada') && ran.filter(each => each === 'ada').length < 5) await add(name)
    })
    // Of three owners with work, each has a third.
    expect(ran.slice(0, 13).join(' ')).toBe('ada ben cleo ada ben cleo ada ben cleo ada ben cleo ada')
  }
)

test(
  'the sessions of one owner are processed in order, and after a burst the owner waits no longer than others',
  SLOW,
  async () => {
    const { add, work, turnsOf } = await newQueue('ada', 'ben')
    await add('ada', 20)
    const [first, ...others] = await turnsOf('ada')
    expect(others).toEqual(others.map((_, at) => first! + at + 1))
    await work(1)
    await add('ada')
    await add('ben')
    const [last, ben] = [(await turnsOf('ada')).at(-1)!, (await turnsOf('ben'))[0]!]
    expect(last - ben).toBeLessThanOrEqual(1)
  }
)

test('no session is passed by one that was queued as many periods later as it has turns ahead', SLOW, async () => {
  const { ran, add, work, passPeriods } = await newQueue('ada', 'ben', 'cleo')
  await add('ada', 5)
  await passPeriods(-10)
  await add('ben', 2)
  await passPeriods(20)
  await add('cleo', 2)
  await work(1)
  expect(ran.join(' ')).toBe('ada ben ada ben ada ada ada cleo cleo')
})

test('a session whose server stops keeps its turn', SLOW, async () => {
  const { add, jobs, turnsOf } = await newQueue('ada', 'ben')
  await add('ada', 3)
  let begun = 0
  await jobs.work('process-session', 1, async (_, { signal }) => {
    begun++
    await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('stopped'))))
  })
  await until('the first is under way', () => begun > 0)
  const before = await turnsOf('ada')
  await jobs.stop()
  expect(await turnsOf('ada')).toEqual([...before, before[0]])
})

// @module-tag both

import { expect, onTestFinished, test } from 'vitest'
import { everyScope } from '../../../src/features/access/actor.ts'
import { startCall } from '../../../src/features/ingest/calls.ts'
import { requeueSessions, retrySession } from '../../../src/features/ingest/retry.ts'
import type { OpenDatabase } from '../../../src/platform/db/open.ts'
import { type Jobs, openJobs } from '../../../src/platform/jobs/jobs.ts'
import {
  emptyDatabase,
  fileIn,
  migratedDatabase,
  newOwner,
  openPlace,
  rowsOf,
  runJson,
  serve,
  temporaryFolder,
  until
} from '../../support/process.ts'
import { acceptSession, clock, completeSession, NO_QUOTAS } from '../../support/server.ts'
import { restore, trash } from '../../support/trash.ts'

const NEVER = new AbortController().signal
const SLOW = { timeout: 300_000 }

async function newQueue() {
  const place = await emptyDatabase()
  const database = await openPlace(place, { poolSize: 4 })
  const jobs = await openJobs(database, { supervise: false, onError: () => {} })
  onTestFinished(() => jobs.stop())
  const failed: string[] = []
  const tools = {
    db: database.db,
    jobs,
    clock,
    quotas: NO_QUOTAS,
    onFailure: (session: string) => void failed.push(session)
  }
  return { database, jobs, failed, tools, owner: await newOwner(place) }
}

/** The jobs of a session, in the states that the queue has them in. */
async function jobsOf({ pool }: OpenDatabase, sessionId: string): Promise<string[]> {
  const { rows } = await pool.query("select state from pgboss.job where data->>'sessionId' = $1 order by state", [
    sessionId
  ])
  return rows.map(({ state }) => state)
}

async function stateOf({ pool }: OpenDatabase, sessionId: string) {
  const { rows } = await pool.query('select state, failure from sessions where session_id = $1', [sessionId])
  return rows[0]
}

/** A session that is processing, with a job in that state for each one named. */
async function processing(database: OpenDatabase, jobs: Jobs, userId: string, ...states: string[]) {
  const sessionId = await acceptSession(userId, {}, database.db)
  for (const state of states) {
    await database.db.transaction(tx => jobs.enqueue(tx, 'process-session', { userId, sessionId }))
    const added = "data->>'sessionId' = $2 and state = 'created'"
    if (state !== 'created')
      await database.pool.query(`update pgboss.job set state = $1::pgboss.job_state where ${added}`, [state, sessionId])
  }
  return sessionId
}

test(
  'a session that is processing without a job is enqueued again once, even by several processes at once',
  SLOW,
  async () => {
    const { database, jobs, tools, owner } = await newQueue()
    const id = await processing(database, jobs, owner.id)
    const turns = await Promise.all([1, 2, 3].map(() => requeueSessions(tools, NEVER)))
    expect(turns.sort()).toEqual([0, 0, 1])
    expect(await jobsOf(database, id)).toEqual(['created'])
    expect(await requeueSessions(tools, NEVER)).toBe(0)
  }
)

test(
  'an imported call that its document calls ongoing is enqueued again, by the sweep, a retry and a restore',
  SLOW,
  async () => {
    const { database, tools, owner } = await newQueue()
    const call = () => acceptSession(owner.id, { type: 'phone', phone: { ongoing: true } }, database.db)
    const swept = await call()
    expect(await requeueSessions(tools, NEVER)).toBe(1)
    expect(await jobsOf(database, swept)).toEqual(['created'])
    const retried = await call()
    await retrySession(tools, everyScope(owner.id, 'command'), retried)
    expect(await jobsOf(database, retried)).toEqual(['created'])
    const restored = await call()
    await trash({ db: database.db }, owner.id, restored)
    await restore(tools, owner.id, restored)
    expect(await jobsOf(database, restored)).toEqual(['created'])
  }
)

test.each(['created', 'retry', 'active'])('a session whose job is %s keeps it', SLOW, async state => {
  const { database, jobs, tools, owner } = await newQueue()
  const id = await processing(database, jobs, owner.id, state)
  expect(await requeueSessions(tools, NEVER)).toBe(0)
  expect(await jobsOf(database, id)).toEqual([state])
})

test('completed and deleted sessions and a live call are not enqueued', SLOW, async () => {
  const { database, jobs, tools, owner } = await newQueue()
  const [completed, deleted] = [await processing(database, jobs, owner.id), await processing(database, jobs, owner.id)]
  await completeSession(owner.id, completed, undefined, database.db)
  await trash({ db: database.db }, owner.id, deleted)
  const sent = {
    direction: 'outbound',
    status: 'ringing',
    to_number: null,
    from_number: null,
    provider: null,
    contact_name: null
  } as const
  const call = await startCall(tools, everyScope(owner.id, 'admin'), { ...sent, platform: null })
  expect(await requeueSessions(tools, NEVER)).toBe(0)
  for (const id of [completed, deleted, call.session.id]) expect(await jobsOf(database, id)).toEqual([])
  expect(await retrySession(tools, everyScope(owner.id, 'command'), call.session.id)).toMatchObject({
    status: 'processing'
  })
  expect(await jobsOf(database, call.session.id)).toEqual([])
  await trash({ db: database.db }, owner.id, call.session.id)
  await restore(tools, owner.id, call.session.id)
  expect(await jobsOf(database, call.session.id)).toEqual([])
})

test(
  'a session whose job failed for good gets another one; after the second it fails with a reason',
  SLOW,
  async () => {
    const { database, jobs, failed, tools, owner } = await newQueue()
    const [once, twice] = [
      await processing(database, jobs, owner.id, 'failed'),
      await processing(database, jobs, owner.id, 'failed', 'failed')
    ]
    expect(await requeueSessions(tools, NEVER)).toBe(1)
    expect(await jobsOf(database, once)).toEqual(['created', 'failed'])
    expect(failed).toEqual([twice])
    expect(await stateOf(database, twice)).toEqual({
      state: 'failed',
      failure: expect.stringContaining('interrupted too often')
    })
    expect(await jobsOf(database, twice)).toEqual(['failed', 'failed'])
    expect(await retrySession(tools, everyScope(owner.id, 'command'), twice)).toMatchObject({ status: 'processing' })
    expect(await jobsOf(database, twice)).toEqual(['created', 'failed', 'failed'])
  }
)

test('a retry enqueues a session that is processing without a job, and no session twice', SLOW, async () => {
  const { database, jobs, tools, owner } = await newQueue()
  const id = await processing(database, jobs, owner.id, 'failed')
  await Promise.all([1, 2, 3].map(() => retrySession(tools, everyScope(owner.id, 'command'), id)))
  expect(await jobsOf(database, id)).toEqual(['created', 'failed'])
})

test('a stop ends the search between two sessions', SLOW, async () => {
  const { database, jobs, tools, owner } = await newQueue()
  const id = await processing(database, jobs, owner.id)
  expect(await requeueSessions(tools, AbortSignal.abort())).toBe(0)
  expect(await jobsOf(database, id)).toEqual([])
})

test('a started server completes a session whose job was lost', SLOW, async () => {
  const place = await migratedDatabase()
  const owner = await newOwner(place)
  const file = fileIn(temporaryFolder(), 'a.vtt', 'WEBVTT\n\n00:00.000 --> 00:02.000\n<v Ada>Hello.\n')
  const [taken] = await runJson(place, 'import', '--user', owner.id, file)
  expect(
    await rowsOf(place, "delete from pgboss.job where name = 'process-session' returning data->>'sessionId' as id")
  ).toEqual([{ id: taken?.session_id }])
  const server = await serve({ environment: { ...place.environment, RATE_LIMIT_PER_MINUTE: '100000' } })
  const read = async () => (await server.get(`/v1/sessions/${taken?.session_id}`, owner.token)).body
  await until('it is completed', async () => ((await read()) as { status?: string }).status === 'completed')
})

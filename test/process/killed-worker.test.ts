// @module-tag postgres
import { expect, onTestFinished, test } from 'vitest'
import { openJobs } from '../../src/platform/jobs/jobs.ts'
import { migratedDatabase, openPlace, startNode, until } from '../support/process.ts'

test('the job of a killed process is taken over by another; a job longer than a heartbeat is not', {
  timeout: 300_000
}, async () => {
  const place = await migratedDatabase()
  const database = await openPlace(place, { poolSize: 8 })
  const jobs = await openJobs(database, { supervise: true, onError: () => {} })
  onTestFinished(() => jobs.stop())
  const enqueue = (sessionId: string) =>
    database.db.transaction(tx => jobs.enqueue(tx, 'process-session', { userId: 'usr_test', sessionId }))
  const killed = startNode({}, [
    '--disable-warning=ExperimentalWarning',
    'test/process/hanging-worker.ts',
    place.url ?? '',
    place.dataDir
  ])
  await enqueue('orphan')
  await until('the other process has it', () => killed.output.stdout === 'orphan\n')
  const started: string[] = []
  let release = () => {}
  await jobs.work('process-session', 2, async ({ sessionId }) => {
    started.push(sessionId)
    if (sessionId === 'long')
      await new Promise<void>(resolve => {
        release = resolve
      })
  })
  await enqueue('long')
  await until('the long one is under way', () => started.includes('long'))
  killed.kill('SIGKILL')
  await killed.ended
  await until('it is taken over', () => started.includes('orphan'))
  release()
  await until('nothing is left', async () => {
    const { rows } = await database.pool.query('select state from pgboss.job')
    return rows.every(({ state }) => state === 'completed')
  })
  expect(started).toEqual(['long', 'orphan'])
})

// @module-tag both

import { appendFileSync, mkdirSync, readFileSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openLedger } from '../../../src/features/deletions/ledger.ts'
import { appendDeletions, type Deletion, readDeletions } from '../../../src/features/deletions/ledger-file.ts'
import { reapplyDeletions } from '../../../src/features/deletions/reapply.ts'
import type { Db } from '../../../src/platform/db/open.ts'
import { deletions } from '../../../src/platform/db/schema/index.ts'
import { emptyDatabase, openPlace, temporaryFolder, until } from '../../support/process.ts'
import { record } from '../../support/recordings.ts'
import { clock, NO_QUEUE, newUser, testDatabase } from '../../support/server.ts'
import { restore, trash } from '../../support/trash.ts'

const deletion = (sessionId: string, day = 1, userId = 'usr_a'): Deletion => ({
  userId,
  sessionId,
  what: 'session',
  deletedAt: new Date(`2026-02-${String(day).padStart(2, '0')}T00:00:00.000Z`),
  by: 'user'
})

async function allOf(path: string) {
  const found: Deletion[] = []
  for await (const some of readDeletions(path, 2)) found.push(...some)
  return found
}

async function ledger(db: Db, path: string, faults: Error[] = []) {
  const opened = await openLedger({ db, clock, path, onError: fault => faults.push(fault) })
  onTestFinished(() => opened.stop())
  return opened
}

test('appended lines are read in order, and only a truncated line is lost', async () => {
  const path = join(temporaryFolder(), 'below', 'deletions.jsonl')
  expect(await allOf(path)).toEqual([])
  await appendDeletions(path, [deletion('ses_1'), deletion('ses_2')])
  appendFileSync(path, '{"user":"usr_a","session":"ses_cut')
  await appendDeletions(path, [deletion('ses_3')])
  appendFileSync(path, '{"user":"usr_a","session":7,"what":"session","at":"2026-02-01T00:00:00.000Z"}\nno json\n')
  expect(await allOf(path)).toEqual([deletion('ses_1'), deletion('ses_2'), deletion('ses_3')])
})

test('the ledger holds only ids, times and who deleted, readable by its owner alone', async () => {
  const path = join(temporaryFolder(), 'deletions.jsonl')
  await appendDeletions(path, [deletion('ses_1')])
  expect(readFileSync(path, 'utf8').trim()).toBe(
    '{"user":"usr_a","session":"ses_1","what":"session","at":"2026-02-01T00:00:00.000Z","by":"user"}'
  )
})

test('the ledger copies missing deletions from the database at its start, once', async () => {
  const { db } = await openPlace(await emptyDatabase())
  const path = join(temporaryFolder(), 'deletions.jsonl')
  await db.insert(deletions).values([deletion('ses_1', 1), deletion('ses_2', 2)])
  await (await ledger(db, path)).stop()
  await db.insert(deletions).values(deletion('ses_3', 3))
  await (await ledger(db, path)).stop()
  await (await ledger(db, path)).stop()
  expect((await allOf(path)).map(({ sessionId }) => sessionId)).toEqual(['ses_1', 'ses_2', 'ses_3'])
})

test('an error of writing the ledger is reported, and the next deletion writes the missing lines', async () => {
  const { db } = await openPlace(await emptyDatabase())
  const path = join(temporaryFolder(), 'deletions.jsonl')
  const faults: Error[] = []
  const opened = await ledger(db, path, faults)
  mkdirSync(path)
  await db.insert(deletions).values({ ...deletion('ses_1'), deletedAt: clock.now() })
  opened.wake()
  await until('it has said so', () => faults.length > 0)
  rmdirSync(path)
  await db.insert(deletions).values({ ...deletion('ses_2'), deletedAt: clock.now() })
  opened.wake()
  await opened.stop()
  expect((await allOf(path)).map(({ sessionId }) => sessionId).sort()).toEqual(['ses_1', 'ses_2'])
})

test.each([
  ['goes on', false],
  ['was restarted', true]
])('the ledger loses nothing when a clock was a day ahead and is set back, and the server %s', async (_, anew) => {
  const { db } = await openPlace(await emptyDatabase())
  const path = join(temporaryFolder(), 'deletions.jsonl')
  let day = 10
  const stepping = { now: () => deletion('', day).deletedAt }
  const open = () => openLedger({ db, clock: stepping, path, onError: () => {} })
  const noteNow = (sessionId: string) => db.insert(deletions).values(deletion(sessionId, day))
  let opened = await open()
  await noteNow('ses_before')
  opened.wake()
  await until('the first is there', async () => (await allOf(path)).length === 1)
  day = 11
  await noteNow('ses_ahead')
  opened.wake()
  await until('the second is there', async () => (await allOf(path)).length === 2)
  day = 10
  if (anew) await opened.stop()
  if (anew) opened = await open()
  await noteNow('ses_back')
  opened.wake()
  await opened.stop()
  expect(new Set((await allOf(path)).map(({ sessionId }) => sessionId))).toEqual(
    new Set(['ses_before', 'ses_ahead', 'ses_back'])
  )
})

test('existing sessions of the named owner are deleted again, and others stay', async () => {
  const { db } = await testDatabase()
  const [user, other] = [await newUser(), await newUser()]
  const [again, kept] = [await user.session(), await user.session()]
  const foreign = await other.session()
  const path = join(temporaryFolder(), 'deletions.jsonl')
  const line = deletion(again, 1, user.id)
  await appendDeletions(path, [
    line,
    line,
    deletion(foreign, 1, user.id),
    { ...deletion(kept, 1, user.id), what: 'recording' }
  ])
  const reapply = () => reapplyDeletions({ db, jobs: NO_QUEUE, clock }, path)
  expect(await reapply()).toEqual({ missed: 3, sessions: 1, recordings: 1, users: 0 })
  expect(await reapply()).toEqual({ missed: 0, sessions: 0, recordings: 0, users: 0 })
  expect((await user.get(`/v1/sessions/${again}`)).status).toBe(404)
  expect((await user.get(`/v1/sessions/${kept}`)).status).toBe(200)
  expect((await other.get(`/v1/sessions/${foreign}`)).status).toBe(200)
  const { body } = await user.get('/v1/events')
  expect(body.events.map(({ event }: { event: string }) => event)).toEqual([
    'session.completed',
    'session.completed',
    'session.deleted'
  ])
})

test('the recording of a session that was in the trash at the backup is deleted again', async () => {
  const { db } = await testDatabase()
  const user = await newUser()
  const session = await user.session()
  await record(user, session, 'audio', Buffer.from('sound'))
  await trash({ db }, user.id, session)
  const path = join(temporaryFolder(), 'deletions.jsonl')
  await appendDeletions(path, [{ ...deletion(session, 1, user.id), what: 'recording' }])
  expect(await reapplyDeletions({ db, jobs: NO_QUEUE, clock }, path)).toEqual({
    missed: 1,
    sessions: 0,
    recordings: 1,
    users: 0
  })
  await restore({ db }, user.id, session)
  expect((await user.get(`/v1/sessions/${session}/media`)).body).toMatchObject({
    audio_url: null,
    audio_deleted_at: clock.now().toISOString()
  })
})

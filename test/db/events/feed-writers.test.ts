// @module-tag both

import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { findEvents } from '../../../src/features/events/queries.ts'
import { newId } from '../../../src/platform/core/ids.ts'
import type { OpenDatabase } from '../../../src/platform/db/open.ts'
import { addPlainUser } from '../../support/plain-user.ts'
import { migratedDatabase, onPostgres, openPlace, startNode } from '../../support/process.ts'
import { NOW } from '../../support/server.ts'

const PROCESSES = 4
const WRITERS = 8
const USERS = 12
const KILLS = 4
/** Changes between two kills. */
const CHANGES = 150

test.runIf(onPostgres)(
  'with 32 writers that roll back and are killed, readers see every committed change once, in order, without a gap',
  { timeout: 300_000 },
  async () => {
    const place = await migratedDatabase()
    const opened = await openPlace(place, { poolSize: 4 })
    await opened.pool.query('create table ledger (user_id text not null, change text not null)')
    const users = await Promise.all(Array.from({ length: USERS }, () => addUser(opened)))
    const startWriters = () =>
      startNode(place.environment, ['test/db/events/feed-writer.ts', place.url!, String(WRITERS), ...users])

    let writing = true
    const readers = users.map(user => readAll(opened, user, () => writing))
    const processes = Array.from({ length: PROCESSES }, startWriters)
    for (let kill = 0; kill < KILLS; kill++) {
      await changes(opened, CHANGES * (kill + 1))
      const victim = processes[kill % PROCESSES]!
      victim.kill('SIGKILL')
      expect(await victim.ended).toMatchObject({ signal: 'SIGKILL' })
      processes[kill % PROCESSES] = startWriters()
    }
    await changes(opened, CHANGES * (KILLS + 1))
    for (const one of processes) one.kill('SIGKILL')
    await Promise.all(processes.map(one => one.ended))
    // What the killed ones had sent last may still be committed; their connections are gone when it is.
    await expect
      .poll(
        async () =>
          (
            await opened.pool.query(
              "select from pg_stat_activity where application_name = 'feed writer' and datname = current_database()"
            )
          ).rowCount,
        {
          timeout: 120_000
        }
      )
      .toBe(0)
    writing = false

    for (const [index, user] of users.entries()) {
      const seen = await readers[index]!
      const { rows } = await opened.pool.query('select change from ledger where user_id = $1', [user])
      expect(seen.map(({ seq }) => seq)).toEqual(seen.map((_, at) => at + 1))
      expect(seen.map(({ change }) => change).sort()).toEqual(rows.map(({ change }) => change).sort())
    }
  }
)

/** Waits until so many changes are committed, however slow the machine is. */
async function changes({ pool }: OpenDatabase, count: number) {
  for (;;) {
    const { rows } = await pool.query('select count(*)::integer as committed from ledger')
    if (rows[0].committed >= count) return
    await pause(50)
  }
}

/** Reads as a client does, page after page of a random size, until nothing is written any more and nothing is left. */
async function readAll({ db }: OpenDatabase, userId: string, writing: () => boolean) {
  const seen: { seq: number; change: string }[] = []
  for (;;) {
    const last = !writing()
    const { events } = await findEvents(db, userId, 'none', seen.at(-1)?.seq ?? 0, 1 + Math.floor(Math.random() * 20))
    seen.push(...events.map(({ seq, body }) => ({ seq, change: JSON.parse(body).data.session.id })))
    if (last && events.length === 0) return seen
    await pause(Math.random() * 10)
  }
}

async function addUser({ db }: OpenDatabase) {
  const userId = newId('usr')
  await addPlainUser(db, userId, { createdAt: new Date(NOW) })
  return userId
}

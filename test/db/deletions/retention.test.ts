// @module-tag both

import { describe, expect, test } from 'vitest'
import { EXAMPLES } from '../../../src/contract/examples.ts'
import { removeOldEvents } from '../../../src/features/events/remove-old.ts'
import { sql } from '../../../src/platform/db/drizzle.ts'
import type { Database } from '../../../src/platform/db/open.ts'
import { ownServer } from '../../support/own-server.ts'
import { newUser, newUserOf } from '../../support/server.ts'

const NOW = new Date('2026-03-02T10:00:00.000Z')
const DAY_MS = 86_400_000
const never = new AbortController().signal

describe('retention', () => {
  test('removes events older than 30 days, to the millisecond, and none that is younger', async () => {
    const user = await newUser()
    await addEvents(user.db, user.id, [40, 31, 30 + 1 / DAY_MS, 30, 29, 0])
    await removeOldEvents(user.db, NOW, never)
    expect(await seqs(user)).toEqual([4, 5, 6])
    const feed = await user.get('/v1/events')
    expect(feed.body.events.map(({ seq }: { seq: number }) => seq)).toEqual([4, 5, 6])
    await removeOldEvents(user.db, NOW, never)
    expect(await seqs(user)).toEqual([4, 5, 6])
  })

  test('removes the oldest first and leaves no gap, even if a clock once ran ahead', async () => {
    const user = await newUser()
    await addEvents(user.db, user.id, [40, 39, 2, 35, 1])
    await removeOldEvents(user.db, NOW, never)
    expect(await seqs(user)).toEqual([3, 4, 5])
  })

  test('removes all old events of every user, and later numbers continue', async () => {
    const users = await Promise.all(Array.from({ length: 3 }, () => newUser()))
    for (const { db, id } of users)
      await addEvents(
        db,
        id,
        Array.from({ length: 1_200 }, () => 31)
      )
    await removeOldEvents(users[0]!.db, NOW, never)
    for (const user of users) {
      expect(await seqs(user)).toEqual([])
      await user.session()
      expect(await seqs(user)).toEqual([1_201])
    }
  })

  test('stops between two statements when the server stops', async () => {
    // On the shared database, another test may remove the event.
    const user = await newUserOf(await ownServer())
    await addEvents(user.db, user.id, [31])
    expect(await removeOldEvents(user.db, NOW, AbortSignal.abort())).toBe(0)
    expect(await seqs(user)).toEqual([1])
  })
})

/** Events of those ages in days, in that order. */
async function addEvents(db: Database, userId: string, ages: number[]) {
  const times = ages.map(days => new Date(NOW.getTime() - days * DAY_MS).toISOString())
  await db.execute(sql`update user_counters set last_seq = ${ages.length} where user_id = ${userId}`)
  await db.execute(sql`
    insert into events (user_id, seq, event_id, type, session_id, created_at, body)
    select ${userId}, turn, 'evt_' || ${userId} || turn, 'session.updated', 'ses_none', at, ${JSON.stringify(EXAMPLES.webhookPayload)}
    from unnest(${sql.param(times)}::timestamptz[]) with ordinality as e(at, turn)`)
}

async function seqs({ db, id }: { db: Database; id: string }) {
  const { rows } = await db.execute<{ seq: string }>(sql`select seq from events where user_id = ${id} order by seq`)
  return rows.map(({ seq }) => Number(seq))
}

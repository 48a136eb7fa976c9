// @module-tag both

import { describe, expect, test } from 'vitest'
import type { FeedEventType } from '../../../src/contract/event.ts'
import type { SessionDetail } from '../../../src/contract/session.ts'
import { recordEvents } from '../../../src/features/events/record.ts'
import { newId } from '../../../src/platform/core/ids.ts'
import type { OpenDatabase } from '../../../src/platform/db/open.ts'
import { addPlainUser } from '../../support/plain-user.ts'
import { migratedDatabase, onPostgres, openPlace } from '../../support/process.ts'
import { NOW, newUser, testDatabase } from '../../support/server.ts'

/** On Postgres as many as it gets from a few busy servers; the embedded database takes them one by one anyway. */
const LOAD = onPostgres ? { writers: 16, transactions: 4_000, users: 5 } : { writers: 4, transactions: 200, users: 3 }

describe('recordEvents', () => {
  test('numbers the events of each user from 1 without a gap, and a reader gets each once', {
    timeout: 300_000
  }, async () => {
    const place = await migratedDatabase()
    const opened = await openPlace(place, { poolSize: LOAD.writers + 4 })
    const users = await Promise.all(Array.from({ length: LOAD.users }, () => addUser(opened)))
    const committed = new Map(users.map(user => [user, [] as string[]]))
    let left = LOAD.transactions
    let writing = true
    const write = async () => {
      while (left-- > 0) {
        const userId = users[Math.floor(Math.random() * users.length)]!
        const happened = Array.from({ length: 1 + Math.floor(Math.random() * 3) }, () => ({
          type: anyType(),
          session: session({ id: newId('ses') })
        }))
        const rolledBack = Math.random() < 0.15
        const done = opened.db.transaction(async tx => {
          for (const { type, session } of happened) recordEvents(tx, userId, session, [type])
          if (rolledBack) throw new RollBack()
        })
        await done.catch(fault => {
          if (!(fault instanceof RollBack)) throw fault
        })
        if (!rolledBack) committed.get(userId)!.push(...happened.map(event => event.session.id))
      }
    }
    const read = async (userId: string) => {
      const seen: { seq: number; sessionId: string }[] = []
      for (;;) {
        const last = !writing
        const limit = 1 + Math.floor(Math.random() * 7)
        const cursor = seen.at(-1)?.seq ?? 0
        const { rows } = await opened.pool.query(
          'select seq, session_id as "sessionId" from events where user_id = $1 and seq > $2 order by seq limit $3',
          [userId, cursor, limit]
        )
        seen.push(...rows)
        if (last && rows.length === 0) return seen
      }
    }
    const reading = users.map(read)
    await Promise.all(Array.from({ length: LOAD.writers }, write)).finally(() => {
      writing = false
    })
    for (const [index, userId] of users.entries()) {
      const seen = await reading[index]!
      expect(seen.map(({ seq }) => seq)).toEqual(seen.map((_, at) => at + 1))
      expect(seen.map(({ sessionId }) => sessionId).sort()).toEqual(committed.get(userId)!.sort())
    }
  })

  test('keeps the given order, and continues after the last transaction', async () => {
    const { db, id } = await newUser()
    const types: FeedEventType[] = [
      'session.completed',
      'session.updated',
      'session.action_items.updated',
      'session.deleted'
    ]
    await db.transaction(async tx => recordEvents(tx, id, session(), types.slice(0, 3)))
    await db.transaction(async tx => recordEvents(tx, id, session(), types.slice(3)))
    const { rows } = await ask(`select seq, type from events where user_id = '${id}' order by seq`)
    expect(rows).toEqual(types.map((type, index) => ({ seq: index + 1, type })))
  })

  test('leaves no gap after a rollback', async () => {
    const { db, id } = await newUser()
    const record = (outcome: () => void) =>
      db.transaction(async tx => {
        recordEvents(tx, id, session(), ['session.updated'])
        outcome()
      })
    await record(() => {})
    await expect(
      record(() => {
        throw new RollBack()
      })
    ).rejects.toThrow(RollBack)
    await record(() => {})
    const { rows } = await ask(`select seq from events where user_id = '${id}' order by seq`)
    expect(rows).toEqual([{ seq: 1 }, { seq: 2 }])
  })

  test('stores the envelope that webhooks send, byte for byte what JSON.stringify writes', async () => {
    const { db, id } = await newUser()
    const hostile = session({
      title: 'A "quote" \\ back, \u2028 line, \u{1F600} and \u0001',
      summary: '# Ü\n{"id":"x"}',
      tags: ["'; drop table events; --"]
    })
    await db.transaction(async tx => recordEvents(tx, id, hostile, ['session.updated']))
    const { rows } = await db.execute<{
      event_id: string
      type: string
      created_at: string
      session_id: string
      body: string
    }>(`select event_id, type, created_at, session_id, body from events where user_id = '${id}'`)
    const [row] = rows
    const body = JSON.parse(row!.body)
    expect(body).toEqual({
      id: row!.event_id,
      event: 'session.updated',
      created_at: body.created_at,
      data: { session: hostile }
    })
    expect(row!.body).toBe(JSON.stringify(body))
    expect(Date.parse(body.created_at)).toBe(Date.parse(row!.created_at))
    expect(body.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expect(row).toMatchObject({ event_id: expect.stringMatching(/^evt_[0-9a-z]{26}$/), session_id: hostile.id })
  })

  test('numbers users independently: a busy one does not delay another', async () => {
    const [busy, other] = [await newUser(), await newUser()]
    const record = (user: typeof busy) =>
      user.db.transaction(async tx => recordEvents(tx, user.id, session(), ['session.updated']))
    for (let times = 0; times < 3; times++) await record(busy)
    await record(other)
    const { rows } = await ask(
      `select user_id, last_seq from user_counters where user_id in ('${busy.id}', '${other.id}') order by last_seq`
    )
    expect(rows).toEqual([
      { user_id: other.id, last_seq: 1 },
      { user_id: busy.id, last_seq: 3 }
    ])
  })

  test.runIf(onPostgres)('does not wait for a transaction that records for another user', async () => {
    const [slow, quick] = [await newUser(), await newUser()]
    await slow.db.transaction(async tx => {
      recordEvents(tx, slow.id, session(), ['session.updated'])
      tx.beforeCommit(() =>
        quick.db.transaction(async other => recordEvents(other, quick.id, session(), ['session.updated']))
      )
    })
    const { rows } = await ask(`select seq from events where user_id in ('${slow.id}', '${quick.id}')`)
    expect(rows).toEqual([{ seq: 1 }, { seq: 1 }])
  })
})

class RollBack extends Error {}

async function ask(statement: string) {
  return await (await testDatabase()).pool.query(statement)
}

async function addUser({ db }: OpenDatabase) {
  const userId = newId('usr')
  await addPlainUser(db, userId, { createdAt: new Date(NOW) })
  return userId
}

function anyType(): FeedEventType {
  return Math.random() < 0.5 ? 'session.updated' : 'session.completed'
}

function session(fields: Partial<SessionDetail> = {}): SessionDetail {
  return {
    id: newId('ses'),
    title: 'Weekly review',
    timestamp: NOW,
    duration_seconds: 9,
    type: 'meeting',
    platform: null,
    audio_deleted_at: null,
    created_at: NOW,
    updated_at: NOW,
    language: 'en',
    summary: null,
    notes: null,
    tags: [],
    favorite: false,
    folder_ids: [],
    action_items: [],
    action_items_version: 0,
    ...fields
  }
}

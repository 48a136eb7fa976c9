import { expect, test } from 'vitest'
import { EVENT_TYPES, type EventType } from '../../src/contract/event.ts'
import { sql } from '../../src/db/drizzle.ts'
import type { Queryable } from '../../src/db/open.ts'
import { findEvents } from '../../src/events/queries.ts'
import { recordEvents } from '../../src/events/record.ts'
import { ALL_EVENTS, dispatching, hookOf } from '../support/dispatch.ts'
import { addEvents } from '../support/feed.ts'
import { startReceiver } from '../support/receiver.ts'
import { acceptSession, completeSession, newUser, testDatabase } from '../support/server.ts'

const PATIENT = { timeout: 60_000, interval: 20 }
const SILENT = { segments: [], media: { audio: 'https://example.test/a.mp3' } }

test('webhooks get the types that they name, those of before as well as new ones, also by a replay', async () => {
  const { db, newUser: newOwner } = await dispatching()
  const user = await newOwner()
  const [usual, named] = [await startReceiver(), await startReceiver()]
  const hooks = [await hookOf(user, usual.url, ALL_EVENTS), await hookOf(user, named.url, ['session.created', 'session.failed'])]
  const completed = await acceptSession(user.id, {}, db)
  const failed = await acceptSession(user.id, SILENT, db)
  for (const id of [completed, failed]) await completeSession(user.id, id, undefined, db)
  const typesOf = ({ received }: typeof usual) => received.map(({ body }) => JSON.parse(body).event).sort()
  const wanted = [['session.completed'], ['session.created', 'session.created', 'session.failed']]
  await expect.poll(() => [usual, named].map(typesOf), PATIENT).toEqual(wanted)
  expect(JSON.parse(named.received.find(({ body }) => body.includes('session.failed'))!.body).data.session).toMatchObject({
    id: failed,
    status: 'failed'
  })
  const delivered = async () =>
    await Promise.all(
      hooks.map(async ({ id }) => (await user.get(`/v1/webhooks/${id}/deliveries?status=delivered`)).body.deliveries.length)
    )
  await expect.poll(delivered, PATIENT).toEqual([1, 3])
  const replays = await Promise.all(hooks.map(({ id }) => user.post(`/v1/webhooks/${id}/replay`, { from_seq: 1 })))
  expect(replays.map(({ body }) => body.queued)).toEqual([1, 3])
  await expect.poll(() => [usual, named].map(typesOf), PATIENT).toEqual(wanted.map(types => [...types, ...types].sort()))
})

test('a reader of some types that acknowledges each page misses none, however many others are recorded meanwhile', async () => {
  const user = await newUser()
  const { db } = await testDatabase()
  const made: string[] = []
  let left = 120
  const write = async () => {
    while (left-- > 0) {
      const type = EVENT_TYPES[Math.floor(Math.random() * EVENT_TYPES.length)]!
      const id = crypto.randomUUID()
      await db.transaction(tx => recordEvents(tx, user.id, [{ type, session: { id, updated_at: NOW } as never }]))
      if (type === 'session.failed') made.push(id)
    }
  }
  let writing = true
  const writers = Promise.all(Array.from({ length: 4 }, write)).finally(() => {
    writing = false
  })
  const seen: string[] = []
  for (let last = false; !last; ) {
    last = !writing
    const page = await findEvents(db, user.id, user.tokenId, { cursor: undefined, limit: 2, types: ['session.failed'] })
    seen.push(...page.events.map(({ body }) => JSON.parse(body).data.session.id))
    if (page.next !== null) await user.post('/v1/events/ack', { cursor: page.next })
    last &&= !page.hasMore
  }
  await writers
  expect(seen.sort()).toEqual(made.sort())
})

test('a page reads no event that it leaves out, with types and without', async () => {
  const { db, pool } = await testDatabase()
  const user = await newUser()
  const many = (type: EventType, count: number) => Array<EventType>(count).fill(type)
  await addEvents({ pool }, user.id, [
    'session.failed',
    ...many('session.created', 3_000),
    'session.completed',
    ...many('session.updated', 3_000)
  ])
  await pool.query('analyze events')
  const planOf = async (cursor: number, types?: EventType[]) => {
    const lines: string[] = []
    const explaining = {
      query: async statement => {
        const { rows } = await db.execute<{ 'QUERY PLAN': string }>(sql`explain (analyze, costs off, timing off) ${statement}`)
        lines.push(...rows.map(row => row['QUERY PLAN']))
        return []
      }
    } satisfies Queryable
    await findEvents(explaining, user.id, user.tokenId, { cursor, limit: 50, types })
    return lines.join('\n')
  }
  const plans = [await planOf(1), await planOf(0, ['session.failed', 'session.completed']), await planOf(0, ['session.deleted'])]
  expect(plans[0]).toMatch(/Index Scan using events_of_default_types\S* on events\S* \(actual rows=51(\.00)? /)
  for (const plan of plans.slice(1)) expect(plan).toContain('events_by_type')
  for (const plan of plans) expect(plan).not.toContain('Rows Removed by Filter')
})

const NOW = '2026-03-02T10:00:00.000Z'

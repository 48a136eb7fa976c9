// @module-tag both

import { expect, test } from 'vitest'
import { LIMITS } from '../../../src/contract/limits.ts'
import { ALL_EVENTS, dispatching, hookNow, hookOf } from '../../support/dispatch.ts'
import { onPostgres } from '../../support/process.ts'
import { startReceiver } from '../../support/receiver.ts'
import { newUser } from '../../support/server.ts'

const PATIENT = { timeout: 60_000, interval: 20 }

type User = Pick<Awaited<ReturnType<typeof newUser>>, 'id' | 'db' | 'get' | 'patch' | 'session'>

/** A user with that many events of one session, the later ones much shorter than the first three. */
async function userWithEvents(count: number, made?: User) {
  const user = made ?? (await newUser())
  const path = `/v1/sessions/${await user.session({ notes: 'n'.repeat(2_000) })}`
  for (let turn = 2; turn <= 3; turn++) await user.patch(path, { title: `${turn} ${'t'.repeat(400)}` })
  for (let turn = 4; turn <= count; turn++) await user.patch(path, { title: `${turn}`, notes: '' })
  return { user, path }
}

/** The same with a webhook for all of them. Nothing delivers until the dispatcher is started. */
async function subscriberOf(events: number) {
  const { newUser: newOwner, startDispatcher } = await dispatching({ start: false })
  const owner = await newOwner()
  const receiver = await startReceiver()
  const { id } = await hookOf(owner, receiver.url, ALL_EVENTS)
  return { owner, receiver, id, startDispatcher, ...(await userWithEvents(events, owner)) }
}

async function rowsOf(user: User, statement: string) {
  return (await user.db.execute(statement)).rows
}

const endsOf = async (user: User) =>
  (await rowsOf(user, `select end_bytes from events where user_id = '${user.id}' order by seq`)).map(({ end_bytes }) =>
    Number(end_bytes)
  )

const seqsOf = async (user: User) =>
  (await rowsOf(user, `select seq from events where user_id = '${user.id}' order by seq`)).map(({ seq }) => Number(seq))

async function bytesOf(user: User) {
  const [row] = await rowsOf(user, `select event_bytes from user_counters where user_id = '${user.id}'`)
  return Number(row?.event_bytes)
}

/** As though so much had been recorded that with the next small event the one at that place, and all before it, are beyond what is kept. */
async function outgrow(user: User, seq: number) {
  const [row] = await rowsOf(
    user,
    `select coalesce(end_bytes, 0) as ends from events where user_id = '${user.id}' and seq = ${seq}`
  )
  await rowsOf(
    user,
    `update user_counters set event_bytes = ${Number(row?.ends) - 100 + LIMITS.eventBytes} where user_id = '${user.id}'`
  )
}

test('the bytes of events are counted as they are recorded, to the byte', async () => {
  const { user } = await userWithEvents(5)
  const bodies = await rowsOf(user, `select body from events where user_id = '${user.id}' order by seq`)
  let sum = 0
  const ends = bodies.map(({ body }) => (sum += Buffer.byteLength(JSON.stringify(JSON.parse(String(body)).data))))
  expect(await endsOf(user)).toEqual(ends)
  expect(await bytesOf(user)).toBe(sum)
})

test('both events of a PATCH with action items are counted', async () => {
  const { user, path } = await userWithEvents(3)
  const before = await bytesOf(user)
  await user.patch(path, { action_items: [{ text: 'Ä'.repeat(500) }] })
  const [updated, items] = (await endsOf(user)).slice(-2)
  expect(updated! - before).toBeGreaterThan(1_000)
  expect(items! - updated!).toBe(updated! - before)
  expect(await bytesOf(user)).toBe(items)
})

test('an owner over the limit of stored events loses the oldest, and a reader sees the gap', async () => {
  const { user, path } = await userWithEvents(7)
  await outgrow(user, 3)
  await user.patch(path, { title: 'x' })
  const { events, next_cursor } = (await user.get('/v1/events')).body
  expect(events.map(({ seq }: { seq: number }) => seq)).toEqual([4, 5, 6, 7, 8])
  expect(next_cursor).toBe(8)
  await user.patch(path, { title: 'y'.repeat(400) })
  expect((await seqsOf(user)).at(-1)).toBe(9)
})

test('an owner at the limit, to the byte, keeps every event; one byte more, and the oldest goes', async () => {
  const { user, path } = await userWithEvents(4)
  const before = await bytesOf(user)
  await user.patch(path, { title: '5' })
  const each = (await bytesOf(user)) - before
  const [first] = await endsOf(user)
  await rowsOf(
    user,
    `update user_counters set event_bytes = ${first! - 1 - each + LIMITS.eventBytes} where user_id = '${user.id}'`
  )
  await user.patch(path, { title: '6' })
  expect(await seqsOf(user)).toEqual([1, 2, 3, 4, 5, 6])
  await rowsOf(
    user,
    `update user_counters set event_bytes = ${first! - each + LIMITS.eventBytes} where user_id = '${user.id}'`
  )
  await user.patch(path, { title: '7' })
  expect(await seqsOf(user)).toEqual([2, 3, 4, 5, 6, 7])
})

test('events outside the feed take no room in it, and stay', async () => {
  const { user, path } = await userWithEvents(7)
  await rowsOf(
    user,
    `insert into events (user_id, seq, event_id, type, session_id, created_at, body)
     select user_id, -seq, event_id || 'x', 'session.created', session_id, created_at, body from events where user_id = '${user.id}'`
  )
  await outgrow(user, 3)
  await user.patch(path, { title: 'x' })
  expect(await seqsOf(user)).toEqual([-7, -6, -5, -4, -3, -2, -1, 4, 5, 6, 7, 8])
})

test('other owners lose no event', async () => {
  const [{ user, path }, { user: other }] = [await userWithEvents(4), await userWithEvents(4)]
  await outgrow(user, 4)
  await user.patch(path, { title: 'x' })
  expect([await seqsOf(user), await seqsOf(other)]).toEqual([[5], [1, 2, 3, 4]])
})

test('at most five hundred events are removed at a time, the oldest first, until there is room', async () => {
  const { user, path } = await userWithEvents(4)
  await rowsOf(
    user,
    `insert into events (user_id, seq, event_id, type, session_id, created_at, body, end_bytes)
     select user_id, 4 + n, event_id || n, type, session_id, created_at, body, end_bytes + n
     from events, generate_series(1, 1200) n where user_id = '${user.id}' and seq = 4`
  )
  await rowsOf(user, `update user_counters set last_seq = 1204 where user_id = '${user.id}'`)
  await outgrow(user, 1204)
  const left = []
  for (let turn = 0; turn < 4; turn++) {
    await user.patch(path, { title: `x${turn}` })
    const seqs = await seqsOf(user)
    expect(seqs.at(-1)! - seqs[0]!).toBe(seqs.length - 1)
    left.push(seqs[0])
  }
  expect(left).toEqual([501, 1001, 1205, 1205])
})

test('concurrent changes lose no kept event and leave no gap', async () => {
  const { user, path } = await userWithEvents(10)
  await outgrow(user, 5)
  await Promise.all(Array.from({ length: 20 }, (_, n) => user.patch(path, { title: `at once ${n}` })))
  const seqs = await seqsOf(user)
  expect(seqs[0]).toBeGreaterThan(5)
  expect(seqs).toEqual(Array.from({ length: 30 - seqs[0]! + 1 }, (_, n) => seqs[0]! + n))
})

// The embedded database has one session: nothing is locked beside a change.
test.runIf(onPostgres)('a locked event is not waited for, and no later one is removed before it', async () => {
  const { user, path } = await userWithEvents(6)
  await outgrow(user, 4)
  await user.db.transaction(async tx => {
    await tx.execute(`select from events where user_id = '${user.id}' and seq = 2 for update`)
    expect((await user.patch(path, { title: 'x' })).status).toBe(200)
    expect(await seqsOf(user)).toEqual([2, 3, 4, 5, 6, 7])
  })
  await user.patch(path, { title: 'y' })
  expect(await seqsOf(user)).toEqual([6, 7, 8])
})

test('deliveries of removed events do not count as failures of the receiver', { timeout: 300_000 }, async () => {
  const { owner, receiver, id, user, path, startDispatcher } = await subscriberOf(10)
  // What makes room is not sent, so that nothing but the expired events is.
  await user.patch(`/v1/webhooks/${id}`, { events: ['session.deleted'] })
  await outgrow(user, 10)
  await user.patch(path, { title: 'x' })
  startDispatcher()
  const failed = async () => (await owner.get(`/v1/webhooks/${id}/deliveries?status=failed`)).body.deliveries.length
  await expect.poll(failed, PATIENT).toBe(10)
  expect(await hookNow(owner, id)).toMatchObject({
    failure_count: 0,
    last_delivery_at: null,
    last_delivery_status: null
  })
  expect(receiver.received).toEqual([])
})

test('a delivery of a removed event ends as expired, and those of later events arrive', {
  timeout: 300_000
}, async () => {
  const { owner, receiver, id, user, path, startDispatcher } = await subscriberOf(5)
  await outgrow(user, 3)
  await user.patch(path, { title: 'x' })
  startDispatcher()
  const logOf = async () => (await owner.get(`/v1/webhooks/${id}/deliveries`)).body.deliveries
  await expect
    .poll(async () => (await logOf()).filter(({ status }: { status: string }) => status !== 'pending').length, PATIENT)
    .toBe(6)
  expect(
    (await logOf()).map(({ seq, status, attempts }: { seq: number; status: string; attempts: { error: string }[] }) => [
      seq,
      status,
      attempts[0]?.error
    ])
  ).toEqual([
    [6, 'delivered', null],
    [5, 'delivered', null],
    [4, 'delivered', null],
    [3, 'failed', 'expired'],
    [2, 'failed', 'expired'],
    [1, 'failed', 'expired']
  ])
  expect(receiver.received).toHaveLength(3)
})

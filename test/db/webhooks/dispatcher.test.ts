// @module-tag both

import { createHmac } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { openDispatcher } from '../../../src/features/webhooks/delivery/dispatcher.ts'
import { PgDialect, type SQL } from '../../../src/platform/db/drizzle.ts'
import { claimedByDead, DAY, dispatching, HOUR, hookNow, hookOf, MINUTE, SECOND } from '../../support/dispatch.ts'
import { startReceiver } from '../../support/receiver.ts'
import { testSender } from '../../support/server.ts'

const PATIENT = { timeout: 300_000, interval: 20 }

/** Waits until the dispatcher has delivered something that came due last: all else that was due before has been claimed. */
async function afterAllDue({ newUser }: Pick<Awaited<ReturnType<typeof dispatching>>, 'newUser'>) {
  const user = await newUser()
  const receiver = await startReceiver()
  await hookOf(user, receiver.url)
  await user.session()
  await expect.poll(() => receiver.received.length, PATIENT).toBe(1)
}

describe('a delivery', () => {
  test('is the event of the feed without its seq, byte for byte what was recorded, and verifies with both libraries and the formula', async () => {
    const { clock, newUser, query } = await dispatching()
    const user = await newUser()
    const receiver = await startReceiver()
    const { id, secret } = await hookOf(user, receiver.url)
    const session = await user.session({ title: 'Café ☕ "quoted" \\ <b>' })
    await user.patch(`/v1/sessions/${session}`, { notes: 'Zeile 1\nZeile 2 😀\u2028' })
    await user.delete(`/v1/sessions/${session}`)
    await expect.poll(() => receiver.received.length, PATIENT).toBe(3)
    const { events } = (await user.get('/v1/events?cursor=0')).body
    const bodies = await query('select event_id, body from events')
    for (const { body, headers } of receiver.received) {
      const { seq: _, ...event } = events.find((one: { id: string }) => one.id === headers['webhook-id'])
      // What is sent is frozen: a later deletion empties only what the feed still tells of the session.
      if (event.event === 'session.deleted') expect(JSON.parse(body)).toEqual(event)
      if (event.event === 'session.deleted') expect(body).toBe(bodies.find(row => row.event_id === event.id)?.body)
      expect(Object.keys(JSON.parse(body))).toEqual(['id', 'event', 'created_at', 'data'])
      expect(JSON.parse(body).id).toBe(headers['x-svc-webhook-id'])
      expect(() => new StandardWebhook(secret).verify(body, headers)).not.toThrow()
      expect(() => new SvixWebhook(secret).verify(body, headers)).not.toThrow()
      const signed = `${headers['x-svc-webhook-id']}.${headers['x-svc-webhook-timestamp']}.${body}`
      expect(headers['x-svc-webhook-signature']).toBe(createHmac('sha256', secret).update(signed).digest('hex'))
      expect(Number(headers['x-svc-webhook-timestamp'])).toBe(Math.floor(clock.now().getTime() / SECOND))
    }
    await expect.poll(() => query('select 1 from webhook_deliveries'), PATIENT).toEqual([])
    const delivered = { failure_count: 0, last_delivery_status: 204, last_delivery_at: expect.stringMatching(/Z$/) }
    expect(await hookNow(user, id)).toMatchObject(delivered)
  })

  test('carries the headers of its webhook', async () => {
    const { newUser } = await dispatching()
    const user = await newUser()
    const receiver = await startReceiver()
    await hookOf(user, receiver.url, ['session.completed'], { 'X-Api-Key': 'hush' })
    await user.session()
    await expect.poll(() => receiver.received.map(({ headers }) => headers['x-api-key']), PATIENT).toEqual(['hush'])
  })

  test('is made only for subscribed events of the owner, while the webhook is active', async () => {
    const { newUser } = await dispatching()
    const [user, stranger] = [await newUser(), await newUser()]
    const [wanted, foreign, off] = [await startReceiver(), await startReceiver(), await startReceiver()]
    await hookOf(user, wanted.url, ['session.deleted'])
    await hookOf(stranger, foreign.url)
    const { id } = await hookOf(user, off.url)
    await user.patch(`/v1/webhooks/${id}`, { active: false })
    const session = await user.session()
    await user.delete(`/v1/sessions/${session}`)
    await expect
      .poll(() => wanted.received.map(({ body }) => JSON.parse(body).event), PATIENT)
      .toEqual(['session.deleted'])
    expect([foreign.received, off.received]).toEqual([[], []])
    // What happened while it was off is in the feed alone.
    expect((await user.get(`/v1/webhooks/${id}/deliveries`)).body.deliveries).toEqual([])
  })

  test.each([
    ['an answer of 500', 500, { status: 500, error: 'http_error' }],
    ['a redirect, which is not followed', 302, { status: 302, error: 'redirect' }],
    ['a 404', 404, { status: 404, error: 'http_error' }]
  ])(
    'fails by %s and is attempted again after 5 seconds, with the same id and body and a new signature',
    async (_, status, logged) => {
      const { newUser, pass, query } = await dispatching()
      const user = await newUser()
      const other = await startReceiver()
      const receiver = await startReceiver((_received, before) =>
        before > 0 ? 200 : response => response.writeHead(status, { location: other.url }).end('no')
      )
      const { id, secret } = await hookOf(user, receiver.url)
      await user.session()
      await expect.poll(async () => (await hookNow(user, id)).failure_count, PATIENT).toBe(1)
      expect(await hookNow(user, id)).toMatchObject({ last_delivery_status: status, active: true })
      const waiting = (await user.get(`/v1/webhooks/${id}/deliveries`)).body.deliveries[0]
      expect(waiting).toMatchObject({ status: 'pending', attempts: [logged] })
      const delay = Date.parse(waiting.next_attempt_at) - Date.parse(waiting.attempts[0].attempted_at)
      expect(delay).toBeGreaterThan(4 * SECOND - 1)
      expect(delay).toBeLessThan(10 * SECOND)
      await pass(10 * SECOND)
      await expect.poll(() => receiver.received.length, PATIENT).toBe(2)
      const [first, second] = receiver.received
      expect(second!.body).toBe(first!.body)
      expect(second!.id).toBe(first!.id)
      expect(Number(second!.headers['webhook-timestamp'])).toBeGreaterThan(Number(first!.headers['webhook-timestamp']))
      expect(() => new StandardWebhook(secret).verify(second!.body, second!.headers)).not.toThrow()
      await expect.poll(async () => (await hookNow(user, id)).failure_count, PATIENT).toBe(0)
      expect((await user.get(`/v1/webhooks/${id}/deliveries`)).body.deliveries).toMatchObject([
        { status: 'delivered', next_attempt_at: null, attempts: [logged, { status: 200, error: null }] }
      ])
      expect(other.received).toEqual([])
      expect(await query('select answer from webhook_attempts order by attempt')).toEqual([
        { answer: 'no' },
        { answer: '' }
      ])
    }
  )

  test('is attempted ten times over 75 hours and then given up; the webhook stays active for five days', async () => {
    const { newUser, pass } = await dispatching()
    const user = await newUser()
    const receiver = await startReceiver(() => 500)
    const { id } = await hookOf(user, receiver.url)
    await user.session()
    for (let attempt = 1; attempt <= 10; attempt++) {
      await expect.poll(async () => (await hookNow(user, id)).failure_count, PATIENT).toBe(attempt)
      await pass(29 * HOUR)
    }
    const { deliveries } = (await user.get(`/v1/webhooks/${id}/deliveries`)).body
    expect(deliveries).toMatchObject([{ status: 'failed', next_attempt_at: null }])
    expect(deliveries[0].attempts).toHaveLength(10)
    expect((await user.get(`/v1/webhooks/${id}/deliveries?status=failed`)).body.deliveries).toEqual(deliveries)
    expect((await user.get(`/v1/webhooks/${id}/deliveries?status=pending`)).body.deliveries).toEqual([])
    expect(await hookNow(user, id)).toMatchObject({ active: true })
    expect(receiver.received).toHaveLength(10)
  })

  test('is given up at once by an answer of 410, which turns the webhook off; other deliveries keep waiting', async () => {
    const { newUser, pass } = await dispatching()
    const user = await newUser()
    const receiver = await startReceiver((_, before) => (before === 0 ? 500 : 410))
    const { id } = await hookOf(user, receiver.url)
    await user.session({ title: 'First' })
    await expect.poll(async () => (await hookNow(user, id)).failure_count, PATIENT).toBe(1)
    await user.session({ title: 'Second' })
    await expect.poll(async () => (await hookNow(user, id)).active, PATIENT).toBe(false)
    expect(await hookNow(user, id)).toMatchObject({ last_delivery_status: 410 })
    await pass(DAY)
    const { deliveries } = (await user.get(`/v1/webhooks/${id}/deliveries`)).body
    expect(deliveries.map((one: { status: string }) => one.status)).toEqual(['failed', 'pending'])
    expect(receiver.received).toHaveLength(2)
    receiver.answer = () => 200
    await user.patch(`/v1/webhooks/${id}`, { active: true })
    expect(await hookNow(user, id)).toMatchObject({ failure_count: 0 })
    await expect
      .poll(
        async () => (await user.get(`/v1/webhooks/${id}/deliveries?status=delivered`)).body.deliveries.length,
        PATIENT
      )
      .toBe(1)
  })

  test('is made again after the lease of a dead process, and the log says so', async () => {
    const { user, receiver, id, startDispatcher, faults } = await claimedByDead()
    startDispatcher()
    await expect.poll(() => receiver.received.length, PATIENT).toBe(1)
    await expect
      .poll(async () => (await user.get(`/v1/webhooks/${id}/deliveries`)).body.deliveries[0], PATIENT)
      .toMatchObject({
        status: 'delivered',
        attempts: expect.arrayContaining([expect.objectContaining({ error: 'interrupted' })])
      })
    expect(faults).toEqual([])
  })
})

test('on a cluster, the deliveries of a commit are claimed without a list of all due ones', async () => {
  const { clock, newUser, opened } = await dispatching({ start: false })
  // The list of all due deliveries is always empty here.
  const isList = (statement: SQL) => new PgDialect().sqlToQuery(statement).sql.startsWith('select next_due from')
  const db: typeof opened.slow = {
    ...opened.slow,
    query: async statement => (isList(statement) ? [] : await opened.slow.query(statement))
  }
  const sender = testSender({}, clock)
  const dispatcher = openDispatcher({
    db,
    isDistributed: async () => true,
    commits: opened.commits,
    clock,
    sender,
    onError: () => {}
  })
  onTestFinished(() => dispatcher.stop())
  const user = await newUser()
  const receiver = await startReceiver()
  await hookOf(user, receiver.url)
  // A commit right before a list is left to the list.
  const commit = async () => {
    await user.session()
    return receiver.received.length
  }
  await expect.poll(commit, PATIENT).toBeGreaterThan(0)
})

describe('a receiver that asks to wait', () => {
  test('with 429 and Retry-After gets no delivery for that time', async () => {
    const { newUser, pass } = await dispatching()
    const user = await newUser()
    const receiver = await startReceiver((_, before) =>
      before > 0 ? 200 : response => response.writeHead(429, { 'retry-after': '7200' }).end()
    )
    const { id } = await hookOf(user, receiver.url)
    await user.session()
    await expect.poll(async () => (await hookNow(user, id)).failure_count, PATIENT).toBe(1)
    await user.session()
    await pass(HOUR)
    await afterAllDue({ newUser })
    expect(receiver.received).toHaveLength(1)
    await pass(HOUR + MINUTE)
    await expect.poll(() => receiver.received.length, PATIENT).toBe(3)
    expect(new Set(receiver.received.map(one => one.id)).size).toBe(2)
  })
})

describe('a webhook that only fails', () => {
  test('gets one delivery at a time after five failures, at growing intervals', async () => {
    const { newUser, query } = await dispatching()
    const user = await newUser()
    const receiver = await startReceiver(() => 500)
    const { id } = await hookOf(user, receiver.url)
    for (let session = 0; session < 12; session++) await user.session()
    await expect.poll(async () => (await hookNow(user, id)).failure_count, PATIENT).toBeGreaterThanOrEqual(5)
    await afterAllDue({ newUser })
    await expect.poll(() => query('select 1 from webhook_deliveries where claim_id is not null'), PATIENT).toEqual([])
    // Four are sent at a time before: more than five may be under way when the fifth fails.
    expect((await hookNow(user, id)).failure_count).toBeLessThanOrEqual(8)
    const [queue] = await query(
      `select extract(epoch from q.paused_until - w.last_delivery_at)::float8 as seconds,
        floor(extract(epoch from q.paused_until) * 1000)::float8 as until
      from webhook_queue q natural join webhooks w where webhook_id = $1`,
      [id]
    )
    expect(queue!.seconds).toBeGreaterThan(29)
    const { deliveries } = (await user.get(`/v1/webhooks/${id}/deliveries?status=pending`)).body
    const next = deliveries.map((one: { next_attempt_at: string }) => Date.parse(one.next_attempt_at))
    expect(Math.min(...next)).toBe(queue!.until)
    expect(await query('select 1 from webhook_deliveries')).toHaveLength(12)
  })

  test('is turned off after five days and twenty failures in a row; deliveries continue when it is turned on again', async () => {
    const { newUser, pass } = await dispatching()
    const user = await newUser()
    const receiver = await startReceiver(() => 500)
    const { id } = await hookOf(user, receiver.url)
    for (let session = 0; session < 4; session++) await user.session()
    for (let hours = 0; hours < 10 * 24 && (await hookNow(user, id)).active; hours += 6) await pass(6 * HOUR)
    const off = await hookNow(user, id)
    expect(off).toMatchObject({ active: false, last_delivery_status: 500 })
    expect(off.failure_count).toBeGreaterThanOrEqual(20)
    receiver.answer = () => 204
    const waiting = (await user.get(`/v1/webhooks/${id}/deliveries?status=pending`)).body.deliveries.length
    expect(waiting).toBeGreaterThan(0)
    expect(await user.patch(`/v1/webhooks/${id}`, { active: true })).toMatchObject({
      status: 200,
      body: { active: true, failure_count: 0 }
    })
    await expect
      .poll(
        async () => (await user.get(`/v1/webhooks/${id}/deliveries?status=delivered`)).body.deliveries.length,
        PATIENT
      )
      .toBe(waiting)
  })
})

describe('turning a webhook off and deleting it', () => {
  test('stops its deliveries at once', async () => {
    const { newUser, pass } = await dispatching()
    const user = await newUser()
    const [kept, deleted] = [await startReceiver(() => 500), await startReceiver(() => 500)]
    const [off, gone] = [await hookOf(user, kept.url), await hookOf(user, deleted.url)]
    await user.session()
    await expect.poll(() => [kept.received.length, deleted.received.length], PATIENT).toEqual([1, 1])
    await expect.poll(async () => (await hookNow(user, gone.id)).failure_count, PATIENT).toBe(1)
    await user.patch(`/v1/webhooks/${off.id}`, { active: false })
    await user.delete(`/v1/webhooks/${gone.id}`)
    await pass(DAY)
    await afterAllDue({ newUser })
    expect([kept.received.length, deleted.received.length]).toEqual([1, 1])
  })
})

describe('a change of the URL', () => {
  test('sends waiting deliveries to the new URL at once, without the pauses of the old one', async () => {
    const { newUser } = await dispatching()
    const user = await newUser()
    const [old, fresh] = [
      await startReceiver(() => response => response.writeHead(503, { 'retry-after': '3600' }).end()),
      await startReceiver()
    ]
    const { id } = await hookOf(user, old.url)
    await user.session()
    await expect.poll(async () => (await hookNow(user, id)).failure_count, PATIENT).toBe(1)
    await user.patch(`/v1/webhooks/${id}`, { url: fresh.url })
    await expect.poll(() => fresh.received.length, PATIENT).toBe(1)
    await user.session()
    await expect.poll(() => fresh.received.length, PATIENT).toBe(2)
    expect(old.received).toHaveLength(1)
  })
})

describe('a rotation of the secret', () => {
  test('signs deliveries with the former secret too, for 24 hours only', async () => {
    const { newUser, pass } = await dispatching()
    const user = await newUser()
    const receiver = await startReceiver()
    const { id } = await hookOf(user, receiver.url, ['session.updated'])
    await user.post(`/v1/webhooks/${id}/rotate-secret`)
    const session = await user.session()
    await user.patch(`/v1/sessions/${session}`, { title: 'Within the day' })
    await expect.poll(() => receiver.received.length, PATIENT).toBe(1)
    await pass(DAY)
    await user.patch(`/v1/sessions/${session}`, { title: 'A day later' })
    await expect.poll(() => receiver.received.length, PATIENT).toBe(2)
    expect(receiver.received.map(({ headers }) => headers['webhook-signature']!.split(' ').length)).toEqual([2, 1])
  })
})

test('A dispatcher that stops as soon as it is open sends no statement after that', async () => {
  const { startDispatcher, opened, faults } = await dispatching({ start: false })
  const query = opened.slow.query.bind(opened.slow)
  const answered: Promise<unknown>[] = []
  // The dispatcher has two loops, and the statement that comes first keeps one of them busy when the other has ended.
  const slowQuery = async (...statement: Parameters<typeof query>) => {
    const delay = setTimeout(answered.length === 0 ? 300 : 50)
    answered.push(delay)
    await delay
    return await query(...statement)
  }
  vi.spyOn(opened.slow, 'query').mockImplementation(slowQuery as typeof query)
  await startDispatcher().stop()
  const sent = answered.length
  await Promise.all(answered)
  await setTimeout(100)
  expect({ sent: answered.length, faults }).toEqual({ sent, faults: [] })
})

// @module-tag both

import { describe, expect, test } from 'vitest'
import { EVENT_TYPES } from '../../../src/contract/event.ts'
import { claimedByDead, dispatching, HOUR, hookNow, hookOf, MINUTE } from '../../support/dispatch.ts'
import { startReceiver } from '../../support/receiver.ts'

const PATIENT = { timeout: 60_000, interval: 20 }
const ATTEMPT = {
  attempted_at: expect.stringMatching(/Z$/),
  status: 204,
  error: null,
  reason: null,
  duration_ms: expect.any(Number)
}

type Place = Awaited<ReturnType<typeof dispatching>>
type User = Awaited<ReturnType<Place['newUser']>>

async function deliveriesOf(user: User, id: string, query = '') {
  const { status, body } = await user.get(`/v1/webhooks/${id}/deliveries${query}`)
  expect(status).toBe(200)
  return body.deliveries
}

async function untilDelivered(user: User, id: string, count: number) {
  await expect.poll(async () => (await deliveriesOf(user, id, '?status=delivered')).length, PATIENT).toBe(count)
}

describe('GET /v1/webhooks/{id}/deliveries', () => {
  test('shows sent and waiting deliveries, newest event first, with every attempt and without the answers', async () => {
    const { newUser } = await dispatching()
    const user = await newUser()
    const receiver = await startReceiver(
      (_, before) => response =>
        response.writeHead(before === 0 ? 204 : 500).end(before === 0 ? undefined : 'a secret of the receiver')
    )
    const { id } = await hookOf(user, receiver.url)
    await user.session()
    await untilDelivered(user, id, 1)
    await user.session()
    await expect.poll(async () => (await hookNow(user, id)).failure_count, PATIENT).toBe(1)
    const { events } = (await user.get('/v1/events')).body
    const answer = await user.get(`/v1/webhooks/${id}/deliveries`)
    const failed = {
      ...ATTEMPT,
      status: 500,
      error: 'http_error',
      reason: 'The receiver did not answer with a 2xx: it answered with 500'
    }
    expect(answer).toEqual({
      status: 200,
      body: {
        deliveries: [
          {
            id: events[1].id,
            seq: 2,
            event: 'session.completed',
            status: 'pending',
            next_attempt_at: expect.any(String),
            attempts: [failed]
          },
          {
            id: events[0].id,
            seq: 1,
            event: 'session.completed',
            status: 'delivered',
            next_attempt_at: null,
            attempts: [ATTEMPT]
          }
        ],
        next_cursor: null,
        has_more: false
      }
    })
    expect(JSON.stringify(answer)).not.toContain('secret')
  })

  test('shows a delivery once if its server died between the log of the attempt and the end of the delivery', async () => {
    const { user, id, query, startDispatcher } = await claimedByDead()
    await query(`insert into webhook_attempts
      (user_id, webhook_id, seq, attempt, event_id, type, attempted_at, duration_ms, status, answer, ended)
      select user_id, webhook_id, seq, attempt, event_id, type, now(), 1, 204, '', 'delivered' from webhook_deliveries`)
    expect(await deliveriesOf(user, id)).toMatchObject([{ status: 'pending', attempts: [ATTEMPT] }])
    expect(await deliveriesOf(user, id, '?status=delivered')).toEqual([])
    startDispatcher()
    await untilDelivered(user, id, 1)
    expect(await deliveriesOf(user, id)).toMatchObject([{ status: 'delivered', attempts: [ATTEMPT, ATTEMPT] }])
  })

  test('is read page by page, and by status and event', async () => {
    const { newUser } = await dispatching()
    const user = await newUser()
    const receiver = await startReceiver(received =>
      JSON.parse(received.body).event === 'session.updated' ? 500 : 200
    )
    const { id } = await hookOf(user, receiver.url)
    const session = await user.session()
    await user.session()
    await user.session()
    // A success that is recorded after the failure would end the count of failures.
    await untilDelivered(user, id, 3)
    await user.patch(`/v1/sessions/${session}`, { title: 'Another' })
    await expect.poll(async () => (await hookNow(user, id)).failure_count, PATIENT).toBe(1)
    const seqs = async (query: string) => (await deliveriesOf(user, id, query)).map((one: { seq: number }) => one.seq)
    expect(await seqs('?event=session.updated')).toEqual([4])
    expect(await seqs('?event=session.deleted')).toEqual([])
    expect(await seqs('?status=pending')).toEqual([4])
    expect(await seqs('?status=delivered')).toEqual([3, 2, 1])
    expect(await seqs('?status=delivered&event=session.updated')).toEqual([])
    const { body } = await user.get(`/v1/webhooks/${id}/deliveries?limit=2`)
    expect(body).toMatchObject({ deliveries: [{ seq: 4 }, { seq: 3 }], next_cursor: 3, has_more: true })
    expect((await user.get(`/v1/webhooks/${id}/deliveries?limit=2&cursor=3`)).body).toMatchObject({
      deliveries: [{ seq: 2 }, { seq: 1 }],
      next_cursor: null,
      has_more: false
    })
  })

  test.each([
    ['limit=0', 'limit: send a whole number from 1 to 200'],
    ['limit=201', 'limit: send a whole number from 1 to 200'],
    ['cursor=x', 'cursor: send the next_cursor of the previous page'],
    ['cursor=9007199254740993', 'cursor: send the next_cursor of the previous page'],
    ['status=done', 'status: send one of pending, delivered, failed'],
    ['status=failed&status=pending', 'status: send it once'],
    ['event=webhook.tests', `event: send one of ${EVENT_TYPES.join(', ')}, webhook.test`]
  ])('refuses ?%s with 400', async (query, message) => {
    const { newUser } = await dispatching({ start: false })
    const user = await newUser()
    const { id } = await hookOf(user, 'http://127.0.0.1:9/')
    expect(await user.get(`/v1/webhooks/${id}/deliveries?${query}`)).toEqual({
      status: 400,
      body: { error: { code: 'invalid_request', message } }
    })
  })
})

describe('POST /v1/webhooks/{id}/deliveries/{delivery_id}/retry', () => {
  test('sends a waiting, failed or delivered event at once, with the whole schedule again', async () => {
    const { newUser, pass } = await dispatching()
    const user = await newUser()
    const receiver = await startReceiver(() => 500)
    const { id } = await hookOf(user, receiver.url)
    await user.session()
    await expect.poll(async () => (await hookNow(user, id)).failure_count, PATIENT).toBe(1)
    const [{ id: delivery }] = await deliveriesOf(user, id)
    const retry = () => user.post(`/v1/webhooks/${id}/deliveries/${delivery}/retry`)
    expect(await retry()).toMatchObject({
      status: 200,
      body: { id: delivery, status: 'pending', attempts: [{ status: 500 }] }
    })
    await expect.poll(async () => (await hookNow(user, id)).failure_count, PATIENT).toBe(2)
    const [waiting] = await deliveriesOf(user, id)
    // The first delay of the schedule, though it is the second attempt.
    expect(Date.parse(waiting.next_attempt_at) - Date.parse(waiting.attempts[1].attempted_at)).toBeLessThan(MINUTE)
    for (let attempt = 3; attempt <= 11; attempt++) {
      await pass(29 * HOUR)
      await expect.poll(async () => (await hookNow(user, id)).failure_count, PATIENT).toBe(attempt)
    }
    expect(await deliveriesOf(user, id)).toMatchObject([{ status: 'failed' }])
    receiver.answer = () => 200
    expect(await retry()).toMatchObject({ status: 200, body: { status: 'pending' } })
    await untilDelivered(user, id, 1)
    const before = receiver.received.length
    await retry()
    await expect.poll(() => receiver.received.length, PATIENT).toBe(before + 1)
    await untilDelivered(user, id, 1)
    expect(new Set(receiver.received.map(one => `${one.id} ${one.body}`)).size).toBe(1)
  })

  test('begins the schedule again even if the last attempt is in flight and fails', async () => {
    const { newUser, pass } = await dispatching()
    const user = await newUser()
    const receiver = await startReceiver(() => 500)
    const { id } = await hookOf(user, receiver.url)
    await user.session()
    let fail = () => {}
    for (let attempt = 1; attempt <= 9; attempt++) {
      await expect.poll(async () => (await hookNow(user, id)).failure_count, PATIENT).toBe(attempt)
      if (attempt === 9) {
        receiver.answer = () => response => {
          fail = () => response.writeHead(500).end()
        }
      }
      await pass(29 * HOUR)
    }
    await expect.poll(() => receiver.received.length, PATIENT).toBe(10)
    receiver.answer = () => 500
    const [{ id: delivery }] = await deliveriesOf(user, id)
    const retried = await user.post(`/v1/webhooks/${id}/deliveries/${delivery}/retry`)
    expect(retried).toMatchObject({ status: 200, body: { status: 'pending', next_attempt_at: null } })
    fail()
    await expect.poll(async () => (await hookNow(user, id)).failure_count, PATIENT).toBe(10)
    expect(await deliveriesOf(user, id)).toMatchObject([{ status: 'pending', next_attempt_at: expect.any(String) }])
    for (let attempt = 11; attempt <= 20; attempt++) {
      await pass(29 * HOUR)
      await expect.poll(() => receiver.received.length, PATIENT).toBe(attempt)
      await expect.poll(async () => (await deliveriesOf(user, id))[0].attempts.length, PATIENT).toBe(attempt)
    }
    expect(await deliveriesOf(user, id)).toMatchObject([{ status: 'failed' }])
  })

  test('sends a delivery in flight once more, even if it arrives', async () => {
    const { newUser } = await dispatching()
    const user = await newUser()
    let arrive = () => {}
    const receiver = await startReceiver(() => response => {
      arrive = () => response.writeHead(204).end()
    })
    const { id } = await hookOf(user, receiver.url)
    await user.session()
    await expect.poll(() => receiver.received.length, PATIENT).toBe(1)
    receiver.answer = () => 204
    const [{ id: delivery }] = await deliveriesOf(user, id)
    await user.post(`/v1/webhooks/${id}/deliveries/${delivery}/retry`)
    arrive()
    await untilDelivered(user, id, 1)
    expect(await deliveriesOf(user, id)).toMatchObject([{ id: delivery, attempts: [ATTEMPT, ATTEMPT] }])
    expect(receiver.received).toHaveLength(2)
  })

  test('answers 404 for an event that this webhook was never sent, and 400 while the webhook is turned off', async () => {
    const { newUser } = await dispatching()
    const user = await newUser()
    const receiver = await startReceiver()
    const { id } = await hookOf(user, receiver.url, ['session.deleted'])
    await user.session()
    const [{ id: event }] = (await user.get('/v1/events')).body.events
    const missing = { status: 404, body: { error: { code: 'not_found', message: 'Delivery not found' } } }
    for (const other of [event, 'evt_01m7x9h2v8e7ksp4d0f6t3yxqa', 'x'])
      expect(await user.post(`/v1/webhooks/${id}/deliveries/${other}/retry`)).toEqual(missing)
    await user.patch(`/v1/webhooks/${id}`, { active: false })
    const off = {
      status: 400,
      body: { error: { code: 'invalid_request', message: 'The webhook is turned off; set active to true first' } }
    }
    expect(await user.post(`/v1/webhooks/${id}/deliveries/${event}/retry`)).toEqual(off)
    expect(await user.post(`/v1/webhooks/${id}/replay`, { from_seq: 1 })).toEqual(off)
  })
})

describe('POST /v1/webhooks/{id}/replay', () => {
  test('sends the subscribed events of the feed again from a seq on, even those from before the webhook', async () => {
    const { newUser } = await dispatching()
    const user = await newUser()
    const receiver = await startReceiver()
    const first = await user.session()
    await user.patch(`/v1/sessions/${first}`, { title: 'Another' })
    const { id } = await hookOf(user, receiver.url, ['session.completed'])
    await user.session()
    await untilDelivered(user, id, 1)
    const replay = (body: object) => user.post(`/v1/webhooks/${id}/replay`, body)
    expect(await replay({ from_seq: 1 })).toEqual({ status: 200, body: { webhook_id: id, queued: 2, next_seq: null } })
    await untilDelivered(user, id, 2)
    await expect.poll(() => receiver.received.length, PATIENT).toBe(3)
    const { events } = (await user.get('/v1/events')).body
    const [original, ...replayed] = receiver.received.map(one => one.id)
    // Both are sent at the same time, so either may arrive first.
    expect([original, replayed.sort()]).toEqual([events[2].id, [events[0].id, events[2].id].sort()])
    expect(await replay({ from_seq: 4 })).toMatchObject({ body: { queued: 0 } })
    expect(await replay({ since: events[2].created_at })).toMatchObject({ body: { queued: 1 } })
    await expect.poll(() => receiver.received.length, PATIENT).toBe(4)
    expect(await replay({ since: '2100-01-01T00:00:00Z' })).toMatchObject({ body: { queued: 0, next_seq: null } })
  })

  test('leaves the state of an event that it does not queue, even where the event waits for another webhook', async () => {
    const { newUser, query } = await dispatching({ start: false })
    const user = await newUser()
    const { id } = await hookOf(user, 'http://127.0.0.1:9/')
    await hookOf(user, 'http://127.0.0.1:9/')
    await user.session()
    await query(
      `with delivered as (delete from webhook_deliveries where webhook_id = $1 returning *)
      insert into webhook_attempts (user_id, webhook_id, seq, attempt, event_id, type, attempted_at, duration_ms, status, error, answer, ended)
      select user_id, webhook_id, seq, 1, event_id, type, now(), 5, 204, null, '', 'delivered' from delivered`,
      [id]
    )
    await user.patch(`/v1/webhooks/${id}`, { events: ['session.deleted'] })
    expect((await user.post(`/v1/webhooks/${id}/replay`, { from_seq: 1 })).body).toMatchObject({ queued: 0 })
    expect(await deliveriesOf(user, id)).toMatchObject([{ status: 'delivered' }])
  })

  test.each([
    ['nothing', {}, 'body: send either from_seq or since'],
    ['both', { from_seq: 1, since: '2026-03-02T10:00:00Z' }, 'body: send either from_seq or since'],
    ['no object', undefined, 'body: send an object with from_seq or since'],
    ['a from_seq of 0', { from_seq: 0 }, 'from_seq: send a whole number from 1 to 9007199254740991'],
    ['a from_seq as a text', { from_seq: '1' }, 'from_seq: send a whole number from 1 to 9007199254740991'],
    ['a date that is none', { since: 'yesterday' }, /^since: /]
  ])('refuses %s with 400', async (_, body, message) => {
    const { newUser } = await dispatching({ start: false })
    const user = await newUser()
    const { id } = await hookOf(user, 'http://127.0.0.1:9/')
    const expected = typeof message === 'string' ? message : expect.stringMatching(message)
    expect(await user.post(`/v1/webhooks/${id}/replay`, body)).toEqual({
      status: 400,
      body: { error: { code: 'invalid_request', message: expected } }
    })
  })
})

test('another user neither sees nor changes the deliveries of a webhook', async () => {
  const { newUser } = await dispatching()
  const [user, stranger] = [await newUser(), await newUser()]
  const receiver = await startReceiver()
  const [mine, theirs] = [await hookOf(user, receiver.url), await hookOf(stranger, receiver.url)]
  await user.session()
  await untilDelivered(user, mine.id, 1)
  const [{ id: delivery }] = await deliveriesOf(user, mine.id)
  expect(await deliveriesOf(stranger, theirs.id)).toEqual([])
  expect((await stranger.post(`/v1/webhooks/${theirs.id}/deliveries/${delivery}/retry`)).status).toBe(404)
  expect((await stranger.post(`/v1/webhooks/${mine.id}/deliveries/${delivery}/retry`)).status).toBe(404)
  expect(receiver.received).toHaveLength(1)
})

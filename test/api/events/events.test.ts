// @module-tag both

import { EventEmitter } from 'node:events'
import { describe, expect, test } from 'vitest'
import { EXAMPLES } from '../../../src/contract/examples.ts'
import { issueToken } from '../../../src/features/access/tokens.ts'
import { openArrivals } from '../../../src/features/events/arrivals.ts'
import { until } from '../../support/process.ts'
import { buildTestApp, clock, newUser, newUserOf, testDatabase } from '../../support/server.ts'

type User = Awaited<ReturnType<typeof newUser>>

function refused(message: string) {
  return { status: 400, body: { error: { code: 'invalid_request', message } } }
}

async function poll(user: User, query = '') {
  const { status, body } = await user.get(`/v1/events${query}`)
  expect([status, body.error]).toEqual([200, undefined])
  return body as {
    events: { seq: number; event: string; data: { session: { id: string } } }[]
    next_cursor: number | null
    has_more: boolean
  }
}

const seqs = ({ events }: Awaited<ReturnType<typeof poll>>) => events.map(({ seq }) => seq)

/** A user with that many events, told of one session. */
async function userWithEvents(count: number) {
  const user = await newUser('events:read', 'sessions:write')
  const id = await user.session()
  for (let turn = 1; turn < count; turn++) await user.patch(`/v1/sessions/${id}`, { title: `t${turn}` })
  return user
}

/** The body of an event as it is stored. */
function updated(id: string, notes = '') {
  const session = { ...EXAMPLES.sessionDetail, notes }
  return JSON.stringify({ ...EXAMPLES.webhookPayload, id, event: 'session.updated', data: { session } })
}

describe('GET /v1/events', () => {
  test('answers with an empty page, and no cursor, when nothing has happened', async () => {
    const user = await newUser('events:read')
    expect(await user.get('/v1/events')).toEqual({
      status: 200,
      body: { events: [], next_cursor: null, has_more: false }
    })
  })

  test('answers cursor=latest with the newest position and no event, and acknowledges nothing', async () => {
    const user = await userWithEvents(3)
    const head = (next_cursor: number) => ({ status: 200, body: { events: [], next_cursor, has_more: false } })
    expect(await user.get('/v1/events?cursor=latest')).toEqual(head(3))
    expect(seqs(await poll(user))).toEqual([1, 2, 3])
    expect(await (await newUser('events:read')).get('/v1/events?cursor=latest')).toEqual(head(0))
  })

  test('returns events in order, each with the session at that time', async () => {
    const user = await newUser()
    const id = await user.session({ title: 'One', tags: ['a'] })
    const first = (await user.get(`/v1/sessions/${id}`)).body
    await user.patch(`/v1/sessions/${id}`, { title: 'Two', action_items: [{ text: 'x' }] })
    const second = (await user.get(`/v1/sessions/${id}`)).body
    const { status, body } = await user.get('/v1/events')
    const envelope = (seq: number, event: string, session: object) => ({
      id: expect.stringMatching(/^evt_[0-9a-hjkmnp-tv-z]{26}$/),
      seq,
      event,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      data: { session }
    })
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        events: [
          envelope(1, 'session.completed', first),
          envelope(2, 'session.updated', second),
          envelope(3, 'session.action_items.updated', second)
        ],
        next_cursor: 3,
        has_more: false
      }
    })
  })

  test('begins after the last acknowledged event, and polling alone acknowledges nothing', async () => {
    const user = await userWithEvents(5)
    expect(seqs(await poll(user))).toEqual([1, 2, 3, 4, 5])
    expect(seqs(await poll(user))).toEqual([1, 2, 3, 4, 5])
    await user.post('/v1/events/ack', { cursor: 3 })
    expect(seqs(await poll(user))).toEqual([4, 5])
    await user.post('/v1/events/ack', { cursor: 5 })
    expect(await poll(user)).toEqual({ events: [], next_cursor: null, has_more: false })
  })

  test('begins after the sent cursor, whatever was acknowledged', async () => {
    const user = await userWithEvents(4)
    await user.post('/v1/events/ack', { cursor: 4 })
    expect(seqs(await poll(user, '?cursor=0'))).toEqual([1, 2, 3, 4])
    expect(seqs(await poll(user, '?cursor=2'))).toEqual([3, 4])
    expect(seqs(await poll(user, '?cursor=9007199254740991'))).toEqual([])
    expect(seqs(await poll(user))).toEqual([])
  })

  test.each([1, 2, 3, 7])('shows each event once, page by page of %i', async limit => {
    const user = await userWithEvents(7)
    const seen: number[] = []
    for (
      let page = await poll(user, `?limit=${limit}`);
      ;
      page = await poll(user, `?limit=${limit}&cursor=${page.next_cursor}`)
    ) {
      expect(page.events.length).toBe(Math.min(limit, 7 - seen.length))
      seen.push(...seqs(page))
      expect(page.next_cursor).toBe(seen.at(-1))
      expect(page.has_more).toBe(seen.length < 7)
      if (!page.has_more) break
    }
    expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7])
  })

  test('ends a page at 4 MiB, with has_more, and still gives an event that is larger', async () => {
    const user = await newUser('events:read')
    const mebibyte = 2 ** 20
    for (const [index, size] of [1, 1, 1, 1, 1, 5, 1].entries()) {
      const filled = updated(`evt_${index}`, 'x'.repeat(size * mebibyte - updated(`evt_${index}`).length))
      await user.db.execute(`insert into events (user_id, seq, event_id, type, session_id, created_at, body)
        values ('${user.id}', ${index + 1}, 'evt_${index}', 'session.updated', 'ses_x', now(), '${filled}')`)
    }
    const pages: number[][] = []
    for (let cursor: number | null = 0, more = true; more; ) {
      const page = await poll(user, `?cursor=${cursor}`)
      pages.push(seqs(page))
      cursor = page.next_cursor
      more = page.has_more
    }
    expect(pages).toEqual([[1, 2, 3, 4], [5, 6], [7]])
  })

  test('returns 50 events by default, and 200 at most', async () => {
    const user = await newUser('events:read')
    await user.db.execute(`insert into events (user_id, seq, event_id, type, session_id, created_at, body)
      select '${user.id}', n, 'evt_' || n, 'session.updated', 'ses_x', now(), replace('${updated('evt_0')}', 'evt_0', 'evt_' || n)
      from generate_series(1, 201) n`)
    expect((await poll(user)).events).toHaveLength(50)
    expect(await poll(user, '?limit=200')).toMatchObject({ next_cursor: 200, has_more: true })
  })

  test.each([
    ['limit=0', 'limit: send a whole number from 1 to 200'],
    ['limit=201', 'limit: send a whole number from 1 to 200'],
    ['limit=5&limit=6', 'limit: send it once'],
    ['cursor=-1', 'cursor: send a whole number from 0 to 9007199254740991, or latest'],
    ['cursor=1.5', 'cursor: send a whole number from 0 to 9007199254740991, or latest'],
    ['cursor=9007199254740992', 'cursor: send a whole number from 0 to 9007199254740991, or latest'],
    ['cursor=', 'cursor: send a whole number from 0 to 9007199254740991, or latest'],
    ['cursor=2026-03-02', 'cursor: send a whole number from 0 to 9007199254740991, or latest']
  ])('refuses ?%s and says what to send', async (query, message) => {
    const user = await newUser('events:read')
    expect(await user.get(`/v1/events?${query}`)).toEqual(refused(message))
  })
})

describe('GET /v1/events?wait=', () => {
  test('answers at once if there are events', async () => {
    const user = await userWithEvents(2)
    expect(seqs(await poll(user, '?wait=30'))).toEqual([1, 2])
  })

  test('answers with the next event as soon as it is recorded', async () => {
    const user = await newUser('events:read', 'sessions:write')
    const id = await user.session()
    await user.post('/v1/events/ack', { cursor: 1 })
    const polled = poll(user, '?wait=30')
    await user.patch(`/v1/sessions/${id}`, { title: 'Changed' })
    expect(seqs(await polled)).toEqual([2])
  })

  test('notices the event of another process, and no event of another user', async () => {
    const { db } = await testDatabase()
    // Commits of this process do not reach these arrivals.
    const app = await buildTestApp({ arrivals: openArrivals(db, new EventEmitter()) })
    const [user, other] = [await newUserOf({ db, app }), await newUser()]
    const polled = poll(user, '?wait=30')
    const [, sessionId] = [await other.session(), await user.session()]
    const { events } = await polled
    expect(events.map(({ data }) => data.session.id)).toEqual([sessionId])
    await app.close()
  })

  test('leaves no listener behind: an application listens to commits while a request waits', async () => {
    const { db, commits } = await testDatabase()
    const listeners = (of: EventEmitter) => of.listenerCount('events') + of.listenerCount('failures')
    const before = listeners(commits)
    for (let n = 0; n < 11; n++) await buildTestApp()
    expect(listeners(commits)).toBe(before)

    const own = new EventEmitter()
    const arrivals = openArrivals(db, own)
    const stop = new AbortController()
    const waits = [1, 2].map(n => arrivals.wait(`usr_${n}`, 0, 60_000, stop.signal))
    expect(listeners(own)).toBe(2)
    own.emit('events', 'usr_1')
    expect(await waits[0]).toBe('arrived')
    expect(listeners(own)).toBe(2)
    stop.abort()
    expect(await waits[1]).toBe('ended')
    expect(listeners(own)).toBe(0)
  })

  test('answers with an empty page when the time is over', async () => {
    const user = await newUser('events:read')
    const startedAt = performance.now()
    expect(await poll(user, '?wait=1')).toEqual({ events: [], next_cursor: null, has_more: false })
    expect(performance.now() - startedAt).toBeGreaterThan(900)
  })

  test('a server that stops answers at once', async () => {
    const { db } = await testDatabase()
    const app = await buildTestApp()
    const user = await newUserOf({ db, app })
    await app.listen({ host: '127.0.0.1', port: 0 })
    const answer = fetch(`${app.listeningOrigin}/v1/events?wait=30`, {
      headers: { authorization: `Bearer ${user.token}`, connection: 'close' }
    })
    const startedAt = performance.now()
    // The request has arrived once its token is counted.
    const counted = `select 1 from rate_counters where token_id = '${user.tokenId}'`
    await until('the request has arrived', async () => (await db.execute(counted)).rows.length > 0)
    await app.close()
    expect(await (await answer).json()).toEqual({ events: [], next_cursor: null, has_more: false })
    expect(performance.now() - startedAt).toBeLessThan(25_000)
  })

  test.each(['31', '-1', '1.5', 'x'])('refuses wait=%s', async wait => {
    const user = await newUser('events:read')
    expect(await user.get(`/v1/events?wait=${wait}`)).toEqual(refused('wait: send a whole number from 0 to 30'))
  })
})

describe('POST /v1/events/ack', () => {
  test('moves forward and never back', async () => {
    const user = await userWithEvents(3)
    const acknowledged = []
    for (const cursor of [2, 1, 0, 2, 3, 2])
      acknowledged.push((await user.post('/v1/events/ack', { cursor })).body.acknowledged_cursor)
    expect(acknowledged).toEqual([2, 2, 2, 2, 3, 3])
  })

  test('refuses a cursor above the newest event, which it names, and leaves the token where it stands', async () => {
    const [user, other] = [await userWithEvents(3), await userWithEvents(9)]
    await user.post('/v1/events/ack', { cursor: 1 })
    for (const cursor of [4, 9, 99_999, Number.MAX_SAFE_INTEGER]) {
      for (const body of [{ cursor }, { cursor, rewind: true }]) {
        expect(await user.post('/v1/events/ack', body)).toEqual(
          refused('cursor: the newest event is 3; send a whole number from 0 to 3')
        )
      }
    }
    expect(seqs(await poll(user))).toEqual([2, 3])
    expect((await other.post('/v1/events/ack', { cursor: 9 })).status).toBe(200)
  })

  test('takes only 0 for a user without events', async () => {
    const user = await newUser('events:read')
    expect(await user.post('/v1/events/ack', { cursor: 0 })).toEqual({ status: 200, body: { acknowledged_cursor: 0 } })
    expect(await user.post('/v1/events/ack', { cursor: 1 })).toEqual(
      refused('cursor: the newest event is 0; send a whole number from 0 to 0')
    )
  })

  test('moves back with rewind, and the events after it return', async () => {
    const user = await userWithEvents(4)
    await user.post('/v1/events/ack', { cursor: 4 })
    expect(await user.post('/v1/events/ack', { cursor: 1, rewind: false })).toEqual({
      status: 200,
      body: { acknowledged_cursor: 4 }
    })
    expect(await user.post('/v1/events/ack', { cursor: 1, rewind: true })).toEqual({
      status: 200,
      body: { acknowledged_cursor: 1 }
    })
    expect(seqs(await poll(user))).toEqual([2, 3, 4])
    expect(await user.post('/v1/events/ack', { cursor: 3, rewind: true })).toEqual({
      status: 200,
      body: { acknowledged_cursor: 3 }
    })
    expect(await user.post('/v1/events/ack', { cursor: 0, rewind: true })).toEqual({
      status: 200,
      body: { acknowledged_cursor: 0 }
    })
    expect(seqs(await poll(user))).toEqual([1, 2, 3, 4])
  })

  test('moves the cursor of one token only', async () => {
    const user = await userWithEvents(3)
    const other = await issueToken(user.db, user.id, 'other', ['events:read'], clock.now())
    await user.post('/v1/events/ack', { cursor: 2 })
    const reply = await user.app.inject({ url: '/v1/events', headers: { authorization: `Bearer ${other.token}` } })
    expect(seqs(reply.json())).toEqual([1, 2, 3])
    expect(seqs(await poll(user))).toEqual([3])
  })

  test('moves a token above the newest event to the sent cursor', async () => {
    const user = await userWithEvents(3)
    await user.db.execute(`insert into token_cursors values ('${user.id}', '${user.tokenId}', 99999)`)
    expect((await user.post('/v1/events/ack', { cursor: 1 })).body).toEqual({ acknowledged_cursor: 1 })
    expect(seqs(await poll(user))).toEqual([2, 3])
  })

  test('keeps the highest of fifty cursors at once', async () => {
    const user = await userWithEvents(50)
    const cursors = Array.from({ length: 50 }, (_, n) => (n * 37) % 50)
    const answers = await Promise.all(cursors.map(cursor => user.post('/v1/events/ack', { cursor })))
    for (const [index, { body }] of answers.entries())
      expect(body.acknowledged_cursor).toBeGreaterThanOrEqual(cursors[index]!)
    expect((await user.post('/v1/events/ack', { cursor: 0 })).body.acknowledged_cursor).toBe(49)
  })

  test.each<[unknown, string]>([
    [{}, 'cursor: send a whole number from 0 to 9007199254740991'],
    [{ cursor: -1 }, 'cursor: send a whole number from 0 to 9007199254740991'],
    [{ cursor: '5' }, 'cursor: send a whole number from 0 to 9007199254740991'],
    [{ cursor: 1.5 }, 'cursor: send a whole number from 0 to 9007199254740991'],
    [{ cursor: 2 ** 53 }, 'cursor: send a whole number from 0 to 9007199254740991'],
    [{ cursor: 0, rewind: 'yes' }, 'rewind: send true or false'],
    [undefined, 'body: send an object with the cursor']
  ])('refuses %j and says what to send', async (body, message) => {
    const user = await newUser('events:read')
    expect(await user.post('/v1/events/ack', body)).toEqual(refused(message))
  })
})

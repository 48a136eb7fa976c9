import { describe, expect, test } from 'vitest'
import { AiError } from '../../src/ai/ai.ts'
import { DEFAULT_EVENT_TYPES, EVENT_TYPES } from '../../src/contract/event.ts'
import { FAILURES } from '../../src/core/failure-reason.ts'
import { newAppUser } from '../support/admin-api.ts'
import { plainAi } from '../support/ai.ts'
import { addEvents } from '../support/feed.ts'
import { acceptSession, completeSession, newUser, SPOKEN, testDatabase } from '../support/server.ts'

type User = Pick<Awaited<ReturnType<typeof newUser>>, 'get'>

const ALL = `?types=${EVENT_TYPES.join(',')}`
const NEW = '?types=session.created,session.failed'
const SILENT = { segments: [], media: { audio: 'https://example.test/a.mp3' } }
const refusing = () => plainAi({ summarize: () => Promise.reject(new AiError('The key is wrong', { final: true })) })

async function poll(user: User, query = '') {
  const { status, body } = await user.get(`/v1/events${query}`)
  expect([status, body.error]).toEqual([200, undefined])
  return body as {
    events: { seq: number; event: string; data: { session: { id: string; title: string } } }[]
    next_cursor: number | null
    has_more: boolean
  }
}

/** The number and type of each event that a reader gets. */
async function told(user: User, query = '') {
  return (await poll(user, `${query}${query ? '&' : '?'}cursor=0&limit=200`)).events.map(({ seq, event }) => `${seq} ${event}`)
}

/** A user whose feed has events of those types, numbered from 1. */
async function userWith(...types: (typeof EVENT_TYPES)[number][]) {
  const user = await newUser('events:read')
  await addEvents(await testDatabase(), user.id, types)
  return user
}

describe('session.created and session.failed', () => {
  test('are for readers that name them; others get the usual types, and the numbers between are left out', async () => {
    const user = await newUser()
    const completed = await acceptSession(user.id)
    const failed = await acceptSession(user.id, SILENT)
    for (const id of [failed, completed]) await completeSession(user.id, id)
    await user.delete(`/v1/sessions/${completed}`)
    expect(await told(user)).toEqual(['4 session.completed', '5 session.deleted'])
    expect(await told(user, `?types=${DEFAULT_EVENT_TYPES}`)).toEqual(await told(user))
    expect(await told(user, NEW)).toEqual(['1 session.created', '2 session.created', '3 session.failed'])
    expect(await told(user, '?types=session.failed')).toEqual(['3 session.failed'])
    expect(await told(user, ALL)).toEqual([
      '1 session.created',
      '2 session.created',
      '3 session.failed',
      '4 session.completed',
      '5 session.deleted'
    ])
  })

  test('carry the session as it was read then: processing, and failed with the reason', async () => {
    const user = await newUser()
    const id = await acceptSession(user.id, { ...SILENT, folders: ['Clients'], tags: ['a'], notes: 'Bring cake' })
    const created = (await user.get(`/v1/sessions/${id}`)).body
    await completeSession(user.id, id)
    const failed = (await user.get(`/v1/sessions/${id}`)).body
    expect([created.status, failed.status, failed.failure_reason]).toEqual(['processing', 'failed', FAILURES.noSpeech])
    expect((await poll(user, NEW)).events.map(({ data }) => data.session)).toEqual([created, failed])
  })

  test('tell the owner no sentence of the operator', async () => {
    const user = await newUser()
    const id = await acceptSession(user.id)
    await completeSession(user.id, id, refusing())
    const [event] = (await poll(user, '?types=session.failed')).events
    expect(event?.data.session).toMatchObject({ id, failure_reason: expect.stringContaining('ask the operator') })
  })

  test('session.created comes once, however a session is imported, and not for one that exists', async () => {
    const user = await newAppUser()
    const document = (external_id: string) => ({ external_id, segments: SPOKEN })
    const upload = () => user.ask('POST', '/v1/sessions/upload?file=weekly.txt', { body: Buffer.from('Ada: Hello.'), headers: BYTES })
    for (let turn = 0; turn < 2; turn++) {
      await user.post('/v1/sessions', document('by token'))
      await upload()
      await user.adminApi.post('/sessions', document('by admin'))
      await user.adminApi.post('/calls', { direction: 'outbound', external_id: 'call' })
    }
    await Promise.all(Array.from({ length: 5 }, () => user.post('/v1/sessions', document('at once'))))
    expect(await told(user, ALL)).toEqual(['1', '2', '3', '4', '5'].map(seq => `${seq} session.created`))
  })

  test('session.created is not there when the import is refused', async () => {
    const user = await newUser()
    expect((await user.post('/v1/sessions', { segments: SPOKEN, action_items: [{ text: 'x', due_date: 'never' }] })).status).toBe(400)
    expect(await poll(user, ALL)).toEqual({ events: [], next_cursor: null, has_more: false })
  })

  test('session.failed comes with every failure, after a retry again, and a retry records nothing', async () => {
    const user = await newUser()
    const id = await acceptSession(user.id)
    await completeSession(user.id, id, refusing())
    expect((await user.post(`/v1/sessions/${id}/retry`)).status).toBe(202)
    expect(await told(user, ALL)).toEqual(['1 session.created', '2 session.failed'])
    await completeSession(user.id, id, refusing())
    await user.post(`/v1/sessions/${id}/retry`)
    await completeSession(user.id, id)
    expect((await told(user, ALL)).slice(2)).toEqual(['3 session.failed', '4 session.completed'])
  })

  test.each(['missed', 'failed'])('session.failed tells of a call that was %s', async status => {
    const user = await newAppUser()
    const { body } = await user.adminApi.post('/calls', { direction: 'outbound' })
    await user.adminApi.patch(`/calls/${body.id}`, { status })
    expect(await told(user, ALL)).toEqual(['1 session.created', '2 session.failed'])
    const session = (await user.get(`/v1/sessions/${body.id}`)).body
    expect((await poll(user, '?types=session.failed')).events[0]?.data.session).toEqual(session)
  })

  test('do not announce a session: its deletion and its return from the trash are recorded for one that was completed only', async () => {
    const user = await newAppUser()
    const [failed, created] = [await acceptSession(user.id, SILENT), await acceptSession(user.id)]
    await completeSession(user.id, failed)
    for (const id of [failed, created]) {
      await user.adminApi.delete(`/sessions/${id}`)
      await user.adminApi.post(`/sessions/${id}/restore`)
      expect((await user.delete(`/v1/sessions/${id}`)).status).toBe(200)
    }
    expect(await told(user, ALL)).toEqual(['1 session.created', '2 session.created', '3 session.failed'])
    const { events } = await poll(user, ALL)
    expect(events.map(({ data }) => data.session.title)).toEqual(['', '', ''])
  })

  test('move no session in order=updated', async () => {
    const user = await newUser()
    const first = await acceptSession(user.id)
    const second = await user.session()
    await completeSession(user.id, await acceptSession(user.id, SILENT))
    const { body } = await user.get('/v1/sessions?order=updated')
    expect(body.sessions.map(({ id }: { id: string }) => id)).toEqual([second])
    const later = async () => (await user.get(`/v1/sessions?order=updated&include=deleted&cursor=${body.next_cursor}`)).body
    expect(await later()).toEqual({ sessions: [], next_cursor: body.next_cursor, has_more: false })
    await completeSession(user.id, first)
    expect((await later()).sessions).toMatchObject([{ id: first }])
  })
})

describe('GET /v1/events?types=', () => {
  test.each([
    ['repeated', '?types=session.failed&types=session.created'],
    ['separated by commas', '?types=session.created,session.failed'],
    ['both, with repetitions and empty ones', '?types=session.failed,,session.created&types=session.failed,']
  ])('takes types that are %s', async (_, query) => {
    const user = await userWith('session.created', 'session.completed', 'session.failed')
    expect(await told(user, query)).toEqual(['1 session.created', '3 session.failed'])
  })

  test.each(['session.begun', 'session.created,webhook.test', '', ',', 'SESSION.CREATED', 'session.created session.failed'])(
    'refuses types=%s and names the types',
    async types => {
      const user = await newUser('events:read')
      const message = `types: send one or more of ${EVENT_TYPES.join(', ')}`
      expect(await user.get(`/v1/events?types=${encodeURIComponent(types)}`)).toEqual({
        status: 400,
        body: { error: { code: 'invalid_request', message } }
      })
    }
  )

  test('needs the scope events:read, and shows nothing of another user', async () => {
    const [user, other] = [await userWith('session.created'), await newUser('events:read')]
    expect(await told(other, ALL)).toEqual([])
    expect((await (await newUser('sessions:read')).get(`/v1/events${ALL}`)).status).toBe(403)
    expect(await told(user, ALL)).toHaveLength(1)
  })

  test('leads through all pages by Link and next_cursor, each event once', async () => {
    const types = Array.from({ length: 20 }, (_, n) => EVENT_TYPES[n % EVENT_TYPES.length]!)
    const user = await userWith(...types)
    const seen: string[] = []
    for (let url: string | undefined = `/v1/events${NEW}&limit=2`; url !== undefined; ) {
      const { body, headers } = await user.send(url)
      seen.push(...body.events.map(({ seq, event }: { seq: number; event: string }) => `${seq} ${event}`))
      const next: string | undefined = /^<http:\/\/parlance\.test(.*)>; rel="next"$/.exec(String(headers.link))?.[1]
      expect([next !== undefined, body.events.length]).toEqual([body.has_more, body.has_more ? 2 : expect.any(Number)])
      expect(body.next_cursor).toBe(body.has_more ? body.events.at(-1).seq : 20)
      url = next
    }
    expect(seen).toEqual(types.flatMap((type, n) => (type === 'session.created' || type === 'session.failed' ? [`${n + 1} ${type}`] : [])))
  })

  test('ends the last page at the newest event of all types, so that a reader can acknowledge what it leaves out', async () => {
    const user = await userWith('session.failed', 'session.completed', 'session.updated')
    expect(await poll(user, '?types=session.failed')).toMatchObject({ events: [{ seq: 1 }], next_cursor: 3, has_more: false })
    expect(await poll(user, '?types=session.deleted')).toEqual({ events: [], next_cursor: 3, has_more: false })
    expect(await user.post('/v1/events/ack', { cursor: 3 })).toEqual({ status: 200, body: { acknowledged_cursor: 3 } })
    expect(await poll(user, '?types=session.failed')).toEqual({ events: [], next_cursor: null, has_more: false })
    await addEvents(await testDatabase(), user.id, ['session.updated', 'session.failed'])
    expect(await poll(user, '?types=session.failed')).toMatchObject({ events: [{ seq: 5 }], next_cursor: 5, has_more: false })
    expect(await poll(user, '?types=session.failed&cursor=5')).toEqual({ events: [], next_cursor: null, has_more: false })
    expect(await poll(user, '?types=session.failed&cursor=99')).toEqual({ events: [], next_cursor: null, has_more: false })
  })

  test('without types, next_cursor is that of the last event, whatever came after it', async () => {
    const user = await userWith('session.created', 'session.completed', 'session.created', 'session.failed')
    expect(await poll(user)).toMatchObject({ events: [{ seq: 2 }], next_cursor: 2, has_more: false })
    await user.post('/v1/events/ack', { cursor: 2 })
    expect(await poll(user)).toEqual({ events: [], next_cursor: null, has_more: false })
  })

  test('shares the position of the token with polls of other types, and cursor=latest is that of all', async () => {
    const user = await userWith('session.created', 'session.completed', 'session.created')
    for (const query of ['?cursor=latest', '?types=session.completed&cursor=latest'])
      expect(await poll(user, query)).toEqual({ events: [], next_cursor: 3, has_more: false })
    // The number of an event that the reader of the usual types never sees.
    await user.post('/v1/events/ack', { cursor: 1 })
    expect((await poll(user, '?types=session.created')).events).toMatchObject([{ seq: 3 }])
    expect((await poll(user)).events).toMatchObject([{ seq: 2 }])
  })
})

const BYTES = { 'content-type': 'application/octet-stream' }

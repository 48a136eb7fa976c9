// @module-tag both

import { describe, expect, test } from 'vitest'
import { FEED_EVENT_TYPES } from '../../../src/contract/event.ts'
import { removeOldEvents } from '../../../src/features/events/remove-old.ts'
import { FAILURES } from '../../../src/features/library/failure-reason.ts'
import { eraseAnswers } from '../../../src/features/webhooks/delivery/erase.ts'
import { AiError } from '../../../src/platform/ai/ai.ts'
import { newAppUser } from '../../support/admin-api.ts'
import { plainAi } from '../../support/ai.ts'
import { dispatching, hookOf } from '../../support/dispatch.ts'
import { startReceiver } from '../../support/receiver.ts'
import { acceptSession, clock, completeSession, newUser, SPOKEN, testDatabase } from '../../support/server.ts'

type User = Awaited<ReturnType<typeof newUser>>

const OUTSIDE = ['session.created', 'session.failed']
const ALL = [...FEED_EVENT_TYPES, ...OUTSIDE]
const NOWHERE = 'http://127.0.0.1:1/hook'
const SILENT = { segments: [], media: { audio: 'https://example.test/a.mp3' } }
const PATIENT = { timeout: 60_000, interval: 20 }
const DAY_MS = 86_400_000
const refusing = () => plainAi({ summarize: () => Promise.reject(new AiError('The key is wrong', { final: true })) })

interface Listed {
  id: string
  seq: number | null
  event: string
}

async function listDeliveries(user: Pick<User, 'get'>, hook: string, query = '') {
  const { status, body } = await user.get(`/v1/webhooks/${hook}/deliveries${query}`)
  expect(status).toBe(200)
  return body as { deliveries: Listed[]; next_cursor: number | null; has_more: boolean }
}

/** The types of what a webhook is sent, the oldest of the feed first, then the others. */
async function typesFor(user: Pick<User, 'get'>, hook: string) {
  const { deliveries } = await listDeliveries(user, hook)
  const [feed, others] = [deliveries.filter(({ seq }) => seq !== null), deliveries.filter(({ seq }) => seq === null)]
  return [...feed.reverse(), ...others.reverse()].map(({ event }) => event)
}

async function feedOf(user: Pick<User, 'get'>) {
  const { body } = await user.get('/v1/events?cursor=0&limit=200')
  return body.events.map(({ seq, event }: { seq: number; event: string }) => `${seq} ${event}`)
}

describe('session.created and session.failed', () => {
  test('are delivered signed and complete to webhooks that name them; others and the feed get the other types, without a gap', async () => {
    const { db, newUser: newOwner } = await dispatching()
    const user = await newOwner()
    const [usual, named] = [await startReceiver(), await startReceiver()]
    await hookOf(user, usual.url)
    await hookOf(user, named.url, OUTSIDE)
    const completed = await acceptSession(user.id, {}, db)
    const created = (await user.get(`/v1/sessions/${completed}`)).body
    const failed = await acceptSession(user.id, SILENT, db)
    for (const id of [failed, completed]) await completeSession(user.id, id, undefined, db)
    await user.patch(`/v1/sessions/${completed}`, { title: 'Weekly' })
    const payloads = ({ received }: typeof usual) => received.map(({ body }) => JSON.parse(body))
    const types = () =>
      [usual, named].map(receiver =>
        payloads(receiver)
          .map(({ event }) => event)
          .sort()
      )
    await expect.poll(types, PATIENT).toEqual([
      ['session.completed', 'session.updated'],
      ['session.created', 'session.created', 'session.failed']
    ])
    const whole = payloads(named).find(({ data }) => data.session.id === completed)
    expect(whole).toEqual({
      id: expect.stringMatching(/^evt_/),
      event: 'session.created',
      created_at: expect.any(String),
      data: { session: created }
    })
    const failure = payloads(named).find(({ event }) => event === 'session.failed')
    expect(failure.data.session).toEqual((await user.get(`/v1/sessions/${failed}`)).body)
    expect(failure.data.session).toMatchObject({ status: 'failed', failure_reason: FAILURES.noSpeech })
    expect(named.received.every(({ headers }) => headers['webhook-signature'])).toBe(true)
    expect(await feedOf(user)).toEqual(['1 session.completed', '2 session.updated'])
  })

  test('and the other types have only the id of the session for a webhook with the payload thin, also when an event is sent again', async () => {
    const { newUser: newOwner } = await dispatching()
    const user = await newOwner()
    const [full, thin] = [await startReceiver(), await startReceiver()]
    await hookOf(user, full.url, ALL)
    const { id: hook } = await hookOf(user, thin.url, ALL)
    await user.patch(`/v1/webhooks/${hook}`, { payload: 'thin' })
    const id = await user.session({ title: `","data":{"session":{"id":"` })
    await user.patch(`/v1/sessions/${id}`, { notes: 'The price is secret. '.repeat(200) })
    const sent = ({ received }: typeof full) => received.map(({ body }) => JSON.parse(body))
    await expect.poll(() => [sent(full).length, sent(thin).length], PATIENT).toEqual([3, 3])
    const expected = sent(full).map(event => ({ ...event, data: { session: { id } } }))
    const byId = (one: { id: string }, other: { id: string }) => one.id.localeCompare(other.id)
    expect(sent(thin).sort(byId)).toEqual(expected.sort(byId))
    expect(thin.received.every(({ headers }) => headers['webhook-signature'])).toBe(true)

    await user.post(`/v1/webhooks/${hook}/replay`, { from_seq: 1 })
    await expect.poll(() => sent(thin).length, PATIENT).toBeGreaterThan(3)
    expect(thin.received.map(({ body }) => body).join()).not.toContain('secret')
  })

  test('are not recorded where no webhook names them', async () => {
    const user = await newUser()
    await hookOf(user, NOWHERE)
    const id = await acceptSession(user.id, SILENT)
    await completeSession(user.id, id)
    const { rows } = await user.db.execute(`select from events where user_id = '${user.id}'`)
    expect([rows.length, await feedOf(user)]).toEqual([0, []])
  })

  test('show the owner no sentence for the operator', async () => {
    const user = await newUser()
    await hookOf(user, NOWHERE, OUTSIDE)
    await completeSession(user.id, await acceptSession(user.id), refusing())
    const { rows } = await user.db.execute<{ body: string }>(
      `select body from events where user_id = '${user.id}' and type = 'session.failed'`
    )
    expect(JSON.parse(rows[0]?.body ?? '').data.session.failure_reason).toContain('ask the operator')
  })

  test('include session.created once for every kind of import, but not for an existing session or a refused import', async () => {
    const user = await newAppUser()
    const { id: hook } = await hookOf(user as never, NOWHERE, ALL)
    const document = (external_id: string) => ({ external_id, segments: SPOKEN })
    const headers = { 'content-type': 'application/octet-stream' }
    for (let turn = 0; turn < 2; turn++) {
      await user.post('/v1/sessions', document('by token'))
      await user.ask('POST', '/v1/sessions/upload?file=weekly.txt', { body: Buffer.from('Ada: Hello.'), headers })
      await user.adminApi.post('/sessions', document('by admin'))
      await user.adminApi.post('/calls', { direction: 'outbound', external_id: 'call' })
    }
    await Promise.all(Array.from({ length: 5 }, () => user.post('/v1/sessions', document('at once'))))
    const refused = await user.post('/v1/sessions', {
      segments: SPOKEN,
      action_items: [{ text: 'x', due_date: 'never' }]
    })
    expect([refused.status, await typesFor(user, hook)]).toEqual([400, Array(5).fill('session.created')])
  })

  test('include session.failed for every failure, even after a retry, which itself records nothing', async () => {
    const user = await newUser()
    const { id: hook } = await hookOf(user, NOWHERE, ALL)
    const id = await acceptSession(user.id)
    await completeSession(user.id, id, refusing())
    expect((await user.post(`/v1/sessions/${id}/retry`)).status).toBe(202)
    expect(await typesFor(user, hook)).toEqual(OUTSIDE)
    await completeSession(user.id, id, refusing())
    await user.post(`/v1/sessions/${id}/retry`)
    await completeSession(user.id, id)
    expect(await typesFor(user, hook)).toEqual(['session.completed', ...OUTSIDE, 'session.failed'])
  })

  test.each(['missed', 'failed'])('include session.failed for a call that was %s', async status => {
    const user = await newAppUser()
    const { id: hook } = await hookOf(user as never, NOWHERE, ALL)
    const { body } = await user.adminApi.post('/calls', { direction: 'outbound' })
    await user.adminApi.patch(`/calls/${body.id}`, { status })
    expect(await typesFor(user, hook)).toEqual(OUTSIDE)
  })

  test('do not announce a session: neither its deletion nor its return from the trash is recorded', async () => {
    const user = await newAppUser()
    const { id: hook } = await hookOf(user as never, NOWHERE, ALL)
    const [failed, created] = [await acceptSession(user.id, SILENT), await acceptSession(user.id)]
    await completeSession(user.id, failed)
    for (const id of [failed, created]) {
      await user.adminApi.delete(`/sessions/${id}`)
      await user.adminApi.post(`/sessions/${id}/restore`)
      expect((await user.delete(`/v1/sessions/${id}`)).status).toBe(200)
    }
    expect(await typesFor(user, hook)).toEqual(['session.created', 'session.created', 'session.failed'])
    expect(await feedOf(user)).toEqual([])
  })

  test('move no session in order=updated', async () => {
    const user = await newUser()
    await hookOf(user, NOWHERE, OUTSIDE)
    await user.session()
    const { body } = await user.get('/v1/sessions?order=updated')
    await completeSession(user.id, await acceptSession(user.id, SILENT))
    const later = await user.get(`/v1/sessions?order=updated&include=deleted&cursor=${body.next_cursor}`)
    expect(later.body).toEqual({ sessions: [], next_cursor: body.next_cursor, has_more: false })
  })
})

describe('events outside the feed', () => {
  /** Two sessions of the feed, between and after them failures. */
  async function withBoth() {
    const user = await newUser()
    const { id: hook } = await hookOf(user, NOWHERE, [...FEED_EVENT_TYPES, 'session.failed'])
    for (const document of [{}, SILENT, {}, SILENT, SILENT]) {
      await completeSession(user.id, await acceptSession(user.id, document))
    }
    return { user, hook }
  }

  test('follow those of the feed in the list of deliveries, newest first, and pages have each once', async () => {
    const { user, hook } = await withBoth()
    const whole = (await listDeliveries(user, hook)).deliveries
    expect(whole.map(({ seq, event }) => [seq, event])).toEqual([
      [2, 'session.completed'],
      [1, 'session.completed'],
      ...Array(3).fill([null, 'session.failed'])
    ])
    const failures = (await listDeliveries(user, hook, '?event=session.failed')).deliveries
    expect(failures).toEqual(whole.slice(2))
    const seen: Listed[] = []
    for (
      let page = await listDeliveries(user, hook, '?limit=1');
      ;
      page = await listDeliveries(user, hook, `?limit=1&cursor=${page.next_cursor}`)
    ) {
      seen.push(...page.deliveries)
      if (!page.has_more) break
    }
    expect(seen).toEqual(whole)
    const { rows } = await user.db.execute<{ event_id: string }>(
      `select event_id from events where user_id = '${user.id}' and type = 'session.failed' order by created_at desc, seq desc`
    )
    expect(failures.map(({ id }) => id)).toEqual(rows.map(({ event_id }) => event_id))
  })

  test('are sent again by a retry of each, and not by a replay of the feed', async () => {
    const { user, hook } = await withBoth()
    const [failure] = (await listDeliveries(user, hook, '?event=session.failed')).deliveries
    expect((await user.post(`/v1/webhooks/${hook}/deliveries/${failure?.id}/retry`)).body).toMatchObject({
      id: failure?.id,
      seq: null,
      status: 'pending'
    })
    await user.db.execute(`delete from webhook_deliveries where user_id = '${user.id}'`)
    expect((await user.post(`/v1/webhooks/${hook}/replay`, { from_seq: 1 })).body).toMatchObject({
      queued: 2,
      next_seq: null
    })
    await user.db.execute(`delete from webhook_deliveries where user_id = '${user.id}'`)
    expect((await user.post(`/v1/webhooks/${hook}/replay`, { since: '2000-01-01' })).body).toMatchObject({
      queued: 2,
      next_seq: null
    })
  })

  test('are removed after 30 days without those of the feed, and their numbers are never used again', async () => {
    const { user, hook } = await withBoth()
    const before = (await listDeliveries(user, hook)).deliveries
    const old = new Date(clock.now().getTime() - 31 * DAY_MS).toISOString()
    await user.db.execute(`update events set created_at = '${old}' where user_id = '${user.id}' and seq < 0`)
    await removeOldEvents(user.db, clock.now(), new AbortController().signal)
    expect(await feedOf(user)).toEqual(['1 session.completed', '2 session.completed'])
    const { rows } = await user.db.execute(`select from events where user_id = '${user.id}'`)
    expect(rows.length).toBe(2)
    await completeSession(user.id, await acceptSession(user.id, SILENT))
    const after = (await listDeliveries(user, hook)).deliveries
    expect(after.filter(({ id }) => !before.some(one => one.id === id)).map(({ event }) => event)).toEqual([
      'session.failed'
    ])
    expect(after.length).toBe(before.length + 1)
  })

  test('keep no content of a deleted session', async () => {
    const user = await newUser()
    await hookOf(user, NOWHERE, OUTSIDE)
    const id = await acceptSession(user.id, { ...SILENT, title: 'Secret plan', notes: 'Secret notes' })
    await completeSession(user.id, id)
    const bodies = async () => {
      const { rows } = await user.db.execute<{ body: string }>(`select body from events where user_id = '${user.id}'`)
      return rows.map(({ body }) => body).join()
    }
    expect(await bodies()).toContain('Secret plan')
    await user.delete(`/v1/sessions/${id}`)
    expect(await bodies()).not.toContain('Secret')
  })

  test('lose the answers of receivers with their session, and keep those of others', async () => {
    const { user } = await withBoth()
    const { db } = await testDatabase()
    await user.db.execute(`
      insert into webhook_attempts (user_id, webhook_id, seq, attempt, event_id, type, attempted_at, duration_ms, answer)
      select user_id, webhook_id, seq, 1, event_id, type, now(), 1, 'seen' from webhook_deliveries where user_id = '${user.id}'`)
    const { rows: events } = await user.db.execute<{ session_id: string; event_id: string }>(
      `select session_id, event_id from events where user_id = '${user.id}' and seq < 0 order by seq`
    )
    await eraseAnswers(db, user.id, events[1]!.session_id)
    const { rows } = await user.db.execute<{ event_id: string }>(
      `select event_id from webhook_attempts where user_id = '${user.id}' and answer = ''`
    )
    expect(rows).toEqual([{ event_id: events[1]!.event_id }])
  })
})

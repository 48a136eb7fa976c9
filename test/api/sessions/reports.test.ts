import { describe, expect, test } from 'vitest'
import { newId } from '../../../src/platform/core/ids.ts'
import { acceptSession, buildTestApp, NOW, newUser } from '../../support/server.ts'

function refused(message: string) {
  return { status: 400, body: { error: { code: 'invalid_request', message } } }
}

describe('GET /v1/sessions/stats', () => {
  test('counts sessions and their length by type and platform, by default over the last 30 days', async () => {
    const user = await newUser('sessions:read')
    await user.session({ timestamp: '2026-03-01T09:00:00Z', type: 'meeting', platform: 'zoom', duration_seconds: 60.5 })
    await user.session({ timestamp: '2026-02-10T09:00:00Z', type: 'meeting', duration_seconds: 30 })
    await user.session({ type: 'phone', platform: 'twilio', duration_seconds: 9.5 })
    await user.session({ timestamp: '2026-01-01T09:00:00Z', duration_seconds: 1000 })
    await user.session({ timestamp: '2026-03-03T09:00:00Z', duration_seconds: 1000 })
    await acceptSession(user.id, { timestamp: '2026-03-01T09:00:00Z' })
    const later = await buildTestApp({ clock: { now: () => new Date('2026-03-02T10:00:01Z') } })
    const reply = await later.inject({ url: '/v1/sessions/stats', headers: { authorization: `Bearer ${user.token}` } })
    expect(reply.json()).toEqual({
      total_sessions: 3,
      total_duration_seconds: 100,
      average_duration_seconds: 100 / 3,
      sessions_by_type: { meeting: 2, phone: 1 },
      sessions_by_platform: { zoom: 1, unknown: 1, twilio: 1 },
      period: { since: '2026-01-31T10:00:01.000Z', until: '2026-03-02T10:00:01.000Z' }
    })
  })

  test('keeps nothing of a day whose last session is deleted', async () => {
    const user = await newUser()
    const at = { timestamp: '2026-03-01T09:00:00Z', duration_seconds: 9.5 }
    const [first, last] = [
      await user.session({ ...at, platform: 'a name nobody may find' }),
      await user.session({ ...at, platform: 'a name nobody may find' })
    ]
    const days = async () =>
      (await user.db.execute(`select platform, sessions from session_days where user_id = '${user.id}'`)).rows
    await user.delete(`/v1/sessions/${first}`)
    expect(await days()).toEqual([{ platform: 'a name nobody may find', sessions: 1 }])
    await user.delete(`/v1/sessions/${last}?permanently=false`)
    expect(await days()).toEqual([])
    await user.post(`/v1/sessions/${last}/restore`)
    expect(await days()).toHaveLength(1)
    await user.delete(`/v1/sessions/${last}`)
    expect(await days()).toEqual([])
  })

  test('counts platforms with the names of object properties', async () => {
    const user = await newUser('sessions:read')
    const platforms = ['__proto__', 'constructor', 'toString', 'hasOwnProperty']
    for (const platform of platforms) await user.session({ platform, timestamp: '2026-03-01T09:00:00Z' })
    const { body } = await user.get('/v1/sessions/stats')
    expect(Object.entries(body.sessions_by_platform).sort()).toEqual(platforms.sort().map(platform => [platform, 1]))
  })

  test('answers with zeros where there is nothing', async () => {
    const user = await newUser('sessions:read')
    expect(await user.get('/v1/sessions/stats')).toEqual({
      status: 200,
      body: {
        total_sessions: 0,
        total_duration_seconds: 0,
        average_duration_seconds: 0,
        sessions_by_type: {},
        sessions_by_platform: {},
        period: { since: '2026-01-31T10:00:00.000Z', until: NOW }
      }
    })
  })

  test('takes since as an inclusive and until as an exclusive bound, at midnight and within a day', async () => {
    const user = await newUser('sessions:read')
    const instants = [
      '2026-02-28T23:59:59.999Z',
      '2026-03-01T00:00:00.000Z',
      '2026-03-01T12:00:00.000Z',
      '2026-03-02T00:00:00.000Z'
    ]
    for (const timestamp of instants) await user.session({ timestamp })
    const bounds = [
      ...instants,
      '2026-02-27',
      '2026-03-01T00:00:00.000001Z',
      '2026-03-01T11:59:59.999Z',
      '2026-03-05T00:00:00Z'
    ]
    for (const since of bounds) {
      for (const until of bounds.filter(until => Date.parse(until) >= Date.parse(since))) {
        const { body } = await user.get(`/v1/sessions/stats?since=${since}&until=${until}`)
        const inside = instants.filter(at => Date.parse(at) >= exact(since) && Date.parse(at) < exact(until))
        expect([since, until, body.total_sessions]).toEqual([since, until, inside.length])
      }
    }
  })

  test('adds lengths up exactly, so that deleted sessions leave zero', async () => {
    const user = await newUser()
    const ids = []
    for (const duration_seconds of [0.1, 0.2, 0.3]) {
      ids.push(await user.session({ timestamp: '2026-02-20T10:00:00Z', duration_seconds }))
    }
    expect((await user.get('/v1/sessions/stats')).body.total_duration_seconds).toBe(0.6)
    for (const id of ids) await user.delete(`/v1/sessions/${id}`)
    expect((await user.get('/v1/sessions/stats')).body).toMatchObject({
      total_duration_seconds: 0,
      sessions_by_type: {}
    })
  })

  test('adds up the longest sessions that can be imported', async () => {
    const user = await newUser()
    const longest = { timestamp: '2026-02-20T10:00:00Z', duration_seconds: 999_999_999 }
    for (const external_id of ['1', '2']) await user.session({ ...longest, external_id })
    expect((await user.get('/v1/sessions/stats')).body).toMatchObject({
      total_duration_seconds: 1_999_999_998,
      average_duration_seconds: 999_999_999
    })
    const segments = [{ text: 'Hello.', start: 0, end: 1e308 }]
    expect(await user.post('/v1/sessions', { segments })).toEqual(
      refused('segments.0.end: send a number of seconds from 0 to 999999999')
    )
  })

  test("counts the caller's sessions only", async () => {
    const [user, stranger] = [await newUser('sessions:read'), await newUser()]
    await stranger.session({ timestamp: '2026-03-01T09:00:00Z' })
    expect((await user.get('/v1/sessions/stats')).body.total_sessions).toBe(0)
  })

  test.each([
    ['since=x', 'since: send an ISO 8601 date such as 2026-03-02T10:00:00Z'],
    ['until=2026-02-30', 'until: send an ISO 8601 date such as 2026-03-02T10:00:00Z'],
    ['since=2026-01-01&since=2026-01-02', 'since: send it once'],
    [
      'since=2026-03-02&until=2026-03-01',
      'since: send an instant that is not after until, which is 2026-03-01T00:00:00.000000Z'
    ],
    ['since=2026-04-01', `since: send an instant that is not after until, which is ${NOW}`]
  ])('refuses ?%s and says what to send', async (query, message) => {
    const user = await newUser('sessions:read')
    expect(await user.get(`/v1/sessions/stats?${query}`)).toEqual(refused(message))
  })
})

/** Past its millisecond where it has microseconds. */
function exact(instant: string) {
  return Date.parse(instant) + (/\.\d{3}\d*[1-9]/.test(instant) ? 0.001 : 0)
}

describe('POST /v1/sessions/bulk', () => {
  test('exports the sessions in the requested order, with their summaries', async () => {
    const user = await newUser('sessions:read')
    const [first, second] = [
      await user.session({ title: 'First' }),
      await user.session({ title: 'Second', type: 'phone' })
    ]
    const { status, body } = await user.post('/v1/sessions/bulk', { session_ids: [second, first] })
    expect(status).toBe(200)
    const detail = (await user.get(`/v1/sessions/${second}`)).body
    expect(body.sessions[0]).toEqual({
      id: second,
      title: 'Second',
      timestamp: null,
      duration_seconds: 9,
      type: 'phone',
      platform: null,
      language: detail.language,
      summary: detail.summary,
      phone: detail.phone
    })
    expect(body.sessions.map(({ title }: { title: string }) => title)).toEqual(['Second', 'First'])
    expect(body.errors).toEqual([])
  })

  test('leaves out the summary and includes the transcript on request', async () => {
    const user = await newUser('sessions:read', 'transcripts:read')
    const id = await user.session()
    const silent = await user.session({
      segments: [],
      summary: 'Given.',
      media: { audio: 'https://example.com/a.mp3' }
    })
    const request = { session_ids: [id, silent], include_summary: false, include_transcript: true }
    const { body } = await user.post('/v1/sessions/bulk', request)
    const { transcript } = (await user.get(`/v1/sessions/${id}/transcript`)).body
    expect(
      body.sessions.map((session: object) => ['summary' in session, 'transcript' in session && session.transcript])
    ).toEqual([
      [false, transcript],
      [false, null]
    ])
  })

  test("reports each id that is missing as not_found, another user's and a malformed one too, and counts a repeated id once", async () => {
    const [user, stranger] = [await newUser('sessions:read'), await newUser()]
    const [mine, theirs, none] = [await user.session(), await stranger.session(), newId('ses')]
    const { status, body } = await user.post('/v1/sessions/bulk', {
      session_ids: [none, mine, 'x"y', theirs, mine, none]
    })
    expect(status).toBe(200)
    expect(body.sessions.map(({ id }: { id: string }) => id)).toEqual([mine])
    expect(body.errors).toEqual([none, 'x"y', theirs].map(id => ({ id, error: 'not_found' })))
  })

  test('answers with errors only when no id is known', async () => {
    const user = await newUser('sessions:read')
    expect(await user.post('/v1/sessions/bulk', { session_ids: ['x'] })).toEqual({
      status: 200,
      body: { sessions: [], errors: [{ id: 'x', error: 'not_found' }] }
    })
  })

  test('checks the body before the scope that include_transcript needs', async () => {
    const user = await newUser('sessions:read')
    const answer = await user.post('/v1/sessions/bulk', { session_ids: [], include_transcript: true })
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'invalid_request' } } })
  })

  test('needs transcripts:read as well for include_transcript, and names it', async () => {
    const user = await newUser('sessions:read')
    const answer = await user.post('/v1/sessions/bulk', { session_ids: ['x'], include_transcript: true })
    expect(answer).toEqual({
      status: 403,
      body: { error: { code: 'insufficient_scope', message: 'include_transcript needs the scope transcripts:read' } }
    })
    const reader = await newUser('transcripts:read')
    expect((await reader.post('/v1/sessions/bulk', { session_ids: ['x'] })).status).toBe(403)
  })

  test.each<[unknown, string]>([
    [{}, 'session_ids: send a list of 1 to 50 session ids'],
    [{ session_ids: [] }, 'session_ids: send a list of 1 to 50 session ids'],
    [{ session_ids: Array(51).fill('x') }, 'session_ids: send a list of 1 to 50 session ids'],
    [{ session_ids: 'x' }, 'session_ids: send a list of 1 to 50 session ids'],
    [{ session_ids: [7] }, 'session_ids.0: send the id of a session'],
    [{ session_ids: ['x'], include_summary: 'no' }, 'include_summary: send true or false']
  ])('refuses %j and says what to send', async (body, message) => {
    const user = await newUser('sessions:read', 'transcripts:read')
    expect(await user.post('/v1/sessions/bulk', body)).toEqual(refused(message))
  })

  test('answers a complete service_unavailable if the database is away from the start', async () => {
    const away = Object.assign(new Error('Connection terminated'), { code: '57P01' })
    const app = await buildTestApp({ slow: { query: () => Promise.reject(away) } })
    const user = await newUser('sessions:read')
    const reply = await app.inject({
      method: 'POST',
      url: '/v1/sessions/bulk',
      headers: { authorization: `Bearer ${user.token}` },
      payload: { session_ids: ['x'] }
    })
    expect([reply.statusCode, reply.json().error.code]).toEqual([503, 'service_unavailable'])
  })
})

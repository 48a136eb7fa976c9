import { mkdirSync, readdirSync, rmdirSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { removeAbandonedUploads } from '../../../src/features/ingest/upload.ts'
import { AiError } from '../../../src/platform/ai/ai.ts'
import { askAdmin, buildTestAdminApi, KEY, newAppUser, UPLOADS } from '../../support/admin-api.ts'
import { plainAi } from '../../support/ai.ts'
import { onPostgres } from '../../support/process.ts'
import { acceptSession, clock, completeSession, NO_QUEUE, NOW, newUser, SPOKEN } from '../../support/server.ts'
import { sound } from '../../support/sound.ts'

const NOT_FOUND = { status: 404, body: { error: { code: 'not_found', message: 'Session not found' } } }
const code = (status: number, code: string) => ({ status, body: { error: { code } } })

/** The admin API with a queue that tells what was put in it. */
async function withQueue() {
  const queued: [string, unknown][] = []
  const jobs = {
    ...NO_QUEUE,
    enqueue: async (_tx: unknown, queue: string, data: unknown) => void queued.push([queue, data]),
    findSessionJobs: async () =>
      new Map(queued.map(([, data]) => [String(Object(data).sessionId), { live: true, failed: 0 }]))
  }
  return { queued, app: await buildTestAdminApi({ jobs }) }
}

async function failedSession(userId: string) {
  const id = await acceptSession(userId)
  const failing = plainAi({
    summarize: async () => Promise.reject(new AiError('The provider is away', { final: true }))
  })
  await completeSession(userId, id, failing)
  return id
}

describe('POST /app/v1/users/{user_id}/sessions', () => {
  const document = {
    external_id: 'zoom-1',
    title: 'Weekly',
    type: 'meeting',
    timestamp: '2026-03-01T10:00:00Z',
    folders: ['Clients'],
    segments: SPOKEN
  }

  test('imports a document, returns its status, and records the event when the session is completed', async () => {
    const user = await newAppUser()
    const { queued, app } = await withQueue()
    const { status, body } = await askAdmin('POST', `/users/${user.id}/sessions`, document, { app })
    expect([status, body]).toEqual([
      202,
      { id: expect.stringMatching(/^ses_/), status: 'processing', external_id: 'zoom-1' }
    ])
    expect(queued).toEqual([['process-session', { userId: user.id, sessionId: body.id }]])
    expect((await user.adminApi.get(`/sessions/${body.id}`)).body).toMatchObject({
      title: 'Weekly',
      state: 'processing',
      failure: null,
      external_id: 'zoom-1',
      summary: null,
      deleted_at: null,
      created_at: NOW,
      folder_ids: [expect.any(String)]
    })
    expect(await user.events()).toEqual([])
    await completeSession(user.id, body.id)
    expect((await user.adminApi.get(`/sessions/${body.id}`)).body).toMatchObject({
      state: 'completed',
      summary: expect.stringContaining('Overview')
    })
    expect(await user.events()).toEqual(['session.completed'])
  })

  test('answers a known external_id with 200 and the existing session, which stays unchanged', async () => {
    const user = await newAppUser()
    const { body: first } = await user.adminApi.post('/sessions', document)
    expect(await user.adminApi.post('/sessions', document)).toEqual({ status: 200, body: first })
    const other = await newAppUser()
    expect((await other.adminApi.post('/sessions', document)).status).toBe(202)
  })

  test('lists for a known external_id the ignored fields, which differ from the existing session', async () => {
    const user = await newAppUser()
    const { body: first } = await user.adminApi.post('/sessions', document)
    const { body: before } = await user.adminApi.get(`/sessions/${first.id}`)
    const asked = {
      ...document,
      title: 'Another',
      timestamp: '2026-03-01T11:00:00Z',
      type: 'podcast',
      platform: 'zoom'
    }
    const warnings = ['title', 'timestamp', 'type', 'platform'].map(
      field => `${field}: ignored, because the conversation was imported before`
    )
    expect(await user.adminApi.post('/sessions', asked)).toEqual({ status: 200, body: { ...first, warnings } })
    expect((await user.adminApi.get(`/sessions/${first.id}`)).body).toEqual(before)
  })

  test('names unknown keys and unused parts of a document', async () => {
    const user = await newAppUser()
    const segments = SPOKEN.map(said => ({ ...said, confidence: 1 }))
    const { status, body } = await user.adminApi.post('/sessions', {
      ...document,
      titel: 'x',
      segments,
      phone: { ongoing: true }
    })
    expect([status, body.warnings]).toEqual([
      202,
      [
        'titel: ignored, because an import document has no such key',
        'segments.confidence: ignored, because an import document has no such key',
        'phone: ignored, because the type of the session is not phone'
      ]
    ])
    expect((await user.adminApi.get(`/sessions/${body.id}`)).body).not.toHaveProperty('warnings')
  })

  test.runIf(onPostgres)(
    'makes one session for many requests at once with one external_id',
    { tags: ['postgres'] },
    async () => {
      const user = await newAppUser()
      const made = await Promise.all(Array.from({ length: 8 }, () => user.adminApi.post('/sessions', document)))
      expect(new Set(made.map(({ body }) => body.id)).size).toBe(1)
      expect(made.filter(({ status }) => status === 202)).toHaveLength(1)
    }
  )

  test('removes what cannot be stored, as every import does', async () => {
    const user = await newAppUser()
    const { status, body } = await user.adminApi.post('/sessions', {
      title: 'a\0b',
      segments: [{ speaker: 'A', text: 'x\ud800y' }]
    })
    expect([status, (await user.adminApi.get(`/sessions/${body.id}`)).body.title]).toEqual([202, 'ab'])
  })

  test.each([
    [{}, 'the document has neither speech nor media'],
    [{ segments: 'x' }, 'segments: send a list'],
    [{ segments: [{ speaker: 'A' }] }, 'segments.0.text: send a text'],
    [{ segments: SPOKEN, type: 'talk' }, 'type: send one of'],
    [
      { segments: SPOKEN, action_items: [{ text: 'x', due_date: 'soonish' }] },
      'action_items.0.due_date: send one date'
    ],
    [{ media: { audio: 'call.mp3' } }, 'media.audio: send an http(s) URL']
  ])('refuses %j, naming the field', async (body, message) => {
    const user = await newAppUser()
    const refused = await user.adminApi.post('/sessions', body)
    expect(refused).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_request', message: expect.stringContaining(message) } }
    })
    expect((await user.adminApi.get('/sessions')).body.sessions).toEqual([])
  })
})

describe('POST /app/v1/users/{user_id}/sessions/upload', () => {
  const BYTES = { 'content-type': 'application/octet-stream' }
  const VTT = Buffer.from('WEBVTT\n\n00:01.000 --> 00:03.000\n<v Ada>Good morning, all of you.\n')

  test('reads a transcript by its extension, with the title of the query', async () => {
    const user = await newAppUser()
    const query = 'file=weekly_review.vtt&type=meeting&timestamp=2026-03-01T10:00:00Z&tag=a&tag=b&folder=Clients'
    const { status, body } = await user.adminApi.post(`/sessions/upload?${query}`, VTT, BYTES)
    expect([status, (await user.adminApi.get(`/sessions/${body.id}`)).body]).toMatchObject([
      202,
      {
        title: 'weekly review',
        type: 'meeting',
        tags: ['a', 'b'],
        timestamp: '2026-03-01T10:00:00.000Z',
        state: 'processing'
      }
    ])
    expect((await user.get(`/v1/sessions/${body.id}/transcript`)).body.transcript).toBe(
      'Ada: Good morning, all of you.'
    )
  })

  test('takes the bytes under any content type, and a form', async () => {
    const user = await newAppUser()
    const { status, body } = await user.adminApi.post('/sessions/upload?file=a.vtt', VTT, {
      'content-type': 'text/vtt'
    })
    expect(status).toBe(202)
    const form = Buffer.from(
      `--x\r\nContent-Disposition: form-data; name="file"; filename="a.vtt"\r\n\r\n${VTT}\r\n--x--\r\n`
    )
    const type = { 'content-type': 'multipart/form-data; boundary=x' }
    expect(await user.adminApi.post('/sessions/upload', form, type)).toEqual({ status: 200, body })
  })

  test('names the path of the session at this door', async () => {
    const user = await newAppUser()
    const app = await buildTestAdminApi({ publicUrl: 'https://example.org/base' })
    const url = `/app/v1/users/${user.id}/sessions/upload?file=a.vtt`
    const headers = { authorization: `Bearer ${KEY}`, ...BYTES }
    const reply = await app.inject({ method: 'POST', url, headers, payload: VTT })
    const path = `/app/v1/users/${user.id}/sessions/${reply.json().id}`
    expect(reply.headers.location).toBe(path)
    expect((await app.inject({ url: path, headers })).statusCode).toBe(200)
  })

  test('reads the start from the name or the head of the file, in the time zone of the user', async () => {
    const user = await newAppUser()
    await user.adminApi.patch('', { time_zone: 'Europe/Berlin' })
    const upload = async (file: string, content: Buffer | string, query = '') => {
      const url = `/sessions/upload?file=${encodeURIComponent(file)}&external_id=${file.length}${query}`
      const { body } = await user.adminApi.post(url, Buffer.from(content), BYTES)
      return (await user.adminApi.get(`/sessions/${body.id}`)).body.timestamp
    }
    const otter = 'Weekly\nMon, Mar 2, 2026 10:00AM • 45:12\n\nAda  0:01\nHello there.\n'
    expect(await upload('GMT20260302-100000_Recording.vtt', VTT)).toBe('2026-03-02T10:00:00.000Z')
    expect(await upload('Weekly-20260302_100000-Meeting Recording.vtt', VTT)).toBe('2026-03-02T09:00:00.000Z')
    expect(await upload('weekly.txt', otter)).toBe('2026-03-02T09:00:00.000Z')
    expect(await upload('GMT20260302-100000_.vtt', VTT, '&timestamp=2026-03-01T10:00:00Z')).toBe(
      '2026-03-01T10:00:00.000Z'
    )
    expect(await upload('some.vtt', VTT)).toBeNull()
  })

  test('lists the ignored fields for a file that is imported already', async () => {
    const user = await newAppUser()
    const query = '&title=Other&timestamp=2026-03-01T10:00:00Z&tag=late&folder=Late'
    await user.adminApi.post('/sessions/upload?file=a.vtt', VTT, BYTES)
    expect((await user.adminApi.post(`/sessions/upload?file=a.vtt${query}`, VTT, BYTES)).body.warnings).toEqual(
      ['title', 'timestamp', 'tags', 'folders'].map(
        field => `${field}: ignored, because the conversation was imported before`
      )
    )
  })

  test('finds the session of the same file, and of the same external_id', async () => {
    const user = await newAppUser()
    const { body: first } = await user.adminApi.post('/sessions/upload?file=a.vtt', VTT, BYTES)
    expect(await user.adminApi.post('/sessions/upload?file=b.vtt', VTT, BYTES)).toEqual({ status: 200, body: first })
    const { body: named } = await user.adminApi.post('/sessions/upload?file=a.vtt&external_id=mine', VTT, BYTES)
    expect(named.external_id).toBe('mine')
    const again = await user.adminApi.post(
      '/sessions/upload?file=a.vtt&external_id=mine',
      Buffer.from('WEBVTT\n\n00:01.000 --> 00:02.000\nHm.\n'),
      BYTES
    )
    expect([again.status, again.body.id]).toEqual([200, named.id])
  })

  test('stores a recording where recordings are transcribed, and refuses it elsewhere', async () => {
    const user = await newAppUser()
    const refused = await user.adminApi.post('/sessions/upload?file=call.mp3', Buffer.from('sound'), BYTES)
    expect(refused).toMatchObject({
      status: 400,
      body: { error: { message: expect.stringContaining('can’t transcribe recordings') } }
    })
    const app = await buildTestAdminApi({ transcribes: true })
    const url = `/users/${user.id}/sessions/upload?file=call.mp3&title=Call`
    const { status, body } = await askAdmin('POST', url, sound('call'), { app, headers: BYTES })
    expect([status, body.status]).toEqual([202, 'processing'])
    const { body: media } = await user.get(`/v1/sessions/${body.id}/media`)
    const link = new URL(media.audio_url)
    expect((await user.app.inject(link.pathname + link.search)).rawPayload).toEqual(sound('call'))
  })

  test.each([
    ['', VTT, 'file: send the name of the file'],
    ['?file=../../etc/passwd.vtt', VTT, 'file: send the name of a file'],
    ['?file=noending', VTT, 'file: send the name of a file'],
    ['?file=a.vtt&type=talk', VTT, 'type: send one of'],
    [
      '?file=a.jsonl',
      Buffer.from('{"segments":[{"text":"Hi"}]}\n'.repeat(2)),
      'file: The file holds several documents: send each in its own request'
    ],
    ['?file=a.json', Buffer.from('{'), 'file: '],
    ['?file=a.mp3', Buffer.from(''), 'This server can’t transcribe recordings']
  ])('refuses %s', async (query, bytes, message) => {
    const user = await newAppUser()
    const refused = await user.adminApi.post(`/sessions/upload${query}`, bytes, BYTES)
    expect(refused).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_request', message: expect.stringContaining(message) } }
    })
  })

  test('leaves no file of an accepted or refused upload, and removes the files of a killed process', async () => {
    const user = await newAppUser()
    await user.adminApi.post('/sessions/upload?file=a.vtt', VTT, BYTES)
    await user.adminApi.post('/sessions/upload?file=a.json', Buffer.from('{'), BYTES)
    expect(readdirSync(UPLOADS)).toEqual([])
    const [old, young] = ['upload-old', 'upload-young'].map(name => join(UPLOADS, name))
    for (const [folder, minutes] of [
      [old!, 121],
      [young!, 119]
    ] as const) {
      mkdirSync(folder)
      const at = new Date(Date.parse(NOW) - minutes * 60_000)
      utimesSync(folder, at, at)
    }
    await removeAbandonedUploads(UPLOADS, clock.now())
    expect(readdirSync(UPLOADS)).toEqual(['upload-young'])
    rmdirSync(young!)
  })

  test('reads a document that is sent as JSON as the bytes of its file', async () => {
    const user = await newAppUser()
    const { status } = await user.adminApi.post('/sessions/upload?file=a.json', { segments: SPOKEN })
    expect(status).toBe(202)
  })
})

describe('GET /app/v1/users/{user_id}/sessions', () => {
  test('has sessions of every state with their reasons, and pages through them, newest first', async () => {
    const user = await newAppUser()
    const done = await user.session({ timestamp: '2026-01-01T10:00:00Z' })
    const processing = await acceptSession(user.id, { timestamp: '2026-01-02T10:00:00Z' })
    const failed = await failedSession(user.id)
    const gone = await user.session({ timestamp: '2026-01-03T10:00:00Z' })
    await user.adminApi.delete(`/sessions/${gone}`)
    const seen: string[] = []
    let cursor = ''
    do {
      const { body } = await user.adminApi.get(`/sessions?limit=1${cursor && `&cursor=${cursor}`}`)
      seen.push(...body.sessions.map(({ id, state }: { id: string; state: string }) => `${id} ${state}`))
      cursor = body.next_cursor
    } while (cursor)
    expect(seen).toEqual([`${failed} failed`, `${gone} deleted`, `${processing} processing`, `${done} completed`])
    const listed = async (query: string) => (await user.adminApi.get(`/sessions?${query}`)).body.sessions
    expect(await listed('status=failed')).toEqual([
      {
        id: failed,
        title: expect.any(String),
        timestamp: null,
        duration_seconds: 9,
        type: 'import',
        platform: null,
        audio_deleted_at: null,
        status: 'failed',
        failure_reason: expect.any(String),
        state: 'failed',
        failure: 'The provider is away',
        external_id: null,
        deleted_at: null
      }
    ])
    const idsOf = async (query: string) => (await listed(query)).map(({ id }: { id: string }) => id)
    expect(await listed('status=deleted')).toMatchObject([
      { id: gone, status: 'completed', state: 'deleted', deleted_at: NOW }
    ])
    expect(await idsOf('status=all')).toEqual([failed, processing, done])
    expect(await idsOf('status=completed&type=import&since=2026-01-01')).toEqual([done])
    expect(await idsOf('order=updated')).toEqual([done])
    expect(await user.adminApi.get('/sessions?status=lost')).toMatchObject(code(400, 'invalid_request'))
    expect(await user.get('/v1/sessions?status=deleted')).toMatchObject(code(400, 'invalid_request'))
  })
})

describe('PATCH /app/v1/users/{user_id}/sessions/{session_id}', () => {
  test('changes title, summary, notes, tags and favourite, and records session.updated with the state after it', async () => {
    const user = await newAppUser()
    const id = await user.session()
    const change = { title: 'New', summary: '## New', notes: 'n', tags: ['t'], favorite: true }
    const { status, body } = await user.adminApi.patch(`/sessions/${id}`, change)
    const updated_fields = ['title', 'notes', 'tags', 'favorite', 'summary']
    expect([status, body]).toEqual([200, { id, updated_fields, updated_at: NOW }])
    expect((await user.get(`/v1/sessions/${id}`)).body).toMatchObject(change)
    expect((await user.adminApi.get(`/sessions/${id}`)).body).toMatchObject({ ...change, state: 'completed' })
    expect((await user.get('/v1/sessions?tag=t')).body.sessions).toHaveLength(1)
    const { events } = (await user.get('/v1/events')).body
    expect(events.map(({ event }: { event: string }) => event)).toEqual(['session.completed', 'session.updated'])
    expect(events[1].data.session).toMatchObject(change)
  })

  test('gives a session another type: in lists of every kind and counts, in one event', async () => {
    const user = await newAppUser()
    const id = await user.session({
      tags: ['t'],
      folders: ['F'],
      segments: SPOKEN,
      type: 'import',
      duration_seconds: 60
    })
    const [ada] = (await user.get('/v1/people')).body.people
    const listed = async (type: string) =>
      await Promise.all(
        ['', '&tag=t', '&folder=F', `&person=${ada.id}`].map(
          async query => (await user.get(`/v1/sessions?type=${type}${query}`)).body.sessions.length
        )
      )
    expect([await listed('import'), await listed('meeting')]).toEqual([Array(4).fill(1), Array(4).fill(0)])
    const { status, body } = await user.adminApi.patch(`/sessions/${id}`, { type: 'meeting', title: 'Weekly' })
    expect([status, body.updated_fields]).toEqual([200, ['title', 'type']])
    expect([await listed('import'), await listed('meeting')]).toEqual([Array(4).fill(0), Array(4).fill(1)])
    expect((await user.get('/v1/sessions/stats?since=2026-03-01&until=2026-03-03')).body.sessions_by_type).toEqual({
      meeting: 1
    })
    expect((await user.get(`/v1/sessions/${id}`)).body.type).toBe('meeting')
    expect(await user.events()).toEqual(['session.completed', 'session.updated'])
    expect((await user.adminApi.patch(`/sessions/${id}`, { type: 'meeting' })).body.updated_fields).toEqual([])
    expect(await user.events()).toHaveLength(2)
  })

  test('gives date and type at once, and refuses a type that is unknown or that of a call', async () => {
    const user = await newAppUser()
    const id = await user.session({ timestamp: '2026-02-01T10:00:00Z' })
    const change = { timestamp: '2026-02-03T10:00:00.000Z', type: 'podcast' }
    expect((await user.adminApi.patch(`/sessions/${id}`, change)).body.updated_fields).toEqual(['timestamp', 'type'])
    expect((await user.get(`/v1/sessions/${id}`)).body).toMatchObject(change)
    const refusal = (message: string) => ({ status: 400, body: { error: { code: 'invalid_request', message } } })
    expect(await user.adminApi.patch(`/sessions/${id}`, { type: 'phone' })).toEqual(
      refusal('type: only a call is one; send one of meeting, recording, desktop, import, youtube, podcast')
    )
    const call = await user.session({ type: 'phone' })
    expect(await user.adminApi.patch(`/sessions/${call}`, { type: 'meeting' })).toEqual(
      refusal('type: a call stays one; send phone, or no type')
    )
    expect((await user.adminApi.patch(`/sessions/${id}`, { type: 'chat' })).status).toBe(400)
    expect(await user.patch(`/v1/sessions/${id}`, { type: 'meeting', title: 'New' })).toMatchObject({
      status: 200,
      body: { updated_fields: ['title'], warnings: [expect.stringContaining('type')] }
    })
  })

  test('moves a session to another timestamp: in lists of every kind, counts and people, in one event', async () => {
    const user = await newAppUser()
    const speakers = [{ label: 'Ada', person: 'Ada' }]
    const filed = { tags: ['t'], folders: ['F'], speakers, type: 'meeting', platform: 'zoom', duration_seconds: 60 }
    const [id, other] = [
      await user.session({ ...filed, timestamp: '2026-02-01T10:00:00Z' }),
      await user.session({ ...filed, timestamp: '2026-02-10T10:00:00Z' })
    ]
    const seen = async () => {
      const { people } = (await user.get('/v1/people')).body
      const lists = ['', '?tag=t', '?folder=F', '?type=meeting', `?person=${people[0].id}`, '?tag=t&folder=F&limit=1']
      const stats = (range: string) => user.get(`/v1/sessions/stats?${range}`)
      return {
        lists: await Promise.all(
          lists.map(async query =>
            (await user.get(`/v1/sessions${query}`)).body.sessions.map((row: { id: string }) => row.id)
          )
        ),
        person: (await user.get(`/v1/people/${people[0].id}/sessions`)).body.sessions.map(
          (row: { id: string }) => row.id
        ),
        heard: people.map(({ recording_count, last_heard_at }: Record<string, unknown>) => [
          recording_count,
          last_heard_at
        ]),
        counts: [
          (await stats('since=2026-02-01&until=2026-02-02')).body.total_sessions,
          (await stats('since=2026-02-20&until=2026-02-21')).body.total_sessions
        ],
        folder: (await user.get('/v1/folders')).body.folders[0].session_count,
        account: (await user.get('/v1/account')).body.session_count
      }
    }
    const steady = { folder: 2, account: 2 }
    expect(await seen()).toEqual({
      lists: [...Array(5).fill([other, id]), [other]],
      person: [other, id],
      heard: Array(2).fill([2, '2026-02-10T10:00:00.000Z']),
      counts: [1, 0],
      ...steady
    })
    const { status, body } = await user.adminApi.patch(`/sessions/${id}`, { timestamp: '2026-02-20T11:00:00+01:00' })
    expect([status, body.updated_fields]).toEqual([200, ['timestamp']])
    expect((await user.get(`/v1/sessions/${id}`)).body.timestamp).toBe('2026-02-20T10:00:00.000Z')
    expect(await seen()).toEqual({
      lists: [...Array(5).fill([id, other]), [id]],
      person: [id, other],
      heard: Array(2).fill([2, '2026-02-20T10:00:00.000Z']),
      counts: [0, 1],
      ...steady
    })
    expect(await user.events()).toEqual(['session.completed', 'session.completed', 'session.updated'])
    expect(await user.adminApi.patch(`/sessions/${id}`, { timestamp: '2026-02-20T10:00:00Z' })).toEqual({
      status: 200,
      body: { ...body, updated_fields: [] }
    })
    expect(await user.events()).toHaveLength(3)
  })

  test('moves a session to the instant of others, at a position of its own, and one without a timestamp', async () => {
    const user = await newAppUser()
    const at = '2026-02-01T10:00:00.000Z'
    const ids = [await user.session({ timestamp: at }), await user.session({ timestamp: at }), await user.session()]
    await user.adminApi.patch(`/sessions/${ids[2]}`, { timestamp: at })
    expect((await user.get(`/v1/sessions/${ids[2]}`)).body.timestamp).toBe(at)
    const paged: string[] = []
    for (let cursor = ''; ; ) {
      const { body } = await user.get(`/v1/sessions?limit=1${cursor && `&cursor=${cursor}`}`)
      paged.push(body.sessions[0].id)
      if (!body.has_more) break
      cursor = body.next_cursor
    }
    expect(paged.sort()).toEqual(ids.sort())
  })

  test('moves due dates that were spoken in words to the new day, and keeps the others', async () => {
    const user = await newAppUser()
    const segments = [
      { speaker: 'Ada', start: 0, end: 4, text: 'Right. I will send the offer by Friday.' },
      { speaker: 'Ben', start: 4, end: 8, text: 'I will call them on 2026-03-20.' },
      { speaker: 'Ada', start: 8, end: 12, text: 'I will book the room for tomorrow.' }
    ]
    // Monday, March 2.
    const action_items = [
      { text: 'Send the offer', due_date: '2026-03-06', source_start: 0 },
      { text: 'Call them', due_date: '2026-03-20', source_start: 4 },
      { text: 'Book the room', due_date: '2026-03-03', source_start: 8 },
      { text: 'Water the plants', due_date: '2026-03-06' }
    ]
    const id = await user.session({ segments, action_items, timestamp: '2026-03-02T10:00:00Z' })
    const items = async () => (await user.get(`/v1/sessions/${id}/action-items`)).body
    const [first, ...others] = (await items()).action_items
    const written = [first, ...others].map(({ id, text, due_date }) => ({
      id,
      text,
      due_date: text === 'Book the room' ? '2026-03-04' : due_date
    }))
    await user.patch(`/v1/sessions/${id}`, { action_items: written })
    // Wednesday, March 11.
    await user.adminApi.patch(`/sessions/${id}`, { timestamp: '2026-03-11T10:00:00Z' })
    const after = await items()
    expect(after.action_items.map(({ due_date }: { due_date: string }) => due_date)).toEqual([
      '2026-03-13',
      '2026-03-20',
      '2026-03-04',
      '2026-03-06'
    ])
    expect(after.action_items[0]).toMatchObject({ id: first.id, user_edited_at: null, created_at: first.created_at })
    expect(after.version).toBe(3)
    expect(await user.events()).toEqual([
      'session.completed',
      'session.updated',
      'session.action_items.updated',
      'session.updated',
      'session.action_items.updated'
    ])
    // The same day, another hour: nothing to count again.
    await user.adminApi.patch(`/sessions/${id}`, { timestamp: '2026-03-11T11:00:00Z' })
    expect((await items()).version).toBe(3)
  })

  test.each(['soon', '2026-02-30', '2026-03-02T25:00:00Z', '0001-01-01T00:00:00+14:00', 7, null])(
    'refuses the timestamp %j',
    async timestamp => {
      const user = await newAppUser()
      const id = await user.session()
      expect(await user.adminApi.patch(`/sessions/${id}`, { timestamp })).toMatchObject({
        status: 400,
        body: { error: { message: 'timestamp: send an ISO 8601 date such as 2026-03-02T10:00:00Z' } }
      })
    }
  )

  test('on /v1 ignores a timestamp', async () => {
    const user = await newAppUser()
    const id = await user.session({ timestamp: '2026-02-01T10:00:00Z' })
    await user.patch(`/v1/sessions/${id}`, { timestamp: '2026-03-01T10:00:00Z', title: 'x' })
    expect((await user.get(`/v1/sessions/${id}`)).body.timestamp).toBe('2026-02-01T10:00:00.000Z')
  })

  test('without effect records no event and keeps updated_at', async () => {
    const user = await newAppUser()
    const id = await user.session()
    const change = { title: 'New', summary: '## New', notes: 'n', tags: ['t'], favorite: true }
    const { body } = await user.adminApi.patch(`/sessions/${id}`, change)
    const recorded = await user.events()
    const unchanged = { status: 200, body: { ...body, updated_fields: [] } }
    expect(await user.adminApi.patch(`/sessions/${id}`, change)).toEqual(unchanged)
    expect(await user.adminApi.patch(`/sessions/${id}`, { summary: '## New' })).toEqual(unchanged)
    expect(await user.events()).toEqual(recorded)
    await user.adminApi.patch(`/sessions/${id}`, { summary: '## Newer' })
    expect(await user.events()).toEqual([...recorded, 'session.updated'])
  })

  test('writes action items as /v1 does, under If-Match', async () => {
    const user = await newAppUser()
    const id = await user.session()
    const { body } = await user.adminApi.patch(
      `/sessions/${id}`,
      { action_items: [{ text: 'Call' }] },
      { 'if-match': '"1"' }
    )
    expect(body).toEqual({ id, updated_fields: ['action_items'], updated_at: NOW, action_items_version: 2 })
    expect((await user.adminApi.get(`/sessions/${id}/action-items`)).body).toMatchObject({
      action_items: [{ text: 'Call', source: 'user' }],
      version: 2
    })
    expect(await user.events()).toEqual(['session.completed', 'session.updated', 'session.action_items.updated'])
    expect(await user.adminApi.patch(`/sessions/${id}`, { summary: 'x' }, { 'if-match': '"1"' })).toMatchObject(
      code(409, 'conflict')
    )
    expect((await user.get(`/v1/sessions/${id}`)).body.summary).not.toBe('x')
  })

  test('keeps a summary that is written before the pipeline runs', async () => {
    const user = await newAppUser()
    const id = await acceptSession(user.id)
    await user.adminApi.patch(`/sessions/${id}`, { summary: 'Mine' })
    await completeSession(user.id, id)
    expect((await user.get(`/v1/sessions/${id}`)).body.summary).toBe('Mine')
  })

  test('on /v1 refuses or ignores a summary', async () => {
    const user = await newAppUser()
    const id = await user.session()
    expect((await user.patch(`/v1/sessions/${id}`, { summary: 'x' })).status).toBe(400)
    expect((await user.patch(`/v1/sessions/${id}`, { summary: 'x', title: 'y' })).body.updated_fields).toEqual([
      'title'
    ])
    expect((await user.get(`/v1/sessions/${id}`)).body.summary).not.toBe('x')
  })

  test('refuses an empty change, a blank or long summary, and a session of another user', async () => {
    const [user, other] = [await newAppUser(), await newUser()]
    const id = await user.session()
    expect(await user.adminApi.patch(`/sessions/${id}`, {})).toMatchObject(code(400, 'invalid_request'))
    for (const summary of ['', ' \n', '\u200b', 'x'.repeat(200_001)]) {
      const { status, body } = await user.adminApi.patch(`/sessions/${id}`, { summary })
      expect({ status, message: body.error.message }).toEqual({
        status: 400,
        message: 'summary: send a text of 1 to 200000 characters that is not blank'
      })
    }
    expect(await user.adminApi.patch(`/sessions/${id}`, { summary: '😀'.repeat(200_000) })).toMatchObject({
      status: 200
    })
    expect(await user.adminApi.patch(`/sessions/${await other.session()}`, { title: 'x' })).toEqual(NOT_FOUND)
  })
})

describe('a deleted session', () => {
  const said = {
    speakers: [{ label: 'A', person: 'Ada' }],
    segments: [{ speaker: 'A', start: 0, end: 1, text: 'Hello.' }]
  }

  async function seenOf(user: Awaited<ReturnType<typeof newAppUser>>, id: string, folder: string) {
    const answers = await Promise.all([
      ...['', '/action-items', '/transcript', '/media'].map(
        async path => (await user.get(`/v1/sessions/${id}${path}`)).status
      ),
      (await user.patch(`/v1/sessions/${id}`, { title: 'x' })).status,
      (await user.post(`/v1/sessions/${id}/folders/${folder}`)).status,
      (await user.post('/v1/sessions/bulk', { session_ids: [id] })).body.sessions.length
    ])
    const counts = {
      listed: (await user.get('/v1/sessions')).body.sessions.length,
      tagged: (await user.get('/v1/sessions?tag=t')).body.sessions.length,
      inFolder: (await user.get(`/v1/sessions?folder=${folder}`)).body.sessions.length,
      folder: (await user.get(`/v1/folders/${folder}`)).body.session_count,
      account: (await user.get('/v1/account')).body.session_count,
      stats: (await user.get('/v1/sessions/stats?since=2025-01-01')).body.total_sessions,
      people: (await user.get('/v1/people')).body.people.length
    }
    return { answers, counts: [...new Set(Object.values(counts))] }
  }

  test('does not exist for /v1, in lists, counts or people, until it is restored completely', async () => {
    const user = await newAppUser()
    const id = await user.session({ ...said, timestamp: '2026-03-01T10:00:00Z', tags: ['t'], folders: ['Clients'] })
    const folder = (await user.get('/v1/folders')).body.folders[0].id
    const before = (await user.get(`/v1/sessions/${id}`)).body
    const { body: person } = await user.get('/v1/people')
    expect(await user.adminApi.delete(`/sessions/${id}`)).toEqual({
      status: 200,
      body: { id, deleted: true }
    })
    expect(await seenOf(user, id, folder)).toEqual({ answers: [404, 404, 404, 404, 404, 404, 0], counts: [0] })
    expect((await user.adminApi.get(`/sessions/${id}`)).body).toMatchObject({
      ...before,
      state: 'deleted',
      deleted_at: NOW
    })
    expect(await user.adminApi.post(`/sessions/${id}/restore`)).toEqual({
      status: 200,
      body: { id, status: 'completed', external_id: null }
    })
    expect((await user.adminApi.get(`/sessions/${id}`)).body).toMatchObject({
      ...before,
      state: 'completed',
      deleted_at: null
    })
    expect((await user.get(`/v1/sessions/${id}`)).body).toEqual(before)
    expect((await user.get('/v1/people')).body).toEqual(person)
    expect(await seenOf(user, id, folder)).toEqual({ answers: [200, 200, 200, 200, 200, 200, 1], counts: [1] })
  })

  test('is announced once, without its content; session.updated announces its return with the content', async () => {
    const user = await newAppUser()
    const id = await user.session({ ...said, tags: ['t'] })
    for (let turn = 0; turn < 2; turn++) await user.adminApi.delete(`/sessions/${id}`)
    for (let turn = 0; turn < 2; turn++) await user.adminApi.post(`/sessions/${id}/restore`)
    const { events } = (await user.get('/v1/events')).body
    expect(events.map(({ event }: { event: string }) => event)).toEqual([
      'session.completed',
      'session.deleted',
      'session.updated'
    ])
    expect(events[1].data.session).toMatchObject({
      id,
      title: '',
      summary: null,
      notes: null,
      tags: [],
      action_items: []
    })
    expect(events[2].data.session).toEqual((await user.get(`/v1/sessions/${id}`)).body)
  })

  test('can be deleted permanently, which records no second event', async () => {
    const user = await newAppUser()
    const id = await user.session(said)
    await user.adminApi.delete(`/sessions/${id}`)
    expect(await user.delete(`/v1/sessions/${id}`)).toEqual(NOT_FOUND)
    const url = `/sessions/${id}?permanently=true`
    expect(await user.adminApi.delete(url)).toEqual({ status: 200, body: { id, deleted: true } })
    expect(await user.adminApi.delete(url)).toEqual(NOT_FOUND)
    expect(await user.adminApi.post(`/sessions/${id}/restore`)).toEqual(NOT_FOUND)
    const { events } = (await user.get('/v1/events')).body
    expect(
      events.map(({ event, data }: { event: string; data: { session: { title: string } } }) => [
        event,
        data.session.title
      ])
    ).toEqual([
      ['session.completed', ''],
      ['session.deleted', '']
    ])
    expect((await user.get('/v1/people')).body.people).toEqual([])
  })

  test('that is deleted permanently at once is announced once', async () => {
    const user = await newAppUser()
    const id = await user.session()
    await user.adminApi.delete(`/sessions/${id}?permanently=true`)
    expect(await user.events()).toEqual(['session.completed', 'session.deleted'])
    expect(await user.adminApi.delete(`/sessions/${id}?permanently=perhaps`)).toMatchObject(
      code(400, 'invalid_request')
    )
  })

  test('that was processing starts again when restored, and is announced when completed', async () => {
    const user = await newAppUser()
    const id = await acceptSession(user.id)
    await user.adminApi.delete(`/sessions/${id}`)
    await completeSession(user.id, id)
    expect((await user.adminApi.get(`/sessions/${id}`)).body.state).toBe('deleted')
    const { queued, app } = await withQueue()
    const restored = await askAdmin('POST', `/users/${user.id}/sessions/${id}/restore`, undefined, { app })
    expect(restored.body).toEqual({ id, status: 'processing', external_id: null })
    expect(queued).toEqual([['process-session', { userId: user.id, sessionId: id }]])
    await completeSession(user.id, id)
    expect(await user.events()).toEqual(['session.completed'])
  })

  test('keeps its external_id, by which the same document finds it', async () => {
    const user = await newAppUser()
    const id = await user.session({ external_id: 'x' })
    await user.adminApi.delete(`/sessions/${id}`)
    const { status, body } = await user.adminApi.post('/sessions', { external_id: 'x', segments: SPOKEN })
    expect([status, body.error.message]).toEqual([409, expect.stringContaining(`${id} is in the trash`)])
  })

  test.runIf(onPostgres)(
    'is counted correctly when many requests delete and restore it at once',
    { tags: ['postgres'] },
    async () => {
      const user = await newAppUser()
      const id = await user.session({ ...said, folders: ['Clients'] })
      const turns = Array.from({ length: 12 }, (_, turn) =>
        turn % 2 === 0 ? user.adminApi.delete(`/sessions/${id}`) : user.adminApi.post(`/sessions/${id}/restore`)
      )
      expect(new Set((await Promise.all(turns)).map(({ status }) => status))).toEqual(new Set([200]))
      await user.adminApi.post(`/sessions/${id}/restore`)
      expect((await user.get('/v1/folders')).body.folders[0].session_count).toBe(1)
      expect((await user.get('/v1/account')).body.session_count).toBe(1)
      expect((await user.get('/v1/people')).body.people).toMatchObject([{ recording_count: 1 }])
    }
  )
})

describe('the routes of /v1 below the path of a user', () => {
  test('read transcript, recordings, action items and counts of that user, and change an item', async () => {
    const user = await newAppUser()
    const id = await user.session({ segments: SPOKEN, action_items: [{ text: 'Call' }] })
    const both = async (path: string) => [await user.adminApi.get(path), await user.get(`/v1${path}`)]
    for (const path of [`/sessions/${id}/transcript`, `/sessions/${id}/media`, '/action-items', '/sessions/stats']) {
      const [operators, own] = await both(path)
      expect([operators!.status, operators]).toEqual([200, own])
    }
    const bulk = { session_ids: [id], include_transcript: true }
    expect(await user.adminApi.post('/sessions/bulk', bulk)).toEqual(await user.post('/v1/sessions/bulk', bulk))
    const [item] = (await user.adminApi.get('/action-items')).body.action_items
    expect(await user.adminApi.patch(`/action-items/${item.id}`, { completed: true })).toMatchObject({
      status: 200,
      body: { id: item.id, completed: true }
    })
  })

  test('name in the Location of a restored session its path at the same door', async () => {
    const user = await newAppUser()
    const id = await user.session()
    await user.adminApi.delete(`/sessions/${id}`)
    const app = await buildTestAdminApi()
    const authorization = `Bearer ${KEY}`
    const url = `/app/v1/users/${user.id}/sessions/${id}`
    const { headers } = await app.inject({ method: 'POST', url: `${url}/restore`, headers: { authorization } })
    expect(headers.location).toBe(url)
    const repeated = { authorization, 'idempotency-key': 'restore-1' }
    for (const replayed of [undefined, 'true']) {
      const again = await app.inject({ method: 'POST', url: `${url}/restore`, headers: repeated })
      expect([again.headers.location, again.headers['idempotent-replayed']]).toEqual([url, replayed])
    }
  })
})

describe('retrying', () => {
  test('processes a failed session again and announces its completion', async () => {
    const user = await newAppUser()
    const id = await failedSession(user.id)
    const { queued, app } = await withQueue()
    const retry = () => askAdmin('POST', `/users/${user.id}/sessions/${id}/retry`, undefined, { app })
    expect(await retry()).toEqual({ status: 202, body: { id, status: 'processing', external_id: null } })
    expect(await retry()).toMatchObject({ status: 202, body: { status: 'processing' } })
    expect(queued).toEqual([['process-session', { userId: user.id, sessionId: id }]])
    await completeSession(user.id, id)
    expect(await user.events()).toEqual(['session.completed'])
    expect(await retry()).toEqual({
      status: 409,
      body: { error: { code: 'conflict', message: 'The session is already completed' } }
    })
  })

  test('answers 404 for a session of another user or a deleted one', async () => {
    const [user, other] = [await newAppUser(), await newUser()]
    const id = await failedSession(user.id)
    await user.adminApi.delete(`/sessions/${id}`)
    expect(await user.adminApi.post(`/sessions/${id}/retry`)).toEqual(NOT_FOUND)
    expect(await user.adminApi.post(`/sessions/${await failedSession(other.id)}/retry`)).toEqual(NOT_FOUND)
  })
})

describe('deleting the recording', () => {
  test('keeps transcript and summary, returns the time, and records no event; a second time it changes nothing', async () => {
    const user = await newAppUser()
    const id = await user.session({ segments: SPOKEN, media: { audio: 'https://example.test/a.mp3' } })
    for (let turn = 0; turn < 2; turn++) {
      expect(await user.adminApi.delete(`/sessions/${id}/audio`)).toEqual({
        status: 200,
        body: { id, audio_deleted_at: NOW }
      })
    }
    expect((await user.get(`/v1/sessions/${id}/media`)).body).toMatchObject({ audio_url: null, audio_deleted_at: NOW })
    expect((await user.get(`/v1/sessions/${id}/transcript`)).body.transcript).not.toBe('')
    expect(await user.events()).toEqual(['session.completed'])
    expect(await user.adminApi.delete('/sessions/ses_0/audio')).toEqual(NOT_FOUND)
  })

  test('works for a session in the trash, which stays deleted for copies', async () => {
    const user = await newAppUser()
    const id = await user.session({ media: { audio: 'https://example.test/a.mp3' } })
    await user.adminApi.delete(`/sessions/${id}`)
    const deleted = () => user.get('/v1/sessions?order=updated&include=deleted')
    const before = await deleted()
    expect(before.body.sessions).toEqual([{ id, deleted_at: NOW }])
    expect(await user.adminApi.delete(`/sessions/${id}/audio`)).toEqual({
      status: 200,
      body: { id, audio_deleted_at: NOW }
    })
    expect(await deleted()).toEqual(before)
    await user.adminApi.post(`/sessions/${id}/restore`)
    expect((await user.get(`/v1/sessions/${id}/media`)).body).toMatchObject({ audio_url: null, audio_deleted_at: NOW })
  })
})

describe('marking a folder opened', () => {
  test('changes last_opened_at only', async () => {
    const user = await newAppUser()
    const { body: folder } = await user.post('/v1/folders', { name: 'Clients' })
    expect(folder).not.toHaveProperty('last_opened_at')
    expect(await user.adminApi.post(`/folders/${folder.id}/opened`)).toEqual({
      status: 200,
      body: { ...folder, last_opened_at: NOW }
    })
    expect((await user.get(`/v1/folders/${folder.id}`)).body).toEqual({ ...folder, last_opened_at: NOW })
    expect(await user.adminApi.post('/folders/fld_0/opened')).toEqual({
      status: 404,
      body: { error: { code: 'not_found', message: 'Folder not found' } }
    })
  })
})

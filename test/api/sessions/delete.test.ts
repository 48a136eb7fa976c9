import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { purgeMedia } from '../../../src/features/recordings/delete.ts'
import type { JobData } from '../../../src/platform/jobs/queues.ts'
import { fileIn, temporaryFolder } from '../../support/process.ts'
import {
  acceptSession,
  buildTestApp,
  completeSession,
  NO_QUEUE,
  NOW,
  newUser,
  SPOKEN,
  testMedia,
  testMediaFolder
} from '../../support/server.ts'

const NOT_FOUND = { status: 404, body: { error: { code: 'not_found', message: 'Session not found' } } }

type User = Awaited<ReturnType<typeof newUser>>

/** A word that stands nowhere else, for every place of a session that takes text. */
const PLANTED = 'zanzibarkrug'

const EVERYWHERE = {
  external_id: `id-${PLANTED}`,
  title: `Title ${PLANTED}`,
  type: 'phone',
  platform: 'zoom',
  language: 'xx',
  summary: `# ${PLANTED}`,
  notes: `Notes ${PLANTED}`,
  tags: [PLANTED],
  phone: { contact_name: PLANTED, to_number: PLANTED, provider: 'twilio' },
  action_items: [{ text: PLANTED, assignee: PLANTED }],
  speakers: [{ label: 'Speaker 1', person: PLANTED }],
  segments: [{ speaker: 'Speaker 1', start: 0, end: 2, text: `I say ${PLANTED} now.` }],
  media: { audio: `https://example.com/${encodeURIComponent(PLANTED)}`, video: `https://example.com/${PLANTED}` }
}

/** Every table of the database that has the word in some row of the user, by the catalogue. */
async function tablesWith(user: User, word: string) {
  const { rows: tables } = await user.db.execute(
    `select c.oid::regclass::text as name, exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'user_id') as owned
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind in ('r', 'p') and n.nspname in ('public', 'pgboss') order by 1`
  )
  const found: string[] = []
  for (const { name, owned } of tables) {
    const mine = owned ? `t.user_id = '${user.id}' and` : ''
    const { rows } = await user.db.execute(`select from ${name} t where ${mine} t::text like '%${word}%' limit 1`)
    if (rows.length > 0) found.push(String(name))
  }
  return found
}

/** What the store has with the word in its name or content. */
function storedWith(word: string) {
  const root = testMediaFolder()
  const all = existsSync(root) ? readdirSync(root, { recursive: true, encoding: 'utf8' }) : []
  return all.filter(
    name =>
      name.includes(word) ||
      (statSync(join(root, name)).isFile() && readFileSync(join(root, name), 'utf8').includes(word))
  )
}

async function eventsOf(user: User) {
  const { rows } = await user.db.execute(
    `select seq, event_id, type, created_at, body from events where user_id = '${user.id}' order by seq`
  )
  return rows.map(({ body, type, ...event }) => ({ ...event, type, body: JSON.parse(String(body)) }))
}

describe('DELETE /v1/sessions/{id}', () => {
  test('answers deleted, once; afterwards every path of the session answers not_found', async () => {
    const user = await newUser()
    const id = await user.session()
    expect(await user.delete(`/v1/sessions/${id}`)).toEqual({ status: 200, body: { deleted: true, id } })
    expect(await user.delete(`/v1/sessions/${id}`)).toEqual(NOT_FOUND)
    for (const path of ['', '/action-items', '/transcript'])
      expect(await user.get(`/v1/sessions/${id}${path}`)).toEqual(NOT_FOUND)
    expect((await user.get('/v1/sessions')).body.sessions).toEqual([])
  })

  test('leaves no word of the session in any table', async () => {
    const user = await newUser()
    const id = await user.session(EVERYWHERE)
    await user.patch(`/v1/sessions/${id}`, { title: `Again ${PLANTED}`, action_items: [{ text: PLANTED }] })
    const part = JSON.stringify({ segments: [{ speaker: 'Ada', start: 0, end: 1, text: PLANTED }], language: null })
    await user.db.execute(
      `insert into transcript_parts (user_id, session_id, start_ms, end_ms, transcript) values ('${user.id}', '${id}', 0, 1000, '${part}')`
    )
    await user.db.execute(
      `insert into summaries (user_id, session_id, item_sources, title, made_at) values ('${user.id}', '${id}', '{}', '${PLANTED}', now())`
    )
    expect(await tablesWith(user, PLANTED)).toEqual([
      'events',
      'passages',
      'people',
      'search_documents',
      'search_terms',
      'session_people',
      'session_tags',
      'sessions',
      'summaries',
      'transcript_parts',
      'transcripts'
    ])
    await user.delete(`/v1/sessions/${id}`)
    expect(await tablesWith(user, PLANTED)).toEqual([])
    expect(await tablesWith(user, id)).toEqual(['deletions', 'events', 'session_changes'])
  })

  test('leaves nothing of its recordings in the store or in any table', async () => {
    const user = await newUser()
    const queued: JobData['purge-media'][] = []
    const jobs = {
      ...NO_QUEUE,
      enqueue: async (_: unknown, __: string, data: object) => void queued.push(data as JobData['purge-media'])
    }
    const app = await buildTestApp({ jobs })
    const folder = temporaryFolder()
    const recordings = {
      audio: fileIn(folder, `${PLANTED}.mp3`, `sound of ${PLANTED}`),
      video: fileIn(folder, `${PLANTED}.mp4`, `pictures of ${PLANTED}`)
    }
    const id = await acceptSession(
      user.id,
      { media: { audio: `${PLANTED}.mp3`, video: `${PLANTED}.mp4` } },
      user.db,
      recordings
    )
    await completeSession(user.id, id)
    expect(storedWith(PLANTED)).toHaveLength(2)
    expect(await tablesWith(user, PLANTED)).toEqual([])
    const headers = { authorization: `Bearer ${user.token}` }
    expect((await app.inject({ method: 'DELETE', url: `/v1/sessions/${id}`, headers })).statusCode).toBe(200)
    expect(queued.map(({ sessionId }) => sessionId)).toEqual([id, id])
    for (const job of queued) await purgeMedia({ db: user.db, media: testMedia() }, job)
    expect(storedWith(PLANTED)).toEqual([])
    expect(storedWith(id)).toEqual([])
    expect(await tablesWith(user, id)).toEqual(['deletions', 'events', 'session_changes'])
  })

  test('leaves older events their id, seq, type and time, and takes their content; session.deleted has none', async () => {
    const user = await newUser()
    const id = await user.session({ ...EVERYWHERE, timestamp: '2026-03-01T09:00:00Z' })
    await user.patch(`/v1/sessions/${id}`, { action_items: [{ text: PLANTED }] })
    const before = await eventsOf(user)
    await user.delete(`/v1/sessions/${id}`)
    const after = await eventsOf(user)
    const session = {
      id,
      title: '',
      timestamp: '2026-03-01T09:00:00.000Z',
      duration_seconds: 2,
      type: 'phone',
      platform: 'zoom',
      audio_deleted_at: null,
      phone: {
        direction: null,
        to_number: null,
        from_number: null,
        status: null,
        ongoing: false,
        provider: 'twilio',
        contact_name: null
      },
      created_at: NOW,
      updated_at: NOW,
      language: null,
      summary: null,
      notes: null,
      tags: [],
      favorite: false,
      folder_ids: [],
      action_items: [],
      action_items_version: 2
    }
    expect(after.slice(0, 3)).toEqual(before.map(event => ({ ...event, body: { ...event.body, data: { session } } })))
    expect(after.slice(3)).toMatchObject([
      { type: 'session.deleted', body: { event: 'session.deleted', data: { session } } }
    ])
  })

  test('leaves the other sessions and their events as they are', async () => {
    const user = await newUser()
    const [kept, deleted] = [await user.session({ notes: 'Kept' }), await user.session()]
    const [event] = await eventsOf(user)
    const detail = await user.get(`/v1/sessions/${kept}`)
    await user.delete(`/v1/sessions/${deleted}`)
    expect((await eventsOf(user))[0]).toEqual(event)
    expect(await user.get(`/v1/sessions/${kept}`)).toEqual(detail)
  })

  test('removes the session from every count', async () => {
    const user = await newUser()
    const [first, second] = [await user.session({ folders: ['Clients'] }), await user.session({ folders: ['Clients'] })]
    await user.delete(`/v1/sessions/${first}`)
    expect((await user.get('/v1/account')).body.session_count).toBe(1)
    expect((await user.get('/v1/sessions/stats?since=2026-01-01&until=2027-01-01')).body.total_sessions).toBe(1)
    const { rows } = await user.db.execute(`select session_count from folders where user_id = '${user.id}'`)
    expect(rows).toEqual([{ session_count: 1 }])
    await user.delete(`/v1/sessions/${second}`)
    expect((await user.get('/v1/account')).body.session_count).toBe(0)
  })

  test('records no event for a session that was never completed, and counts nothing twice', async () => {
    const user = await newUser()
    const id = await acceptSession(user.id)
    expect((await user.delete(`/v1/sessions/${id}`)).status).toBe(200)
    expect(await eventsOf(user)).toEqual([])
    expect((await user.get('/v1/account')).body.session_count).toBe(0)
  })

  test('lets the same conversation be imported again', async () => {
    const user = await newUser()
    const first = await user.session({ external_id: 'zoom-1', segments: SPOKEN })
    await user.delete(`/v1/sessions/${first}`)
    const again = await user.session({ external_id: 'zoom-1', segments: SPOKEN })
    expect(again).not.toBe(first)
    expect((await user.get(`/v1/sessions/${again}`)).status).toBe(200)
  })

  test('deletes once for ten requests at once', async () => {
    const user = await newUser()
    const id = await user.session()
    const answers = await Promise.all(Array.from({ length: 10 }, () => user.delete(`/v1/sessions/${id}`)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(404)])
    expect((await eventsOf(user)).map(({ type }) => type)).toEqual(['session.completed', 'session.deleted'])
    expect((await user.get('/v1/account')).body.session_count).toBe(0)
  })

  test('leaves nothing that concurrent writers of the session write', async () => {
    const user = await newUser()
    const id = await user.session()
    const writers = Array.from({ length: 10 }, (_, n) =>
      user.patch(`/v1/sessions/${id}`, { title: `${PLANTED} ${n}`, tags: [PLANTED] })
    )
    const [deleted, ...written] = await Promise.all([user.delete(`/v1/sessions/${id}`), ...writers])
    expect(deleted.status).toBe(200)
    for (const { status } of written) expect([200, 404]).toContain(status)
    expect(await tablesWith(user, PLANTED)).toEqual([])
  })
})

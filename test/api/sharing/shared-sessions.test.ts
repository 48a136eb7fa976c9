import { describe, expect, test } from 'vitest'
import { newId } from '../../../src/platform/core/ids.ts'
import { acceptSession, completeSession, NOW, newUser } from '../../support/server.ts'
import { ALL_SHARED, changeShareScope, claim, linkTo, newSharer, sharedSession } from '../../support/sharing.ts'

const NOT_FOUND = { status: 404, body: { error: { code: 'not_found', message: 'Shared session not found' } } }
const PATHS = ['', '/transcript', '/action-items', '/media']

const DOCUMENT = {
  title: 'Weekly review',
  timestamp: '2026-03-01T09:00:00Z',
  summary: '## Decisions',
  notes: 'Mine alone',
  tags: ['secret-tag'],
  folders: ['My folder'],
  action_items: [{ text: 'Send the offer', assignee: 'Ben', due_date: '2026-03-06', source_start: 4.5 }],
  media: { audio: 'https://media.example/a.mp3' }
}

describe('GET /v1/shared-sessions/{owner_id}/{id}', () => {
  test('answers the shared parts, and nothing else of the session', async () => {
    const { owner, recipient, id, path } = await sharedSession(DOCUMENT)
    expect(await recipient.get(path)).toEqual({
      status: 200,
      body: {
        id,
        owner: { id: owner.id, name: 'Ada' },
        title: 'Weekly review',
        shared_at: NOW,
        scope: ALL_SHARED,
        session_url: `http://parlance.test/shared/${owner.id}/${id}`,
        timestamp: '2026-03-01T09:00:00.000Z',
        duration_seconds: 9,
        type: 'import',
        platform: null,
        status: 'completed',
        in_process: false,
        summary: '## Decisions',
        action_items: [
          {
            id: expect.any(String),
            text: 'Send the offer',
            completed: false,
            assignee: 'Ben',
            due_date: '2026-03-06',
            source_start: 4.5
          }
        ]
      }
    })
  })

  test('answers a processing session without a summary, and a failed one', async () => {
    const { owner, recipient } = await sharedSession()
    const id = await acceptSession(owner.id)
    await claim(recipient, await linkTo(owner, id))
    const path = `/v1/shared-sessions/${owner.id}/${id}`
    expect((await recipient.get(path)).body).toMatchObject({
      status: 'processing',
      in_process: true,
      summary: null,
      action_items: []
    })
    await owner.db.execute(
      `update sessions set state = 'failed', failure = 'no provider' where user_id = '${owner.id}' and session_id = '${id}'`
    )
    const failed = await recipient.get(path)
    expect(failed.body).toMatchObject({ status: 'failed', in_process: false })
    expect(JSON.stringify(failed.body)).not.toContain('no provider')
  })

  test('follows the session: what its owner changes, recipients read', async () => {
    const { owner, recipient, id, path } = await sharedSession(DOCUMENT)
    await owner.patch(`/v1/sessions/${id}`, { title: 'Renamed', action_items: [] })
    expect((await recipient.get(path)).body).toMatchObject({ title: 'Renamed', action_items: [] })
  })

  test('answers not_found, the same everywhere, to strangers, for other owners, unknown and malformed ids, and to the owner', async () => {
    const { owner, recipient, id } = await sharedSession(DOCUMENT)
    const stranger = await newUser()
    for (const part of PATHS) {
      for (const [who, where] of [
        [stranger, `${owner.id}/${id}`],
        [owner, `${owner.id}/${id}`],
        [recipient, `${recipient.id}/${id}`],
        [recipient, `${owner.id}/${newId('ses')}`],
        [recipient, `${newId('usr')}/${id}`],
        [recipient, 'x/%20']
      ] as const)
        expect(await who.get(`/v1/shared-sessions/${where}${part}`), `${where}${part}`).toEqual(NOT_FOUND)
    }
  })

  test('gives no access to the session on the owner’s routes', async () => {
    const { recipient, id } = await sharedSession(DOCUMENT)
    expect((await recipient.get(`/v1/sessions/${id}`)).status).toBe(404)
    expect((await recipient.get(`/v1/sessions/${id}/transcript`)).status).toBe(404)
    expect((await recipient.patch(`/v1/sessions/${id}`, { title: 'Mine' })).status).toBe(404)
    expect((await recipient.delete(`/v1/sessions/${id}`)).status).toBe(404)
    expect((await recipient.post('/v1/sessions/bulk', { session_ids: [id] })).body).toEqual({
      sessions: [],
      errors: [{ id, error: 'not_found' }]
    })
    expect((await recipient.get('/v1/sessions')).body.sessions).toEqual([])
  })
})

describe('the parts of a shared session', () => {
  test('the transcript has its text and its segments', async () => {
    const { recipient, id, path } = await sharedSession()
    expect((await recipient.get(`${path}/transcript`)).body).toEqual({
      id,
      transcript: "Ada: Welcome to the weekly review.\nBen: I'll send the offer.",
      segments: [
        { speaker: 'Ada', start: 0, end: 4.5, text: 'Welcome to the weekly review.' },
        { speaker: 'Ben', start: 4.5, end: 9, text: "I'll send the offer." }
      ]
    })
  })

  test('segments without times are included without them; a missing transcript is empty', async () => {
    const { owner, recipient, path } = await sharedSession({ segments: [{ speaker: 'Ada', text: 'Hello.' }] })
    expect((await recipient.get(`${path}/transcript`)).body).toMatchObject({
      segments: [{ speaker: 'Ada', text: 'Hello.' }]
    })
    await owner.db.execute(`delete from transcripts where user_id = '${owner.id}'`)
    expect((await recipient.get(`${path}/transcript`)).body).toMatchObject({ transcript: '', segments: [] })
  })

  test('the action items have version 0 and no time of change', async () => {
    const { recipient, id, path } = await sharedSession(DOCUMENT)
    expect((await recipient.get(`${path}/action-items`)).body).toEqual({
      session_id: id,
      action_items: [
        {
          id: expect.any(String),
          text: 'Send the offer',
          completed: false,
          assignee: 'Ben',
          due_date: '2026-03-06',
          source_start: 4.5
        }
      ],
      version: 0,
      updated_at: null
    })
  })

  test('the recording is the external URL of the audio, or else of the video', async () => {
    const { recipient, path } = await sharedSession(DOCUMENT)
    expect((await recipient.get(`${path}/media`)).body).toEqual({
      kind: 'audio',
      url: 'https://media.example/a.mp3',
      expires_at: null,
      external: true
    })
    const film = await sharedSession({ media: { video: 'https://media.example/v.mp4' } })
    expect((await film.recipient.get(`${film.path}/media`)).body).toMatchObject({
      kind: 'video',
      url: 'https://media.example/v.mp4'
    })
  })

  test('without a recording, and once it is deleted, the answer is media_unavailable', async () => {
    const answer = { status: 404, body: { error: { code: 'media_unavailable' } } }
    const silent = await sharedSession()
    expect(await silent.recipient.get(`${silent.path}/media`)).toMatchObject(answer)
    const { owner, recipient, path } = await sharedSession(DOCUMENT)
    await owner.db.execute(`update sessions set audio_deleted_at = now() where user_id = '${owner.id}'`)
    expect(await recipient.get(`${path}/media`)).toMatchObject(answer)
  })
})

describe('the scope of a share', () => {
  const combinations = Array.from({ length: 16 }, (_, bits) => ({
    summary: (bits & 1) > 0,
    transcript: (bits & 2) > 0,
    audio: (bits & 4) > 0,
    action_items: (bits & 8) > 0
  }))

  test.each(combinations)(
    'leaves out the other parts with summary $summary, transcript $transcript, audio $audio, items $action_items',
    async scope => {
      const { owner, recipient, id, path } = await sharedSession({
        ...DOCUMENT,
        summary: 'SUMMARY',
        segments: [{ speaker: 'Ada', start: 0, end: 2, text: 'TRANSCRIPT' }],
        action_items: [{ text: 'ITEMS', source_start: 17.25 }],
        media: { audio: 'https://media.example/AUDIO', video: 'https://media.example/AUDIO-VIDEO' }
      })
      await changeShareScope(owner, id, scope)
      const [detail, transcript, items, media] = await Promise.all(PATHS.map(part => recipient.get(path + part)))
      const list = await recipient.get('/v1/shared-sessions')
      const mixed = await recipient.get('/v1/sessions?include=shared')
      expect([list.body.sessions[0].scope, mixed.body.sessions[0].scope, detail!.body.scope]).toEqual([
        scope,
        scope,
        scope
      ])
      expect('summary' in detail!.body).toBe(scope.summary)
      expect('action_items' in detail!.body).toBe(scope.action_items)
      expect(transcript!.status).toBe(scope.transcript ? 200 : 404)
      expect(items!.status).toBe(scope.action_items ? 200 : 404)
      expect(media!.status).toBe(scope.audio ? 200 : 404)
      if (!scope.transcript) expect(transcript!.body.error.code).toBe('not_found')
      if (!scope.action_items) expect(items!.body.error.code).toBe('not_found')
      if (!scope.audio) expect(media!.body.error.code).toBe('media_unavailable')
      const everything = JSON.stringify([detail, transcript, items, media, list, mixed])
      expect(everything.includes('SUMMARY')).toBe(scope.summary)
      expect(everything.includes('TRANSCRIPT')).toBe(scope.transcript)
      expect(everything.includes('AUDIO')).toBe(scope.audio)
      expect(everything.includes('ITEMS')).toBe(scope.action_items)
      expect(everything.includes('17.25')).toBe(scope.action_items && scope.transcript)
    }
  )
})

describe('GET /v1/shared-sessions', () => {
  test('lists shared sessions page by page, the last shared one first', async () => {
    const [owner, recipient] = [await newSharer(), await newSharer()]
    const expected: string[] = []
    for (let n = 0; n < 45; n++) {
      const id = await addBare(owner, n)
      // Several at the same instant: the cursor must tell them apart.
      await claimAt(owner, recipient, id, new Date(Date.parse(NOW) + Math.floor(n / 10) * 1_000))
      expected.push(id)
    }
    const seen: string[] = []
    let cursor = ''
    const pages: number[] = []
    do {
      const { body } = await recipient.get(
        `/v1/shared-sessions?limit=20${cursor && `&cursor=${encodeURIComponent(cursor)}`}`
      )
      pages.push(body.sessions.length)
      seen.push(...body.sessions.map(({ id }: { id: string }) => id))
      expect(body.has_more).toBe(body.next_cursor !== null)
      cursor = body.next_cursor
    } while (cursor)
    expect(pages).toEqual([20, 20, 5])
    expect(seen).toEqual(
      [...expected]
        .reverse()
        .sort((a, b) => Math.floor(expected.indexOf(b) / 10) - Math.floor(expected.indexOf(a) / 10))
    )
    expect(new Set(seen).size).toBe(45)
  })

  test('returns rows with owner, scope and page, without time and type', async () => {
    const { owner, recipient, id } = await sharedSession(DOCUMENT)
    expect((await recipient.get('/v1/shared-sessions')).body).toEqual({
      sessions: [
        {
          id,
          owner: { id: owner.id, name: 'Ada' },
          title: 'Weekly review',
          shared_at: NOW,
          scope: ALL_SHARED,
          session_url: `http://parlance.test/shared/${owner.id}/${id}`
        }
      ],
      next_cursor: null,
      has_more: false
    })
  })

  test('covers the latest 500, here and in include=shared', async () => {
    const [owner, recipient] = [await newSharer(), await newSharer()]
    await owner.db.execute(`
      insert into sessions (user_id, session_id, state, title, sort_at, duration_seconds, type, created_at, updated_at)
      select '${owner.id}', 'ses_' || '${owner.id.slice(4)}' || n, 'completed', 'S' || n, timestamptz '2026-01-01' + n * interval '1 s', 1, 'meeting', now(), now()
      from generate_series(1, 510) n`)
    await owner.db.execute(
      `insert into session_shares (user_id, session_id) select user_id, session_id from sessions where user_id = '${owner.id}'`
    )
    await owner.db.execute(`
      insert into share_grants (user_id, session_id, recipient_id, sources, shared_at, active)
      select user_id, session_id, '${recipient.id}', '{link}', sort_at, true from sessions where user_id = '${owner.id}'`)
    await owner.db.execute(`
      insert into shared_with (recipient_id, session_id, owner_id, shared_at)
      select recipient_id, session_id, user_id, shared_at from share_grants where user_id = '${owner.id}'`)
    const titles: string[] = []
    let cursor = ''
    do {
      const { body } = await recipient.get(`/v1/shared-sessions?limit=100${cursor && `&cursor=${cursor}`}`)
      titles.push(...body.sessions.map(({ title }: { title: string }) => title))
      cursor = body.next_cursor
    } while (cursor)
    const latest = Array.from({ length: 500 }, (_, index) => `S${510 - index}`)
    expect(titles).toEqual(latest)
    expect(
      (await recipient.get('/v1/sessions?include=shared')).body.sessions.map(({ title }: { title: string }) => title)
    ).toEqual(latest)
  })

  test('leaves out sessions that are not completed yet', async () => {
    const [owner, recipient] = [await newSharer(), await newSharer()]
    const id = await acceptSession(owner.id)
    await claim(recipient, await linkTo(owner, id))
    expect((await recipient.get('/v1/shared-sessions')).body.sessions).toEqual([])
    await completeSession(owner.id, id)
    expect((await recipient.get('/v1/shared-sessions')).body.sessions).toMatchObject([{ id }])
  })

  const LIMIT = 'limit: send a whole number from 20 to 100'
  const CURSOR = 'cursor: send the next_cursor of the previous page, unchanged'
  test.each([
    ['limit=19', LIMIT],
    ['limit=101', LIMIT],
    ['limit=x', LIMIT],
    ['limit=', LIMIT],
    ['limit=20&limit=20', 'limit: send it once'],
    ['cursor=', CURSOR],
    ['cursor=x', CURSOR],
    ['cursor=2026-03-02T10:00:00Z', CURSOR],
    [`cursor=${encode(['yesterday', 'usr_1', 'ses_1'])}`, CURSOR],
    [`cursor=${encode(['2026-03-02T10:00:00Z', 'usr_1'])}`, CURSOR],
    [`cursor=${encode(['2026-03-02T10:00:00Z', 'usr_1', '\0'])}`, CURSOR],
    [`cursor=${encode(['2026-03-02T10:00:00Z', 'usr_1', 7])}`, CURSOR],
    ['cursor=a&cursor=b', 'cursor: send it once'],
    ['cursor=%00', 'cursor: send text without NUL characters and unpaired surrogates']
  ])('refuses ?%s as validation_error', async (query, message) => {
    const user = await newUser()
    expect(await user.get(`/v1/shared-sessions?${query}`)).toEqual({
      status: 400,
      body: { error: { code: 'validation_error', message } }
    })
  })

  test.each(['limit=20', 'limit=100'])('takes ?%s', async query => {
    const user = await newUser()
    expect((await user.get(`/v1/shared-sessions?${query}`)).status).toBe(200)
  })
})

describe('GET /v1/sessions?include=shared', () => {
  test('marks own rows, and appends the shared ones to the first page with any filter', async () => {
    const { owner, recipient, id } = await sharedSession(DOCUMENT)
    const own = await recipient.session({
      title: 'Own',
      timestamp: '2026-03-01T08:00:00Z',
      tags: ['a'],
      folders: ['F'],
      type: 'meeting'
    })
    const older = await recipient.session({ title: 'Older', timestamp: '2026-02-01T08:00:00Z' })
    const row = {
      id,
      owner: { id: owner.id, name: 'Ada' },
      title: 'Weekly review',
      shared_at: NOW,
      scope: ALL_SHARED,
      session_url: `http://parlance.test/shared/${owner.id}/${id}`,
      access: 'shared'
    }
    const first = (await recipient.get('/v1/sessions?include=shared&limit=1')).body
    expect(first.sessions).toEqual([expect.objectContaining({ id: own, access: 'owner' }), row])
    expect(first).toMatchObject({ has_more: true, next_cursor: expect.any(String) })
    expect(first).not.toHaveProperty('shared_error')
    const second = (await recipient.get(`/v1/sessions?include=shared&limit=1&cursor=${first.next_cursor}`)).body
    expect(second.sessions).toEqual([expect.objectContaining({ id: older, access: 'owner' })])
    for (const filter of [
      'type=meeting',
      'folder=f',
      'tag=a',
      'since=2026-02-15',
      'type=podcast',
      'tag=none&tag_mode=all'
    ])
      expect((await recipient.get(`/v1/sessions?include=shared&${filter}`)).body.sessions.at(-1), filter).toEqual(row)
  })

  test('appends nothing with person, because people are unknown in shared sessions', async () => {
    const { recipient } = await sharedSession(DOCUMENT)
    await recipient.session({ speakers: [{ label: 'Ada', person: 'Me', is_me: true }] })
    const { sessions } = (await recipient.get('/v1/sessions?include=shared&person=me')).body
    expect(sessions).toMatchObject([{ access: 'owner' }])
  })

  test('returns no access and appends nothing without the parameter', async () => {
    const { recipient } = await sharedSession(DOCUMENT)
    await recipient.session()
    const { sessions } = (await recipient.get('/v1/sessions')).body
    expect(sessions).toHaveLength(1)
    expect(sessions[0]).not.toHaveProperty('access')
  })

  test.each(['include=owner', 'include=', 'include=shared&include=shared'])('refuses ?%s', async query => {
    const user = await newUser()
    expect(await user.get(`/v1/sessions?${query}`)).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_request' } }
    })
  })
})

type Sharer = Awaited<ReturnType<typeof newSharer>>

async function addBare(owner: Sharer, n: number) {
  const id = newId('ses')
  await owner.db.execute(`
    insert into sessions (user_id, session_id, state, title, sort_at, duration_seconds, type, created_at, updated_at)
    values ('${owner.id}', '${id}', 'completed', 'S${n}', timestamptz '2026-01-01' + ${n} * interval '1 s', 1, 'meeting', now(), now())`)
  return id
}

async function claimAt(owner: Sharer, recipient: Sharer, id: string, now: Date) {
  await owner.db.execute(`delete from share_counters where user_id = '${owner.id}'`)
  await claim(recipient, await linkTo(owner, id), now)
}

function encode(value: unknown) {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

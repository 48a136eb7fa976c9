// @module-tag both

import { describe, expect, test } from 'vitest'
import { everyScope } from '../../../src/features/access/actor.ts'
import { deleteRecording } from '../../../src/features/recordings/operations.ts'
import {
  acceptSession,
  buildTestApp,
  clock,
  completeSession,
  NO_QUEUE,
  NOW,
  newUser,
  newUserOf,
  testDatabase
} from '../../support/server.ts'
import { restore, trash } from '../../support/trash.ts'

type User = Awaited<ReturnType<typeof newUser>>

interface Row {
  id: string
  title: string
  deleted_at?: string
}

describe('GET /v1/sessions?order=updated', () => {
  test('answers with the whole rows of the list and when they were created and changed', async () => {
    const user = await newUser('sessions:read')
    const id = await user.session({ timestamp: '2020-05-01T09:00:00Z', type: 'meeting', platform: 'zoom' })
    expect(await user.get('/v1/sessions?order=updated')).toEqual({
      status: 200,
      body: {
        sessions: [
          {
            id,
            title: 'Weekly review',
            timestamp: '2020-05-01T09:00:00.000Z',
            duration_seconds: 9,
            type: 'meeting',
            platform: 'zoom',
            audio_deleted_at: null,
            created_at: NOW,
            updated_at: NOW
          }
        ],
        next_cursor: '2026-03-02T10:00:00.000001Z',
        has_more: false
      }
    })
  })

  test('lists the oldest change first, and a session once, at its last change', async () => {
    const user = await newUser()
    const [first, second, third] = [await user.session(), await user.session(), await user.session()]
    await user.patch(`/v1/sessions/${first}`, { title: 'Changed' })
    expect(await idsOf(user, '')).toEqual([second, third, first])
  })

  test('leads through all pages by the cursor, and the next sync begins at the last one', async () => {
    const user = await newUser()
    const made = [await user.session(), await user.session(), await user.session()]
    const first = await page(user, '&limit=2')
    expect([first.sessions.map(({ id }) => id), first.has_more]).toEqual([made.slice(0, 2), true])
    const second = await page(user, `&limit=2&cursor=${first.next_cursor}`)
    expect([second.sessions.map(({ id }) => id), second.has_more]).toEqual([made.slice(2), false])
    const end = second.next_cursor
    expect(await page(user, `&cursor=${end}`)).toEqual({ sessions: [], next_cursor: end, has_more: false })
    await user.patch(`/v1/sessions/${made[1]}`, { notes: 'Bring cake' })
    expect(await idsOf(user, `&cursor=${end}`)).toEqual([made[1]])
  })

  test('returns a first cursor even without a session', async () => {
    const user = await newUser()
    const { next_cursor } = await page(user, '')
    const id = await user.session()
    expect(await idsOf(user, `&cursor=${next_cursor}`)).toEqual([id])
  })

  test('moves a session that is imported late with an old date to the end', async () => {
    const user = await newUser()
    await user.session({ timestamp: '2026-03-01T09:00:00Z' })
    const { next_cursor } = await page(user, '')
    const old = await user.session({ timestamp: '2019-01-01T09:00:00Z' })
    expect(await idsOf(user, `&cursor=${next_cursor}`)).toEqual([old])
  })

  test('shows a session when it is completed, and no other session of the same moment twice', async () => {
    const user = await newUser()
    const waiting = await acceptSession(user.id)
    await user.patch(`/v1/sessions/${waiting}`, { title: 'Not yet' })
    const { sessions, next_cursor } = await page(user, '')
    expect(sessions).toEqual([])
    await completeSession(user.id, waiting)
    expect(await idsOf(user, `&cursor=${next_cursor}`)).toEqual([waiting])
  })

  test('moves a session for each change that a row or the detail shows', async () => {
    const user = await newUser()
    const { db, id: userId } = user
    const id = await user.session({ folders: ['Clients'] })
    const changes = [
      () => user.patch(`/v1/sessions/${id}`, { favorite: true }),
      () => user.patch(`/v1/sessions/${id}`, { action_items: [{ text: 'Call' }] }),
      () => deleteRecording({ db, jobs: NO_QUEUE, clock }, everyScope(userId, 'command'), id),
      () => trash({ db }, userId, id),
      () => restore({ db }, userId, id)
    ]
    for (const change of changes) {
      const { next_cursor } = await page(user, '&include=deleted')
      await change()
      expect(await idsOf(user, `&include=deleted&cursor=${next_cursor}`)).toEqual([id])
    }
  })

  test('leaves a session where it is when a PATCH changes nothing and when its folders change', async () => {
    const user = await newUser()
    const id = await user.session()
    const before = await user.get(`/v1/sessions/${id}`)
    const { next_cursor } = await page(user, '')
    const folder = await user.post('/v1/folders', { name: 'Clients' })
    await user.post(`/v1/sessions/${id}/folders/${folder.body.id}`)
    await user.patch(`/v1/sessions/${id}`, { title: 'Weekly review' })
    expect(await idsOf(user, `&cursor=${next_cursor}`)).toEqual([])
    const after = await user.get(`/v1/sessions/${id}`)
    expect(after.body).toEqual({ ...before.body, folder_ids: [folder.body.id] })
  })

  test('includes deleted sessions as tombstones only on request, and drops the tombstone of a restored one', async () => {
    const user = await newUser()
    const [kept, gone, back] = [await user.session(), await user.session(), await user.session()]
    await user.delete(`/v1/sessions/${gone}`)
    await trash({ db: user.db }, user.id, back)
    expect((await page(user, '&include=deleted')).sessions.slice(1)).toEqual([
      { id: gone, deleted_at: NOW },
      { id: back, deleted_at: NOW }
    ])
    expect(await idsOf(user, '')).toEqual([kept])
    await restore({ db: user.db }, user.id, back)
    expect((await page(user, '&include=deleted')).sessions.map(({ id, deleted_at }) => [id, deleted_at])).toEqual([
      [kept, undefined],
      [gone, NOW],
      [back, undefined]
    ])
  })

  test('begins with the changes since an instant, and the cursor continues from there', async () => {
    let now = '2026-03-02T10:00:00.000Z'
    const ticking = { now: () => new Date(now) }
    const { db } = await testDatabase()
    const user = await newUserOf({ db, app: await buildTestApp({ clock: ticking }) })
    const [old, late, last] = [await user.session(), await user.session(), await user.session()]
    now = '2026-03-04T10:00:00.000Z'
    await user.patch(`/v1/sessions/${late}`, { title: 'Late' })
    now = '2026-03-05T10:00:00.000Z'
    await user.patch(`/v1/sessions/${last}`, { title: 'Last' })
    expect(await idsOf(user, '&updated_since=2026-03-03')).toEqual([late, last])
    expect(await idsOf(user, '&updated_since=2026-03-04T10:00:00.000Z')).toEqual([late, last])
    expect(await idsOf(user, '&updated_since=2026-03-04T10:00:00.001Z')).toEqual([last])
    expect(await page(user, '&updated_since=2026-03-06')).toEqual({
      sessions: [],
      next_cursor: '2026-03-06T00:00:00.000000Z',
      has_more: false
    })
    const first = await page(user, '&updated_since=2026-03-03&limit=1')
    expect(await idsOf(user, `&updated_since=2026-03-03&cursor=${first.next_cursor}`)).toEqual([last])
    expect(await idsOf(user, '')).toEqual([old, late, last])
  })

  test.each([
    ['0001-01-01', '1970-01-01T00:00:00.000000Z'],
    ['9999-12-31T23:59:59.999999Z', '2255-06-05T23:47:34.740991Z'],
    ['2026-03-02T10:00:00.1234Z', '2026-03-02T10:00:00.123400Z'],
    ['2026-03-02T12:00:00.123456%2B02:00', '2026-03-02T10:00:00.123456Z']
  ])('takes the cursor %s', async (cursor, next_cursor) => {
    const user = await newUser()
    expect(await page(user, `&cursor=${cursor}`)).toEqual({ sessions: [], next_cursor, has_more: false })
  })

  test('orders by commit although a clock is set back', async () => {
    let now = '2026-03-02T10:00:00.000Z'
    const stepping = { now: () => new Date(now) }
    const { db } = await testDatabase()
    const user = await newUserOf({ db, app: await buildTestApp({ clock: stepping }) })
    const [one, other] = [await user.session(), await user.session()]
    now = '2026-03-02T12:00:00.000Z'
    await user.patch(`/v1/sessions/${one}`, { title: 'First' })
    const { next_cursor } = await page(user, '')
    now = '2026-03-02T11:00:00.000Z'
    await user.patch(`/v1/sessions/${other}`, { title: 'Second' })
    expect(await idsOf(user, `&cursor=${next_cursor}`)).toEqual([other])
  })

  test('shows no session of another user', async () => {
    const [user, stranger] = [await newUser(), await newUser()]
    await stranger.delete(`/v1/sessions/${await stranger.session()}`)
    await stranger.session()
    expect((await page(user, '&include=deleted')).sessions).toEqual([])
  })

  test.each([
    ['order=updated&cursor=2026-03-02_', 'cursor: send an ISO 8601 date such as 2026-03-02T10:00:00Z'],
    [
      'order=updated&cursor=2026-03-02_2026-03-02_2026-03-02',
      'cursor: send an ISO 8601 date such as 2026-03-02T10:00:00Z'
    ],
    ['cursor=2026-03-02_2026-03-02', 'cursor: send an ISO 8601 date such as 2026-03-02T10:00:00Z'],
    ['order=created', 'order: send updated, or leave it out'],
    ['order=updated&type=phone', 'type: leave it out with order=updated, which lists every session'],
    ['order=updated&tag=a', 'tag: leave it out with order=updated, which lists every session'],
    ['order=updated&folder=Clients', 'folder: leave it out with order=updated, which lists every session'],
    ['order=updated&person=me', 'person: leave it out with order=updated, which lists every session'],
    ['order=updated&since=2026-03-01', 'since: leave it out with order=updated, which lists every session'],
    ['order=updated&include=shared', 'include: send deleted with order=updated, or leave it out'],
    ['order=updated&updated_since=monday', 'updated_since: send an ISO 8601 date such as 2026-03-02T10:00:00Z'],
    ['updated_since=2026-03-01', 'updated_since: send it with order=updated'],
    ['include=deleted', 'include: send deleted with order=updated only']
  ])('refuses ?%s and names the parameter', async (query, message) => {
    const user = await newUser('sessions:read')
    expect(await user.get(`/v1/sessions?${query}`)).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_request', message } }
    })
  })
})

async function page(user: User, query: string): Promise<{ sessions: Row[]; next_cursor: string; has_more: boolean }> {
  const { status, body } = await user.get(`/v1/sessions?order=updated${query}`)
  expect(status).toBe(200)
  return body
}

async function idsOf(user: User, query: string) {
  return (await page(user, query)).sessions.map(({ id }) => id)
}

// @module-tag both

import { describe, expect, test } from 'vitest'
import { removeOldTombstones } from '../../../src/features/events/remove-old.ts'
import { ownServer } from '../../support/own-server.ts'
import { clock, newUser, newUserOf } from '../../support/server.ts'
import { restore, trash } from '../../support/trash.ts'

const SIGNAL = new AbortController().signal
const DAY_MS = 86_400_000
const WRITERS = 16
const CHANGES = 12

type User = Awaited<ReturnType<typeof newUser>>

interface Row {
  id: string
  deleted_at?: string
}

test('a copy equals the server field by field, whatever 16 writers import, change, delete and restore meanwhile', {
  timeout: 300_000
}, async () => {
  const user = await newUser()
  let writing = true
  const copy = copyOf(user, () => writing)
  await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(user, writer)))
  writing = false
  const listed = new Map<string, unknown>()
  for (const row of await allListed(user)) listed.set(row.id, row)
  const copied = new Map([...(await copy)].map(([id, { created_at: _, updated_at: __, ...row }]) => [id, row]))
  expect(copied).toEqual(listed)
  expect(listed.size).toBeGreaterThan(WRITERS)
})

/** Reads changes page after page until nobody writes and nothing is left. */
async function copyOf(user: User, writing: () => boolean) {
  const copy = new Map<string, Row & { created_at?: string; updated_at?: string }>()
  let [cursor, turn] = ['', 0]
  for (;;) {
    const last = !writing()
    const { body } = await user.get(`/v1/sessions?order=updated&include=deleted&limit=${1 + (turn++ % 7)}${cursor}`)
    for (const row of body.sessions) {
      if (row.deleted_at) copy.delete(row.id)
      else copy.set(row.id, row)
    }
    cursor = `&cursor=${body.next_cursor}`
    if (last && !body.has_more) return copy
  }
}

async function write(user: User, writer: number) {
  const made: string[] = []
  for (let change = 0; change < CHANGES; change++) {
    const one = made[change % made.length]
    if (one === undefined || change % 3 === 0)
      made.push(await user.session({ timestamp: `20${10 + writer}-01-0${1 + (change % 9)}T10:00:00Z` }))
    else if (change % 5 === 4) await user.delete(`/v1/sessions/${made.pop()}`)
    else if (change % 7 === 5) {
      await trash({ db: user.db }, user.id, one)
      if (writer % 2 === 0) await restore({ db: user.db }, user.id, one)
    } else await user.patch(`/v1/sessions/${one}`, { title: `Title ${writer} ${change}` })
  }
}

async function allListed(user: User) {
  const rows: Row[] = []
  for (let cursor = ''; ; ) {
    const { body } = await user.get(`/v1/sessions?limit=100${cursor}`)
    rows.push(...body.sessions)
    if (!body.has_more) return rows
    cursor = `&cursor=${body.next_cursor}`
  }
}

test('tombstones are removed after 30 days, and an older copy has to begin again', async () => {
  const user = await newUserOf(await ownServer())
  const [deleted, restored] = [await user.session(), await user.session()]
  const { body: before } = await user.get('/v1/sessions?order=updated')
  await user.delete(`/v1/sessions/${deleted}`)
  await trash({ db: user.db }, user.id, restored)
  await restore({ db: user.db }, user.id, restored)
  const { body: after } = await user.get('/v1/sessions?order=updated&include=deleted')
  const stale = `/v1/sessions?order=updated&include=deleted&cursor=${before.next_cursor}`
  const daysLater = (days: number) => new Date(clock.now().getTime() + days * DAY_MS)

  await removeOldTombstones(user.db, daysLater(30), SIGNAL)
  expect((await user.get(stale)).body.sessions.map(({ id }: Row) => id)).toEqual([deleted, restored])

  await removeOldTombstones(user.db, daysLater(31), SIGNAL)
  const message =
    'cursor: it is too old, later deletions are no longer known; sync again without it, into an empty copy'
  expect(await user.get(stale)).toMatchObject({ status: 400, body: { error: { code: 'invalid_request', message } } })
  expect((await user.get(`/v1/sessions?order=updated&cursor=${before.next_cursor}`)).status).toBe(200)
  expect((await user.get(`/v1/sessions?order=updated&include=deleted&cursor=${after.next_cursor}`)).status).toBe(200)
  expect((await user.get('/v1/sessions?order=updated&include=deleted')).body.sessions.map(({ id }: Row) => id)).toEqual(
    [restored]
  )
})

describe('after the removal of a tombstone', () => {
  async function withOldSessions() {
    let now = clock.now()
    const own = await ownServer({ clock: { now: () => now } })
    const user = await newUserOf(own)
    const sessions = [await user.session(), await user.session(), await user.session()]
    await user.delete(`/v1/sessions/${await user.session()}`)
    now = new Date(now.getTime() + 31 * DAY_MS)
    await removeOldTombstones(user.db, now, SIGNAL)
    const passDays = (days: number) => {
      now = new Date(now.getTime() + days * DAY_MS)
      return removeOldTombstones(user.db, now, SIGNAL)
    }
    return { own, user, sessions, passDays }
  }
  const CHANGES_OF = '/v1/sessions?order=updated&include=deleted'
  const tooOld = (parameter: string) => ({
    status: 400,
    body: {
      error: {
        code: 'invalid_request',
        message: `${parameter}: it is too old, later deletions are no longer known; sync again without it, into an empty copy`
      }
    }
  })

  test('a first copy reads all pages, and the next sync begins at its last cursor', async () => {
    const { user, sessions } = await withOldSessions()
    const read: string[] = []
    let cursor = ''
    for (let more = true; more; ) {
      const { status, body } = await user.get(`${CHANGES_OF}&limit=1${cursor}`)
      expect(status).toBe(200)
      read.push(...body.sessions.map(({ id }: Row) => id))
      cursor = `&cursor=${body.next_cursor}`
      more = body.has_more
    }
    expect(read).toEqual(sessions)
    expect(cursor).not.toContain('_')
    await user.delete(`/v1/sessions/${sessions[1]}`)
    const { status, body } = await user.get(`${CHANGES_OF}${cursor}`)
    expect([status, body.sessions.map(({ id, deleted_at }: Row) => [id, deleted_at !== undefined])]).toEqual([
      200,
      [[sessions[1], true]]
    ])
  })

  test('a first copy that pauses until a later tombstone is removed has to begin again', async () => {
    const { user, sessions, passDays } = await withOldSessions()
    const { body } = await user.get(`${CHANGES_OF}&limit=1`)
    await user.delete(`/v1/sessions/${sessions[0]}`)
    const next = `${CHANGES_OF}&limit=1&cursor=${body.next_cursor}`
    expect((await user.get(next)).status).toBe(200)
    await passDays(31)
    expect(await user.get(next)).toEqual(tooOld('cursor'))
  })

  test('updated_since from before it is refused with include=deleted only, and a later one is not', async () => {
    const { user } = await withOldSessions()
    expect(await user.get(`${CHANGES_OF}&updated_since=2026-03-01`)).toEqual(tooOld('updated_since'))
    expect((await user.get('/v1/sessions?order=updated&updated_since=2026-03-01')).body.sessions.length).toBe(3)
    expect((await user.get(`${CHANGES_OF}&updated_since=2026-03-03`)).status).toBe(200)
  })

  test("another user's removed tombstones refuse nothing", async () => {
    const { own } = await withOldSessions()
    const stranger = await newUserOf(own)
    expect((await stranger.get(`${CHANGES_OF}&updated_since=2020-01-01`)).status).toBe(200)
  })
})

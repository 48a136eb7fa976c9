import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Retention } from '../../../src/contract/retention.ts'
import { recount } from '../../../src/features/accounts/recount.ts'
import { deleteExpired, type Expired, findExpired } from '../../../src/features/deletions/retention.ts'
import { purgeMedia } from '../../../src/features/recordings/delete.ts'
import { s3Media } from '../../../src/features/recordings/s3-store.ts'
import { sql } from '../../../src/platform/db/drizzle.ts'
import type { MediaStore } from '../../../src/platform/ports/media-store.ts'
import { removeExpired } from '../../../src/server/remove-expired.ts'
import { buildTestAdminApi, KEY } from '../../support/admin-api.ts'
import { ownServer } from '../../support/own-server.ts'
import { record } from '../../support/recordings.ts'
import { BUCKET, startS3 } from '../../support/s3-server.ts'
import {
  acceptSession,
  clock,
  NO_QUEUE,
  NO_RETENTION,
  newUserOf,
  testMedia,
  testMediaFolder
} from '../../support/server.ts'
import { trash } from '../../support/trash.ts'

const DAY_MS = 86_400_000
const MONTH: Retention = { ...NO_RETENTION, audio_days: 30 }
const never = new AbortController().signal

/** A server on a database of its own, because retention deletes everybody's. */
async function newServer(retention: Retention, store: MediaStore = testMedia()) {
  const purges: Parameters<typeof purgeMedia>[1][] = []
  const jobs: typeof NO_QUEUE = {
    ...NO_QUEUE,
    enqueue: async (_, queue, data) => {
      if (queue === 'purge-media') purges.push(data as (typeof purges)[number])
    }
  }
  const own = { jobs, media: store, retention }
  const { db, app, services } = await ownServer(own)
  const adminApi = await buildTestAdminApi(services)
  const addUser = async () => {
    const user = await newUserOf({ db, app })
    const change = async (body: object) => {
      const headers = { authorization: `Bearer ${KEY}` }
      const url = `/app/v1/users/${user.id}`
      const reply = await adminApi.inject({ method: 'PATCH', url, headers, payload: body })
      return { status: reply.statusCode, body: reply.json() }
    }
    const recorded = async (kind: 'audio' | 'video' = 'audio') => {
      const id = await user.session()
      return { id, key: await record(user, id, kind, Buffer.from('sound'), store) }
    }
    const feed = async () =>
      (await user.get('/v1/events')).body.events.map(
        ({ event, data }: { event: string; data: { session: { id: string } } }) => [event, data.session.id]
      )
    return { ...user, change, recorded, feed }
  }
  const at = (days: number) => ({ db, ...own, clock: { now: () => new Date(clock.now().getTime() + days * DAY_MS) } })
  /** Runs the recurring job of a server that has run for these days. */
  async function tick(days: number) {
    const deleted: Expired[] = []
    const onDeleted = (some: readonly Expired[]) => deleted.push(...some)
    await removeExpired(at(days), onDeleted, never)
    for (const job of purges.splice(0)) await purgeMedia({ db, media: store }, job)
    return deleted.map(({ what, session }) => [what, session])
  }
  const ledger = async () => {
    const { rows } = await db.execute(sql`select session_id, what, by from deletions order by deleted_at, session_id`)
    return rows
  }
  return { db, user: await addUser(), addUser, at, tick, ledger }
}

async function namesOf(expired: AsyncIterable<Expired[]>) {
  const names: string[][] = []
  for await (const batch of expired) names.push(...batch.map(({ what, session }) => [what, session]))
  return names
}

const after = (days: number) => new Date(clock.now().getTime() + days * DAY_MS).toISOString()

describe('a recording that is older than its retention', () => {
  test('is deleted from the folder, with transcript and summary kept, and with what its user would see after deleting it', async () => {
    const { db, user, tick, ledger } = await newServer(MONTH)
    const { id, key } = await user.recorded()
    await record(user, id, 'video', Buffer.from('picture'))
    await recount(db, user.id)
    const before = (await user.get(`/v1/sessions/${id}`)).body
    const folder = join(testMediaFolder(), user.id)
    expect(existsSync(join(testMediaFolder(), key))).toBe(true)
    expect(await tick(30)).toEqual([])
    expect(await tick(31)).toEqual([['recording', id]])
    expect(existsSync(folder) ? readdirSync(folder) : []).toEqual([])
    const deletedAt = after(31)
    expect((await user.get(`/v1/sessions/${id}`)).body).toEqual({
      ...before,
      audio_deleted_at: deletedAt,
      updated_at: deletedAt
    })
    expect((await user.get(`/v1/sessions/${id}/media`)).body).toMatchObject({
      audio_url: null,
      video_url: null,
      audio_deleted_at: deletedAt
    })
    const { transcript, segments } = (await user.get(`/v1/sessions/${id}/transcript`)).body
    expect(transcript).toContain('weekly review')
    const changed = await user.get(`/v1/sessions?order=updated&updated_since=${after(31)}`)
    expect(changed.body.sessions.map((row: { id: string }) => row.id)).toEqual([id])
    expect(await user.feed()).toEqual([['session.completed', id]])
    expect(await ledger()).toEqual([{ session_id: id, what: 'recording', by: 'retention' }])
    expect((await user.get('/v1/account')).body.quotas.bytes_stored.used).toBe(JSON.stringify(segments).length)
    expect(await tick(37)).toEqual([])
  })

  test('is deleted from the bucket', async () => {
    const s3 = await startS3()
    const credentials = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' }
    const store = s3Media({ bucket: BUCKET, prefix: '', region: 'us-east-1', endpoint: s3.endpoint, credentials })
    const { user, tick } = await newServer(MONTH, store)
    const [old, kept] = [await user.recorded(), await user.recorded()]
    await user.patch(`/v1/sessions/${kept.id}`, { keep: true })
    expect(s3.keys()).toHaveLength(2)
    expect(await tick(31)).toEqual([['recording', old.id]])
    expect(s3.keys()).toEqual([kept.key])
    store.close()
  })

  test('on another server is forgotten, and a session without a recording never had one deleted', async () => {
    const { user, tick } = await newServer(MONTH)
    const linked = await user.session({ media: { audio: 'https://media.example/talk.mp3' } })
    const silent = await user.session()
    expect(await tick(31)).toEqual([['recording', linked]])
    expect((await user.get(`/v1/sessions/${linked}/media`)).body.audio_url).toBeNull()
    expect((await user.get(`/v1/sessions/${silent}`)).body.audio_deleted_at).toBeNull()
  })

  test('counts from its arrival, not from the time of the conversation', async () => {
    const { user, tick } = await newServer({ audio_days: 30, session_days: 60 })
    const id = await user.session({ timestamp: '2019-05-01T10:00:00Z' })
    await record(user, id, 'audio', Buffer.from('sound'))
    expect(await tick(29)).toEqual([])
    expect((await user.get(`/v1/sessions/${id}/media`)).body.audio_url).toEqual(expect.any(String))
    expect(await tick(31)).toEqual([['recording', id]])
  })
})

describe('a session that is older than its retention', () => {
  test('is deleted for good, from the trash too, with one event without content', async () => {
    const { db, user, tick, ledger } = await newServer({ audio_days: 10, session_days: 30 })
    const { id, key } = await user.recorded()
    const trashed = await user.session()
    await trash({ db }, user.id, trashed)
    expect(await tick(31)).toEqual(
      [
        ['session', id],
        ['session', trashed]
      ].sort((a, b) => (a[1]! < b[1]! ? -1 : 1))
    )
    expect(existsSync(join(testMediaFolder(), key))).toBe(false)
    for (const path of ['', '/transcript', '/media'])
      expect((await user.get(`/v1/sessions/${id}${path}`)).status).toBe(404)
    expect((await user.feed()).at(-1)).toEqual(['session.deleted', id])
    expect((await user.get('/v1/sessions?status=all')).body.sessions).toEqual([])
    expect((await user.get('/v1/account')).body.session_count).toBe(0)
    expect((await ledger()).map(({ what, by }) => [what, by])).toEqual([
      ['session', 'retention'],
      ['session', 'retention']
    ])
    const { rows } = await db.execute(sql`select from transcripts where user_id = ${user.id}`)
    expect(rows).toEqual([])
  })

  test.each(['processing', 'failed'])('stays with its recording while it is %s, in the trash too', async state => {
    const { db, user, tick } = await newServer({ audio_days: 10, session_days: 30 })
    const [id, trashed] = [await acceptSession(user.id, {}, db), await acceptSession(user.id, {}, db)]
    for (const one of [id, trashed]) await record(user, one, 'audio', Buffer.from('sound'))
    await db.execute(sql`update sessions set state = ${state} where user_id = ${user.id}`)
    await trash({ db }, user.id, trashed)
    expect(await tick(400)).toEqual([])
    expect((await user.get(`/v1/sessions/${id}/media`)).body.audio_url).toEqual(expect.any(String))
    await db.execute(sql`update sessions set state = 'completed' where session_id = ${id}`)
    expect(await tick(401)).toEqual([['session', id]])
  })
})

describe('what is kept', () => {
  test('is a session with `keep`, with its recording, until it is taken back', async () => {
    const { user, tick } = await newServer({ audio_days: 10, session_days: 30 })
    const { id } = await user.recorded()
    const path = `/v1/sessions/${id}`
    expect((await user.get(path)).body).not.toHaveProperty('keep')
    expect((await user.patch(path, { keep: true })).body.updated_fields).toEqual(['keep'])
    expect((await user.patch(path, { keep: true })).body.updated_fields).toEqual([])
    expect((await user.get(path)).body.keep).toBe(true)
    expect((await user.feed()).at(-1)).toEqual(['session.updated', id])
    expect(await tick(400)).toEqual([])
    await user.patch(path, { keep: false })
    expect((await user.get(path)).body).not.toHaveProperty('keep')
    expect(await tick(401)).toEqual([['session', id]])
  })

  test('is every session of a folder with `keep`, for as long as it is in it', async () => {
    const { user, tick } = await newServer(MONTH)
    const [{ id }, other] = [await user.recorded(), await user.recorded()]
    const folder = (await user.post('/v1/folders', { name: 'Clients' })).body
    expect(folder).not.toHaveProperty('keep')
    await user.post(`/v1/sessions/${id}/folders/${folder.id}`)
    expect((await user.patch(`/v1/folders/${folder.id}`, { keep: true })).body).toMatchObject({ keep: true })
    expect((await user.get('/v1/folders')).body.folders[0].keep).toBe(true)
    expect(await tick(400)).toEqual([['recording', other.id]])
    await user.delete(`/v1/sessions/${id}/folders/${folder.id}`)
    expect(await tick(401)).toEqual([['recording', id]])
  })

  test('is decided again when the session is locked', async () => {
    const { user, at } = await newServer(MONTH)
    const [one, other] = [await user.recorded(), await user.recorded()]
    const deleting = deleteExpired({
      ...at(31),
      db: {
        ...user.db,
        execute: user.db.execute.bind(user.db),
        // What was found is kept before it is deleted.
        transaction: async run => {
          await user.db.execute(sql`update sessions set keep = true where session_id = ${one.id}`)
          return await user.db.transaction(run)
        }
      } as typeof user.db
    })
    expect(await namesOf(deleting)).toEqual([['recording', other.id]])
  })
})

describe('the retention of a user', () => {
  test('is shorter than that of the server, and nobody else’s', async () => {
    const { user, addUser, tick } = await newServer(MONTH)
    const { id } = await user.recorded()
    const other = await addUser()
    const { id: others } = await other.recorded()
    const { status, body } = await user.change({ retention: { audio_days: 7 } })
    expect([status, body.retention]).toEqual([200, { audio_days: 7, session_days: null }])
    expect((await user.get('/v1/account')).body.retention).toEqual({ audio_days: 7, session_days: null })
    expect((await other.get('/v1/account')).body.retention).toEqual(MONTH)
    expect(await tick(8)).toEqual([['recording', id]])
    await user.change({ retention: { session_days: 20 } })
    expect((await user.get('/v1/account')).body.retention).toEqual({ audio_days: 7, session_days: 20 })
    expect(await tick(21)).toEqual([['session', id]])
    expect(await tick(31)).toEqual([['recording', others]])
    expect((await user.change({ retention: { audio_days: null } })).body.retention.audio_days).toBeNull()
    expect((await user.get('/v1/account')).body.retention).toEqual({ audio_days: 30, session_days: 20 })
  })

  test('is enough where the server keeps everything', async () => {
    const { user, addUser, tick } = await newServer(NO_RETENTION)
    const { id } = await user.recorded()
    await (await addUser()).recorded()
    await user.change({ retention: { audio_days: 365 } })
    expect(await tick(366)).toEqual([['recording', id]])
  })

  test.each([
    [
      31,
      'retention.audio_days: the server keeps for 30 days at most; send 1 to 30, or null for the period of the server'
    ],
    [0, 'retention.audio_days: send a whole number of days from 1 to 36500'],
    ['7', 'retention.audio_days: send a whole number of days from 1 to 36500']
  ])('is refused if it is %j', async (days, message) => {
    const { user } = await newServer(MONTH)
    const { status, body } = await user.change({ retention: { audio_days: days } })
    expect([status, body.error.code]).toEqual([400, 'invalid_request'])
    expect(body.error.message).toContain(message)
  })
})

describe('several runs', () => {
  test('at once delete each session once', async () => {
    const { user, at, ledger } = await newServer({ audio_days: 10, session_days: 30 })
    const ids = await Promise.all(Array.from({ length: 12 }, async () => (await user.recorded()).id))
    const runs = await Promise.all(Array.from({ length: 3 }, () => namesOf(deleteExpired(at(31)))))
    expect(
      runs
        .flat()
        .map(([, id]) => id!)
        .sort()
    ).toEqual([...ids].sort())
    const deleted = (await user.feed()).filter(([event]: [string]) => event === 'session.deleted')
    expect(deleted).toHaveLength(12)
    expect(await ledger()).toHaveLength(12)
  })

  test('find the same while nothing is deleted, each once, in any number', async () => {
    const { db, user, at, ledger } = await newServer({ audio_days: 30, session_days: null })
    const id = await user.session({ media: { audio: 'https://media.example/talk.mp3' } })
    const columns = (
      await db.execute<{ name: string }>(sql`
      select column_name as name from information_schema.columns
      where table_name = 'sessions' and column_name not in ('session_id', 'sort_at', 'external_id')`)
    ).rows
    const list = sql.raw(columns.map(({ name }) => `"${name}"`).join(', '))
    await db.execute(sql`
      insert into sessions (session_id, sort_at, ${list})
      select session_id || turn, sort_at + turn * interval '1 second', ${list}
      from sessions, generate_series(1, 499) turn where session_id = ${id}`)
    const found = await namesOf(findExpired(at(31)))
    expect(new Set(found.map(([, one]) => one))).toHaveProperty('size', 500)
    expect(found).toHaveLength(500)
    expect(await namesOf(findExpired(at(31)))).toEqual(found)
    expect(await namesOf(findExpired(at(30)))).toEqual([])
    expect(await ledger()).toEqual([])
  })

  test('pass over a session with an error, and throw it at the end', async () => {
    const { user, at } = await newServer(MONTH)
    const [one, other] = [await user.recorded(), await user.recorded()]
    const jobs: typeof NO_QUEUE = {
      ...NO_QUEUE,
      enqueue: async (_, __, data) => {
        if ('sessionId' in data && data.sessionId === one.id) throw new Error('The queue is broken')
      }
    }
    const names: string[][] = []
    const running = async () => {
      for await (const batch of deleteExpired({ ...at(31), jobs }))
        names.push(...batch.map(({ what, session }) => [what, session]))
    }
    await expect(running()).rejects.toThrow('The queue is broken')
    expect(names).toEqual([['recording', other.id]])
    expect((await user.get(`/v1/sessions/${one.id}`)).body.audio_deleted_at).toBeNull()
  })
})

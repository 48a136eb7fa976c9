// @module-tag postgres

import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { LONG, UNLIMITED } from '../faults/load.ts'
import { embeddedPlace } from '../support/embedded.ts'
import { makeSessions } from '../support/made-sessions.ts'
import {
  fileIn,
  freshDatabase,
  migratedDatabase,
  newOwner,
  onPostgres,
  type Place,
  rowsOf,
  run,
  runJson,
  type Serving,
  serve,
  start,
  temporaryFolder,
  until
} from '../support/process.ts'
import { sound } from '../support/sound.ts'

const SLOW = { timeout: LONG ? 3_600_000 : 600_000 }
/** FAULTS=long moves a large library. */
const MADE = LONG ? 10_000 : 20

const REFUSED =
  'The database is the target of a move that did not finish, so it has no data yet; repeat the move: npm run -s parlance -- move --to postgres://…\n'

/** A library with everything that can be in one: people, folders, recordings, a webhook, a share, a token in the middle of the feed. */
async function fill(place: Place, server: Serving, owner: Owner, sessions: number) {
  const folder = temporaryFolder()
  fileIn(folder, 'sound.mp3', sound('a sound'))
  const files = Array.from({ length: sessions }, (_, index) => {
    const segments = [
      { speaker: `Ada ${index % 3}`, start: 0, end: 2, text: `Said “so” in\tnumber ${index}: \\x5c {1,2} 🎙` }
    ]
    const document = { title: `Number ${index}`, tags: ['a, b', 'c"d'], segments, media: { audio: 'sound.mp3' } }
    return fileIn(folder, `${index}.json`, JSON.stringify(document))
  })
  const taken = await runJson(place, 'import', '--user', owner.id, '--folder', 'Clients', '--wait', ...files)
  const ids = taken.map(({ session_id }) => String(session_id))
  const post = (path: string, body: object, method = 'POST') => send(server, owner.token, path, body, method)
  await rowsOf(place, 'update users set email_verified_at = now()')
  await post('/v1/webhooks', { url: 'https://93.184.215.14/hook', events: ['session.failed'] })
  await post(`/v1/sessions/${ids[0]}/sharing/invites`, { emails: ['guest@example.test'] })
  await post(`/v1/sessions/${ids[1]}`, { title: 'Renamed' }, 'PATCH')
  await post('/v1/events/ack', { cursor: 2 })
  return ids
}

type Owner = Awaited<ReturnType<typeof newOwner>>

/** An embedded database with an owner who has many sessions, and its server. */
async function servedLibrary() {
  const from = await embeddedPlace(UNLIMITED)
  await runJson(from, 'migrate')
  const owner = await newOwner(from)
  await makeSessions(from, owner.id, MADE)
  return { from, owner, first: await serve(from) }
}

async function send({ url }: Serving, token: string, path: string, body: object, method = 'POST') {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', connection: 'close' }
  const reply = await fetch(`${url}${path}`, { method, headers, body: JSON.stringify(body) })
  const answer = await reply.text()
  expect(reply.ok, answer).toBe(true)
}

async function stop(server: Serving) {
  server.kill('SIGTERM')
  await server.ended
}

/** What the owner reads of all that they have. */
async function answersOf(server: Serving, token: string, ids: string[]) {
  const paths = [
    ...['sessions', 'account', 'people', 'folders', 'webhooks', 'events?cursor=0', 'action-items', 'stats'],
    ...ids.flatMap(id => [`sessions/${id}`, `sessions/${id}/transcript`, `sessions/${id}/sharing`])
  ]
  const answers = []
  for (const path of paths) answers.push({ path, ...(await server.get(`/v1/${path}`, token)) })
  // The links to recordings have the address of the server and a time.
  return JSON.stringify(answers).replaceAll(/http:[^"]*/g, '')
}

/** A server on the database that was moved. */
function movedTo(to: Place, dataDir: string) {
  const SECRET_KEY = readFileSync(join(dataDir, 'secret.key'), 'utf8').trim()
  return { environment: { ...to.environment, ...UNLIMITED, DATA_DIR: dataDir, SECRET_KEY }, url: to.url, dataDir }
}

describe.runIf(onPostgres)('move', () => {
  test(
    'copies everything to PostgreSQL, where tokens, the feed and recordings go on, and leaves the source as it was',
    SLOW,
    async () => {
      const { from, owner, first } = await servedLibrary()
      const ids = await fill(from, first, owner, 4)
      const other = await newOwner(from)
      const before = await answersOf(first, owner.token, ids)
      const pending = await first.get('/v1/events', owner.token)
      await stop(first)

      const to = await freshDatabase()
      const dataDir = join(temporaryFolder(), 'data')
      const [done] = await runJson(from, 'move', '--to', to.url!, '--data-dir', dataDir)
      expect(done).toMatchObject({ recordings: 4, missing_recordings: 0, files: expect.any(Number) })
      const tables = done?.tables as { table: string; rows: number }[]
      const rowsIn = Object.fromEntries(tables.map(({ table, rows }) => [table, rows]))
      expect(rowsIn).toMatchObject({
        users: 2,
        tokens: 2,
        webhooks: 1,
        sessions: 4 + MADE,
        folders: 1,
        media: 4,
        share_invites: 1
      })
      expect(rowsIn['pgboss.job']).toBeGreaterThan(0)
      expect(rowsIn).not.toHaveProperty('vector_indexes')

      const place = movedTo(to, dataDir)
      const second = await serve(place)
      expect(await second.get('/v1/events', owner.token)).toEqual(pending)
      expect(await answersOf(second, owner.token, ids)).toEqual(before)
      expect(await second.get('/v1/sessions', other.token)).toMatchObject({ status: 200, body: { sessions: [] } })
      await send(second, owner.token, `/v1/sessions/${ids[0]}`, { favorite: true }, 'PATCH')
      const { body } = await second.get('/v1/events?cursor=5', owner.token)
      expect(body).toMatchObject({ events: [{ seq: 6, event: 'session.updated' }] })
      const { body: media } = await second.get(`/v1/sessions/${ids[0]}/media`, owner.token)
      const { pathname, search } = new URL((media as { audio_url: string }).audio_url)
      expect((await fetch(`${second.url}${pathname}${search}`)).status).toBe(200)
      await stop(second)
      rmSync(dataDir, { recursive: true })

      const again = await serve(from)
      expect(await answersOf(again, owner.token, ids)).toEqual(before)
    }
  )

  test('makes the schema that a server makes', SLOW, async () => {
    const from = await embeddedPlace()
    await stop(await serve(from))
    const to = await freshDatabase()
    await runJson(from, 'move', '--to', to.url!)
    const schema = `
      select conrelid::regclass::text as of, conname as name, pg_get_constraintdef(oid) as definition from pg_constraint
      where connamespace in ('public'::regnamespace, 'pgboss'::regnamespace) and contype <> 'n'
      union all select schemaname || '.' || tablename, indexname, indexdef from pg_indexes where schemaname in ('public', 'pgboss')
      union all select nspname, '', '' from pg_namespace where nspname !~ '^pg_' order by 1, 2, 3`
    const served = await freshDatabase()
    await stop(await serve(served))
    expect(await rowsOf(to, schema)).toEqual(await rowsOf(served, schema))
  })

  test(
    'killed in the middle leaves the source whole and a target that everything refuses until it is done again',
    SLOW,
    async () => {
      const { from, owner, first } = await servedLibrary()
      const ids = await fill(from, first, owner, 3)
      const before = await answersOf(first, owner.token, ids)
      await stop(first)
      const to = await freshDatabase()
      const marked = () => rowsOf(to, "select to_regclass('parlance_move.unfinished') is not null as yes")
      for (let kill = 0; kill < 4; kill++) {
        const moving = start(from.environment, ['move', '--to', to.url!])
        await until('the target is marked', async () => (await marked())[0]?.yes)
        await wait(kill * 250)
        moving.kill('SIGKILL')
        const { signal } = await moving.ended
        // It was faster than the last kill.
        if (signal === null) break
        expect(await run(to, 'user', 'list')).toMatchObject({ code: 1, stderr: REFUSED })
      }
      if ((await marked())[0]?.yes) {
        const refused = await run(to, 'serve')
        expect(refused.code).toBe(1)
        expect(refused.stdout + refused.stderr).toContain('a move that did not finish')
        expect((await run(to, 'doctor')).stdout).toContain('a move that did not finish')
        const source = await serve(from)
        expect(await answersOf(source, owner.token, ids)).toEqual(before)
        await stop(source)
        await runJson(from, 'move', '--to', to.url!)
      }
      const second = await serve(movedTo(to, from.dataDir))
      expect(await answersOf(second, owner.token, ids)).toEqual(before)
    }
  )

  test(
    'refuses a running server, a database that is not empty, and settings that name another source',
    SLOW,
    async () => {
      const from = await embeddedPlace()
      const server = await serve(from)
      const to = await freshDatabase()
      const refusal = async (place: { environment: object }, ...words: string[]) => {
        const { code, stderr } = await run({ environment: { ...place.environment } }, 'move', ...words)
        expect(code).toBeGreaterThan(0)
        return stderr
      }
      expect(await refusal(from, '--to', to.url!)).toBe(
        `Another process has the database in ${from.dataDir} open; stop the server, then try again\n`
      )
      expect(await rowsOf(to, "select from pg_namespace where nspname = 'parlance_move'")).toEqual([])
      await stop(server)
      const used = await migratedDatabase()
      expect(await refusal(from, '--to', used.url!)).toMatch(
        /^--to: the database is not empty, it has \w+\.\w+; name an empty database\n$/
      )
      expect(await refusal(from, '--to', 'https://example.com')).toContain('a URL such as postgres://')
      expect(await refusal(from, '--to', to.url!, '--data-dir', join(from.dataDir, 'new'))).toContain(
        'name a folder outside it'
      )
      expect(await refusal(to, '--to', to.url!)).toContain('DATABASE_URL is set; unset it')
      expect(await refusal({ environment: { DATA_DIR: temporaryFolder() } }, '--to', to.url!)).toContain(
        'There is no database in'
      )
      // A refusal has marked nothing.
      await runJson(from, 'move', '--to', to.url!)
    }
  )
})

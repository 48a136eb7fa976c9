import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { addressOf } from '../../src/compose.ts'
import { drizzle, migrate } from '../../src/db/drizzle.ts'
import { migrateDatabase } from '../../src/db/migrate.ts'
import { freshDatabase, openPlace, temporaryFolder } from '../support/process.ts'

/** The migrations up to that one, as an older version had them. */
function migrationsUntil(tag: string) {
  const folder = temporaryFolder()
  cpSync('migrations', folder, { recursive: true })
  const path = join(folder, 'meta/_journal.json')
  const journal = JSON.parse(readFileSync(path, 'utf8'))
  const last = journal.entries.findIndex((entry: { tag: string }) => entry.tag === tag)
  writeFileSync(path, JSON.stringify({ ...journal, entries: journal.entries.slice(0, last + 1) }))
  return folder
}

const SESSION = `insert into sessions (user_id, session_id, state, title, sort_at, duration_seconds, type, platform, tags, created_at, updated_at)
  values ('u', 'done', 'completed', 'Done', '2026-03-01T23:30:00.000001Z', 60.1, 'meeting', null, '{a,b}', now(), now()),
    ('u', 'also', 'completed', 'Also', '2026-03-01T01:00:00Z', 0.2, 'meeting', null, '{a,a}', now(), now()),
    ('u', 'open', 'processing', 'Open', '2026-03-01T02:00:00Z', 5, 'phone', 'twilio', '{b}', now(), now())`

test('an upgrade of the first version fills tags, memberships, days and counts from the existing sessions', async () => {
  const place = await freshDatabase()
  const opened = await openPlace(place)
  await opened.pool.query('create extension if not exists vector')
  await migrate(drizzle({ client: opened.pool }), { migrationsFolder: migrationsUntil('0000_initial') })
  await opened.pool.query("insert into users (user_id, created_at) values ('u', now())")
  await opened.pool.query(SESSION)
  await opened.pool.query(
    "insert into folders (user_id, folder_id, name, name_key) values ('u', 'f', 'F', 'f'), ('u', 'g', 'G', 'g')"
  )
  await opened.pool.query("insert into folder_sessions values ('u', 'done', 'f'), ('u', 'open', 'f')")

  await migrateDatabase(addressOf(opened, place.url))

  const rows = async (query: string) => (await opened.pool.query({ text: query, rowMode: 'array' })).rows
  expect(await rows('select session_id, tag, type from session_tags order by 1, 2')).toEqual([
    ['also', 'a', 'meeting'],
    ['done', 'a', 'meeting'],
    ['done', 'b', 'meeting'],
    ['open', 'b', 'phone']
  ])
  const places =
    'select m.session_id, m.type, m.sort_at = s.sort_at from folder_sessions m join sessions s using (user_id, session_id) order by 1'
  expect(await rows(places)).toEqual([
    ['done', 'meeting', true],
    ['open', 'phone', true]
  ])
  expect(await rows('select folder_id, session_count from folders order by 1')).toEqual([
    ['f', 1],
    ['g', 0]
  ])
  expect(await rows('select day::text, type, platform, sessions, seconds::float8 from session_days')).toEqual([
    ['2026-03-01', 'meeting', 'unknown', 2, 60.3]
  ])
})

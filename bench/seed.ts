import type pg from 'pg'
import { databaseUrl, findLabel, labelDatabase, recreateDatabase, withClient } from './database.ts'
import { addSearchable } from './search-seed.ts'
import { addMemberships, digestOf, idOf, markIndexed, prepareSeeding, prose, sessionsOf } from './seed-sessions.ts'
import { addAsks, createAsks } from './seed-tokens.ts'
import { ROOT, startProduct } from './server.ts'

const DATABASE = 'parlance_bench'

/** One owner with 100,000 sessions and a thousand with 200 each, for reads; a few for polls, some for writes, one with 50 long sessions, and one for searches. */
const LARGE = 100_000
const OTHERS = 1_000
const EACH = 200
const READERS = 10_000
const POLLERS = { owners: 50, sessions: 20 }
const WRITERS = { owners: 100, sessions: 20 }
/** The owner for searches, and the number of their passages. */
const [SEARCHERS, SEARCHED] = ['usr_search', 1_000]

/** The events of each polling owner; a page is fifty of them. */
export const EVENTS = 60

interface Seeding {
  again: boolean
  name?: string
  /** The working tree whose server makes the tables. Default: this one. */
  root?: string
}

/** Seeds the database unless it is there already. Returns its address. */
export async function seedDatabase({ again, name = DATABASE, root = ROOT }: Seeding) {
  const url = databaseUrl(name)
  const programs = ['seed-tokens.ts', 'search-seed.ts'].map(file => new URL(file, import.meta.url).href)
  const digest = digestOf([import.meta.url, ...programs], root)
  if (!again && (await findLabel(name)) === digest) return url
  const startedAt = Date.now()
  console.log(
    `Seeding ${name}: ${(LARGE + OTHERS * EACH).toLocaleString('en')} sessions, ${READERS.toLocaleString('en')} tokens …`
  )
  await recreateDatabase(name)
  // A server creates the tables when it starts.
  await (await startProduct({ DATABASE_URL: url }, { root })).stop()
  await withClient(url, fill)
  await labelDatabase(name, digest)
  console.log(`Seeded in ${Math.round((Date.now() - startedAt) / 1_000)} s`)
  return url
}

/** Removes the rows of a run that writes, so that the next run starts from the same state. */
export async function removeWrites(url: string) {
  await withClient(url, async client => {
    await client.query(`delete from events where user_id like 'usr_write%'`)
    await client.query('vacuum sessions, events, user_counters')
  })
}

async function fill(client: pg.Client) {
  await prepareSeeding(client)
  await client.query(USERS, [OTHERS])
  await client.query(
    sessionsOf(`
      select ${idOf('usr', 'owner')} as user_id, n, '2025-01-01'::timestamptz + case when n < $1 then n else (n - $1) / $2 * 500 end
        * interval '5 minutes' + (n * 6967 % 240000) * interval '1 millisecond' as at
      from (select n, case when n < $1 then 0 else 1 + (n - $1) % $2 end as owner from generate_series(0, $1::int + $2::int * $3::int - 1) n) o`),
    [LARGE, OTHERS, EACH]
  )
  await addOwners(client, 'usr_poll', POLLERS)
  await addOwners(client, 'usr_write', WRITERS)
  await addMemberships(client, 'usr_%')
  await client.query(TRANSCRIPTS, [prose()])
  await client.query(FEED, [EVENTS / POLLERS.sessions])
  await client.query(`update user_counters set last_seq = $1::int where user_id like 'usr_poll%'`, [EVENTS])
  await client.query(LONG_OWNER, [prose()])
  await markIndexed(client, 'usr_%')
  await addSearchable(client, SEARCHERS, SEARCHED)
  await createAsks(client)
  await addAsks(client, 'readers', READER_ASKS, [READERS, OTHERS, LARGE, EACH])
  const some = (users: string) =>
    `select user_id, session_id from sessions where user_id like '${users}%' order by md5(session_id || user_id)`
  await addAsks(client, 'pollers', some('usr_poll'))
  await addAsks(client, 'writers', some('usr_write'))
  await addAsks(client, 'exports', `${some('usr_long')} limit 1`)
  await addAsks(client, 'searchers', `${some(SEARCHERS)} limit 1`)
  // The polling owners have read everything so far.
  await client.query(
    `insert into token_cursors (user_id, token_id, seq) select user_id, token_id, $1::int from bench.asks where kind = 'pollers'`,
    [EVENTS]
  )
  // Leaves out empty tables: Postgres would plan to read all of a table that it knows as empty, even once it has grown.
  await client.query(
    `vacuum (analyze) users, sessions, session_tags, session_days, session_people, people, folders, folder_sessions, transcripts, events,
     token_cursors, tokens, token_owners, user_counters, search_terms, passages, embeddings, search_documents, search_totals, bench.asks`
  )
}

const USERS = `
  insert into users (user_id, name, email, email_verified_at, time_zone, created_at)
  select ${idOf('usr', 'n')}, 'User ' || n, 'user' || n || '@example.com', now(), 'Europe/Berlin', '2024-01-01'
  from generate_series(0, $1::int) n`

async function addOwners(client: pg.Client, name: string, { owners, sessions }: { owners: number; sessions: number }) {
  await client.query(
    `insert into users (user_id, name, time_zone, created_at) select $1::text || n, $1::text || n, 'UTC', '2024-01-01' from generate_series(0, $2::int - 1) n`,
    [name, owners]
  )
  await client.query(
    sessionsOf(
      `select $1::text || n % $2::int as user_id, n, '2026-01-01'::timestamptz + n * interval '5 minutes' as at from generate_series(0, $3::int - 1) n`
    ),
    [name, owners, owners * sessions]
  )
}

/** Builds turns of a conversation, one every four seconds, from the prose $1; `n` decides where they begin. */
const turns = (count: number) => `(
  select jsonb_agg(jsonb_build_object('speaker', 'Speaker ' || i % 3, 'start', i * 4, 'end', i * 4 + 4,
    'text', substr($1, 1 + (n * 997 + i * 71) % 16000, 66)) order by i) from generate_series(0, ${count - 1}) i)`

/** Adds transcripts of about half an hour. */
const TRANSCRIPTS = `
  with said as materialized (select n, ${turns(400)} as segments from generate_series(0, 19) n)
  insert into transcripts (user_id, session_id, segments, speakers)
  select user_id, session_id, segments, '[]' from sessions join said on n = abs(hashtext(session_id)) % 20 where user_id like 'usr_poll%'`

/** Adds $1 events of each session of the polling owners. They never get old enough to be removed. */
const FEED = `
  insert into events (user_id, seq, event_id, type, session_id, created_at, body)
  select user_id, seq, id, 'session.updated', session_id, now() + interval '10 years', '{"id":"' || id
    || '","event":"session.updated","created_at":"2026-01-01T00:00:00.000Z","data":{"session":' || session || '}}'
  from (
    select user_id, session_id, row_number() over (partition by user_id order by sort_at) as seq, 'evt_01' || substr(md5(session_id || e), 1, 24) as id,
      jsonb_build_object('id', session_id, 'title', title, 'timestamp', "timestamp", 'duration_seconds', duration_seconds, 'type', type,
        'platform', platform, 'audio_deleted_at', audio_deleted_at, 'language', language, 'summary', summary, 'notes', notes, 'tags', tags,
        'favorite', favorite, 'folder_ids', array['fld_large'], 'action_items', action_items, 'action_items_version', 1)::text as session
    from sessions, generate_series(1, $1::int) e where user_id like 'usr_poll%'
  ) happened`

/** Adds fifty conversations of three hours, for exports. */
const LONG_OWNER = `
  with owner as (
    insert into users (user_id, name, time_zone, created_at) values ('usr_long', 'Long', 'UTC', '2024-01-01') returning user_id
  ), made as (
    insert into sessions (user_id, session_id, state, title, sort_at, duration_seconds, type, summary, created_at, updated_at)
    select user_id, 'ses_long' || n, 'completed', 'Long ' || n, '2026-01-01'::timestamptz + n * interval '1 day', 10800, 'meeting',
      substr($1, 1, 4000), now(), now()
    from owner, generate_series(1, 50) n returning user_id, session_id
  ), said as materialized (select n, ${turns(2_700)} as segments from (values (0)) as one(n))
  insert into transcripts (user_id, session_id, segments, speakers) select user_id, session_id, segments, '[]' from made, said`

/** Every other token belongs to the large owner. Each request is for a session of the token's owner. */
const READER_ASKS = `
  select ${idOf('usr', 'owner')}, ${idOf('ses', 'session')}
  from (
    select n, case when n % 2 = 0 then 0 else 1 + n / 2 % $2::int end as owner,
      case when n % 2 = 0 then n / 2 * 7919 % $3::int else $3::int + n / 2 % $2::int + n % $4::int * $2::int end as session
    from generate_series(0, $1::int - 1) n
  ) asked order by n`

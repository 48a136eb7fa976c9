import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import type pg from 'pg'
import { hashToken, makeToken } from '../src/accounts/token.ts'
import { migrateDatabase } from '../src/db/migrate.ts'
import { databaseUrl, findLabel, labelDatabase, recreateDatabase, withClient } from './database.ts'

const DATABASE = 'parlance_bench'

/** One owner with 100,000 sessions, a thousand with 200 each, one with the newest 1,000 of the first, one with 50 long ones. */
const LARGE = 100_000
const SMALL = 1_000
const OTHERS = 1_000
const EACH = 200
const TOKENS = 10_000

/** What one request of a run asks: with whose token, and for which of their sessions. */
export interface Ask {
  token: string
  userId: string
  sessionId: string
}

/** Brings the seeded database about, unless it is there already. Returns its address. */
export async function seedDatabase(again: boolean) {
  const url = databaseUrl(DATABASE)
  const digest = seedDigest()
  if (!again && (await findLabel(DATABASE)) === digest) return url
  const startedAt = Date.now()
  console.log(`Seeding ${DATABASE}: ${(LARGE + OTHERS * EACH).toLocaleString('en')} sessions, ${TOKENS.toLocaleString('en')} tokens …`)
  await recreateDatabase(DATABASE)
  await migrateDatabase({ connectionString: url })
  await withClient(url, fill)
  await labelDatabase(DATABASE, digest)
  console.log(`Seeded in ${Math.round((Date.now() - startedAt) / 1_000)} s`)
  return url
}

export async function readAsks(url: string): Promise<Ask[]> {
  return await withClient(url, async client => {
    const { rows } = await client.query(`${ASKS} where n < $1 order by n`, [TOKENS])
    return rows
  })
}

/** A request of that owner. */
export async function readAskOf(url: string, owner: 'usr_small' | 'usr_long'): Promise<Ask> {
  return await withClient(url, async client => {
    const { rows } = await client.query(`${ASKS} where n >= $1 and user_id = $2`, [TOKENS, owner])
    return rows[0]
  })
}

const ASKS = 'select token, user_id as "userId", session_id as "sessionId" from bench.asks'

/** Changes with the program below and with the schema. */
function seedDigest() {
  const folder = new URL('../migrations/', import.meta.url)
  const migrations = readdirSync(folder).filter(name => name.endsWith('.sql'))
  const sources = [new URL(import.meta.url), ...migrations.sort().map(name => new URL(name, folder))]
  const digest = createHash('sha256')
  for (const source of sources) digest.update(readFileSync(source))
  return digest.digest('hex')
}

async function fill(client: pg.Client) {
  await client.query('set synchronous_commit = off')
  await client.query(USERS, [OTHERS])
  await client.query(SESSIONS, [LARGE, OTHERS, EACH, prose()])
  await client.query(`insert into user_counters (user_id, session_count)
    select user_id, count(*) filter (where state = 'completed') from sessions group by user_id`)
  await client.query(SMALL_OWNER, [SMALL])
  await client.query(LONG_OWNER, [prose()])
  for (const statement of LIBRARY) await client.query(statement)
  await client.query('create schema bench')
  await client.query('create table bench.asks (n int primary key, token text not null, user_id text not null, session_id text not null)')
  for (let from = 0; from < TOKENS; from += 1_000) await addTokens(client, from, 1_000)
  await addToken(client, TOKENS, 'usr_small')
  await addToken(client, TOKENS + 1, 'usr_long')
  // Not the empty tables: of one that is known to be empty Postgres plans to read all, also once it has grown.
  await client.query(
    'vacuum (analyze) users, sessions, session_tags, session_days, folders, folder_sessions, tokens, token_owners, user_counters, bench.asks'
  )
}

/** Digits of base 16 are digits of base 32 too; the number in front makes ids sort by creation. */
const ID = (prefix: string, n: string) => `'${prefix}_01' || substr(lpad(to_hex(${n}), 8, '0') || md5('${prefix}' || ${n}), 1, 24)`

const USERS = `
  insert into users (user_id, name, email, email_verified_at, time_zone, created_at)
  select ${ID('usr', 'n')}, 'User ' || n, 'user' || n || '@example.com', now(), 'Europe/Berlin', '2024-01-01'
  from generate_series(0, $1::int) n`

/** $1 sessions of owner 0, then $3 for each of $2 others; each owner's own are at least a minute apart. */
const SESSIONS = `
  insert into sessions (user_id, session_id, state, external_id, title, "timestamp", sort_at, duration_seconds, type, platform, language,
    summary, notes, tags, favorite, action_items, action_items_version, action_items_updated_at, phone, audio_deleted_at, created_at,
    updated_at)
  select ${ID('usr', 'owner')}, ${ID('ses', 'n')}, case when n % 100 = 7 then 'processing' else 'completed' end,
    case when n % 2 = 0 then 'zoom-' || n end,
    (array['Weekly review', 'Call with the supplier', 'Design critique', 'Interview', 'Planning for the quarter'])[1 + n % 5] || ' ' || n,
    at, at, 60 + n % 7200, type,
    case type when 'meeting' then (array['zoom', 'google_meet', 'teams'])[1 + n % 3] when 'phone' then 'twilio'
      when 'youtube' then 'youtube' when 'desktop' then 'macos' end,
    'en', E'## Summary\\n\\n' || substr($4, 1 + (n * 6967 % 15000), 1180),
    case when n % 4 = 0 then substr($4, 1 + (n * 5003 % 15000), 200) end,
    (array['customer', 'hiring', 'roadmap', 'finance', 'legal'])[1 + n % 5 : 1 + n % 5 + n % 3], n % 20 = 0,
    (select jsonb_agg(jsonb_build_object('id', ${ID('ai', '(n * 5 + i)')}, 'text', substr($4, 1 + ((n + i) * 6961 % 15000), 60),
      'completed', i = 1, 'source', 'agent', 'assignee', (array['Ada', 'Grace', null])[1 + i % 3], 'due_date', (at::date + i)::text,
      'source_start', i * 31.5, 'user_edited_at', null, 'created_at', 1772445600000 + n, 'updated_at', 1772445600000 + n) order by i)
      from generate_series(1, 5) i),
    1, at, case when type = 'phone' then jsonb_build_object('direction', 'inbound', 'to_number', '+4930' || (1000000 + n),
      'from_number', null, 'status', 'completed', 'ongoing', false, 'provider', 'twilio', 'contact_name', null) end,
    case when n % 10 = 3 then at + interval '30 days' end, at, at
  from (
    select n, case when n < $1 then 0 else 1 + (n - $1) % $2 end as owner,
      (array['meeting', 'recording', 'phone', 'desktop', 'import', 'youtube', 'podcast'])[1 + (n / 3) % 7] as type,
      '2025-01-01'::timestamptz + case when n < $1 then n else (n - $1) / $2 * 500 end * interval '5 minutes'
        + (n * 6967 % 240000) * interval '1 millisecond' as at
    from generate_series(0, $1::int + $2::int * $3::int - 1) n
  ) made`

const SMALL_OWNER = `
  with owner as (
    insert into users (user_id, name, time_zone, created_at) values ('usr_small', 'Small', 'UTC', '2024-01-01') returning user_id
  )
  insert into sessions (user_id, session_id, state, title, "timestamp", sort_at, duration_seconds, type, platform, language, summary, notes,
    tags, favorite, action_items, action_items_version, action_items_updated_at, phone, audio_deleted_at, created_at, updated_at)
  select owner.user_id, session_id, state, title, "timestamp", sort_at, duration_seconds, type, platform, language, summary, notes,
    tags, favorite, action_items, action_items_version, action_items_updated_at, phone, audio_deleted_at, s.created_at, updated_at
  from owner, sessions s where s.user_id = ${ID('usr', '0')} order by sort_at desc limit $1`

/** Fifty conversations of three hours, for exports: a turn every four seconds. */
const LONG_OWNER = `
  with owner as (
    insert into users (user_id, name, time_zone, created_at) values ('usr_long', 'Long', 'UTC', '2024-01-01') returning user_id
  ), made as (
    insert into sessions (user_id, session_id, state, title, sort_at, duration_seconds, type, summary, created_at, updated_at)
    select user_id, 'ses_long' || n, 'completed', 'Long ' || n, '2026-01-01'::timestamptz + n * interval '1 day', 10800, 'meeting',
      substr($1, 1, 4000), now(), now()
    from owner, generate_series(1, 50) n returning user_id, session_id
  )
  insert into transcripts (user_id, session_id, segments, speakers)
  select user_id, session_id, (
    select jsonb_agg(jsonb_build_object('speaker', 'Speaker ' || i % 3, 'start', i * 4, 'end', i * 4 + 4,
      'text', substr($1, 1 + i * 71 % 16000, 66)) order by i) from generate_series(0, 2699) i
  ), '[]' from made`

/** What the writing transactions keep: tags and folders in order, a large folder and a small one, and the days. */
const LIBRARY = [
  'insert into session_tags select user_id, session_id, unnest(tags), sort_at, type from sessions',
  `insert into folders (user_id, folder_id, name, name_key)
   select user_id, folder_id, folder, lower(folder) from users, (values ('fld_large', 'Clients'), ('fld_small', 'Board')) as f(folder_id, folder)
   where user_id in ('usr_small', ${ID('usr', '0')})`,
  `insert into folder_sessions (user_id, session_id, folder_id, sort_at, type)
   select user_id, session_id, folder_id, sort_at, type from sessions
   join (values ('fld_large', 4), ('fld_small', 200)) as f(folder_id, every) on abs(hashtext(session_id)) % every = 0
   where user_id in ('usr_small', ${ID('usr', '0')})`,
  `update folders f set session_count = (select count(*) from folder_sessions m where m.user_id = f.user_id and m.folder_id = f.folder_id)`,
  `insert into session_days
   select user_id, (sort_at at time zone 'UTC')::date, type, coalesce(platform, 'unknown'), count(*), sum(duration_seconds::numeric)
   from sessions where state = 'completed' group by 1, 2, 3, 4`
]

async function addToken(client: pg.Client, n: number, userId: string) {
  const token = makeToken()
  await client.query(
    `with issued as (
      insert into tokens (user_id, token_id, name, scopes, hint, created_at, expires_at)
      values ($1, 'tok_' || $1, 'bench', $2, left($3, 8), now(), now() + interval '10 years')
    ), owned as (
      insert into token_owners (hash, user_id, token_id) values ($4, $1, 'tok_' || $1)
    )
    insert into bench.asks (n, token, user_id, session_id)
    select $5, $3, user_id, session_id from sessions where user_id = $1 limit 1`,
    [userId, ['sessions:read', 'transcripts:read', 'events:read'], token, hashToken(token), n]
  )
}

/** Every other token is the large owner's. Its request is for some session of its owner. */
async function addTokens(client: pg.Client, from: number, count: number) {
  const made = Array.from({ length: count }, makeToken)
  await client.query(
    `with made as (
      select n, hash, token, case when n % 2 = 0 then 0 else 1 + n / 2 % $5::int end as owner,
        case when n % 2 = 0 then n / 2 * 7919 % $6::int else $6::int + n / 2 % $5::int + n % $7::int * $5::int end as session
      from unnest($1::int[], $2::bytea[], $3::text[]) as made(n, hash, token)
    ), named as (
      select n, hash, token, ${ID('usr', 'owner')} as user_id, ${ID('tok', 'n')} as token_id, ${ID('ses', 'session')} as session_id from made
    ), issued as (
      insert into tokens (user_id, token_id, name, scopes, hint, created_at, expires_at)
      select user_id, token_id, 'bench', $4::text[], left(token, 8), now(), now() + interval '10 years' from named
    ), owned as (
      insert into token_owners (hash, user_id, token_id) select hash, user_id, token_id from named
    )
    insert into bench.asks (n, token, user_id, session_id) select n, token, user_id, session_id from named`,
    [
      made.map((_, index) => from + index),
      made.map(hashToken),
      made,
      ['sessions:read', 'transcripts:read', 'events:read'],
      OTHERS,
      LARGE,
      EACH
    ]
  )
}

/** About 17,000 characters that compress as prose does; the same every time. */
function prose() {
  const words =
    'the team agreed to move launch date after review of open questions about price and support while customer asked for a clear plan'.split(
      ' '
    )
  let state = 1
  const next = (below: number) => {
    state = (state * 48_271) % 2_147_483_647
    return state % below
  }
  const sentence = () => {
    const text = Array.from({ length: 6 + next(12) }, () => words[next(words.length)]).join(' ')
    return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
  }
  return Array.from({ length: 250 }, sentence).join(' ')
}

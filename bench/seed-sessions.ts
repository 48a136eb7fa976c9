import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type pg from 'pg'
import { INDEX_VERSION } from '../src/features/library/index/write-terms.ts'
import { ROOT } from './server.ts'

/** The token and the session of one request. */
export interface Ask {
  token: string
  userId: string
  sessionId: string
}

/** Digits of base 16 are valid in base 32 too. The leading number makes ids sort by creation. */
export const idOf = (prefix: string, n: string) =>
  `'${prefix}_01' || substr(lpad(to_hex(${n}), 8, '0') || md5('${prefix}' || ${n}), 1, 24)`

/** Texts are cut once and shared, because cutting them for each session would take most of the time. A prime gives every owner all kinds. */
const PIECES = 997

/** Prepares a connection for seeding: commits need not reach the disk one by one, and consistent rows need no check of their keys. */
export async function prepareSeeding(client: pg.Client) {
  await client.query('set synchronous_commit = off')
  await client.query(`do $$ begin
      set session_replication_role = replica;
    exception when insufficient_privilege then null;
    end $$`)
  await client.query(PIECES_TABLE, [prose(), PIECES])
}

const PIECES_TABLE = `
  create temp table pieces as
  select n as piece, E'## Summary\\n\\n' || substr($1, 1 + (n * 6967 % 15000), 1180) as summary,
    case when n % 4 = 0 then substr($1, 1 + (n * 5003 % 15000), 200) end as notes,
    (select array_agg(jsonb_build_object('text', substr($1, 1 + ((n + i) * 6961 % 15000), 60), 'completed', i = 1, 'source', 'agent',
      'assignee', (array['Ada', 'Grace', null])[1 + i % 3], 'due_date', ('2026-01-01'::date + i)::text, 'source_start', i * 31.5,
      'user_edited_at', null) order by i) from generate_series(1, 5) i) as action_items
  from generate_series(0, $2::int - 1) n`

/** The items of a piece as those of session `n` at `at`. Their ids are in the order of time, as the server makes them. */
const ACTION_ITEMS = `(
  select jsonb_agg(item || jsonb_build_object('id', ${idOf('ai', '(n * 5 + i)')}, 'created_at', ms, 'updated_at', ms) order by i)
  from unnest(pieces.action_items) with ordinality as made(item, i), (select extract(epoch from at)::bigint * 1000 as ms) instant)`

/** Inserts sessions from a query of their owners, numbers and places: `user_id`, `n`, `at`. The number decides all other fields. None is of type `desktop`. */
export const sessionsOf = (made: string) => `
  insert into sessions (user_id, session_id, state, external_id, title, "timestamp", sort_at, duration_seconds, type, platform, language,
    summary, notes, tags, favorite, action_items, action_items_version, action_items_updated_at, phone, audio_deleted_at, created_at,
    updated_at)
  select user_id, ${idOf('ses', 'n')}, case when piece % 100 = 7 then 'failed' else 'completed' end,
    case when n % 2 = 0 then 'zoom-' || n end,
    (array['Weekly review', 'Call with the supplier', 'Design critique', 'Interview', 'Planning for the quarter'])[1 + n % 5] || ' ' || n,
    at, at, 60 + n % 7200, type,
    case type when 'meeting' then (array['zoom', 'google_meet', 'teams'])[1 + n % 3] when 'phone' then 'twilio'
      when 'youtube' then 'youtube' end,
    'en', summary, notes, (array['customer', 'hiring', 'roadmap', 'finance', 'legal'])[1 + piece % 5 : 1 + piece % 5 + piece % 3], n % 20 = 0,
    ${ACTION_ITEMS}, 1, at, case when type = 'phone' then jsonb_build_object('direction', 'inbound', 'to_number', '+4930' || (1000000 + n),
      'from_number', null, 'status', 'completed', 'ongoing', false, 'provider', 'twilio', 'contact_name', null) end,
    case when piece % 10 = 3 then at + interval '30 days' end, at, at
  from (
    select *, (array['meeting', 'recording', 'phone', 'meeting', 'import', 'youtube', 'podcast'])[1 + (n / 3) % 7] as type from (${made}) made
  ) typed join pieces on piece = n % ${PIECES}`

/**
 * Adds the rows that the server keeps beside sessions, for users whose ids are like $1: tags, days and counts. A folder and a person have every
 * fourth session; another folder and person have about fifteen in all.
 */
export async function addMemberships(client: pg.Client, users: string) {
  await client.query('drop table if exists ranked')
  await client.query(
    `create temp table ranked as
     select user_id, session_id, sort_at, type, row_number() over (partition by user_id order by sort_at desc) as rank,
       greatest(1, count(*) over (partition by user_id) / 15) as rare
     from sessions where user_id like $1 and state = 'completed'`,
    [users]
  )
  for (const statement of MEMBERSHIPS) await client.query(statement)
  await client.query(
    `insert into session_tags select user_id, session_id, unnest(tags), sort_at, type from sessions where user_id like $1`,
    [users]
  )
  await client.query(
    `insert into session_days
     select user_id, (sort_at at time zone 'UTC')::date, type, coalesce(platform, 'unknown'), count(*), sum(duration_seconds::numeric)
     from sessions where user_id like $1 and state = 'completed' group by 1, 2, 3, 4`,
    [users]
  )
}

const MEMBERSHIPS = [
  `insert into user_counters (user_id, session_count) select user_id, count(*) from ranked group by user_id`,
  `insert into folder_sessions (user_id, session_id, folder_id, sort_at, type)
   select user_id, session_id, 'fld_large', sort_at, type from ranked where rank % 4 = 0
   union all select user_id, session_id, 'fld_small', sort_at, type from ranked where rank % rare = 0`,
  `insert into folders (user_id, folder_id, name, name_key, session_count)
   select user_id, folder_id, name, lower(name), (
     select count(*) from folder_sessions m where m.user_id = u.user_id and m.folder_id = f.folder_id)
   from (select distinct user_id from ranked) u, (values ('fld_large', 'Clients'), ('fld_small', 'Board')) as f(folder_id, name)`,
  `insert into session_people (user_id, session_id, person_id, sort_at, type, talk_seconds, name_in_session, name_keys, matched_by, top_lines)
   select user_id, session_id, 'per_often', sort_at, type, 300, 'Ada', '{ada}'::text[], 'name', '{What do we decide?}'::text[] from ranked where rank % 4 = 1
   union all select user_id, session_id, 'per_rare', sort_at, type, 30, 'Grace', '{grace}'::text[], 'name', '{Not yet.}'::text[] from ranked where rank % rare = 0`,
  `insert into people (user_id, person_id, name, name_key, is_me, saved, recording_count, last_heard_at, created_at, updated_at)
   select user_id, person_id, name, lower(name), false, true, (
     select count(*) from session_people m where m.user_id = u.user_id and m.person_id = p.person_id), now(), now(), now()
   from (select distinct user_id from ranked) u, (values ('per_often', 'Ada'), ('per_rare', 'Grace')) as p(person_id, name)`
]

/** Marks the sessions as written by this version. Otherwise each starting server would index them while it is measured. */
export async function markIndexed(client: pg.Client, users: string) {
  for (const statement of [CHANGES, LAST_CHANGES, ITEMS]) await client.query(statement, [users])
  await client.query(
    `insert into search_documents (user_id, session_id, part, stemmer, version, passages, terms)
     select user_id, session_id, part, 'simple', $2, 0, '{}' from sessions cross join (values ('said'), ('title'), ('names'), ('about')) p(part) where user_id like $1`,
    [users, INDEX_VERSION]
  )
  await client.query('vacuum (analyze) search_documents, session_changes, action_items, user_counters')
}

const CHANGES = `
  insert into session_changes (user_id, session_id, position)
  select user_id, session_id, extract(epoch from updated_at) * 1000000 + row_number() over (partition by user_id order by updated_at, session_id)
  from sessions where user_id like $1 and state = 'completed'`

const LAST_CHANGES = `
  update user_counters c set change_position = (select coalesce(max(position), 0) from session_changes s where s.user_id = c.user_id)
  where user_id like $1`

const ITEMS = `
  insert into action_items (user_id, session_id, item_id, completed, due_on, assignee_key, updated_at)
  select user_id, session_id, item ->> 'id', (item ->> 'completed')::boolean, (item ->> 'due_date')::date, lower(item ->> 'assignee'),
    to_timestamp((item ->> 'updated_at')::numeric / 1000)
  from sessions, jsonb_array_elements(action_items) item where user_id like $1 and state = 'completed'`

/** Returns a digest of the named programs, this one, and the schema of a working tree. */
export function digestOf(programs: readonly string[], root = ROOT) {
  const sources = [...programs, import.meta.url].map(url => fileURLToPath(url))
  return digestFiles([...sources, ...migrationsOf(root)])
}

/** Returns a digest of the schema that the migrations of a working tree make. */
export function schemaOf(root: string) {
  return digestFiles(migrationsOf(root))
}

function migrationsOf(root: string) {
  const folder = join(root, 'migrations')
  const names = readdirSync(folder).filter(name => name.endsWith('.sql'))
  return names.sort().map(name => join(folder, name))
}

function digestFiles(paths: readonly string[]) {
  const digest = createHash('sha256')
  for (const path of paths) digest.update(readFileSync(path))
  return digest.digest('hex')
}

/** Returns about 17,000 characters that compress like prose, always the same. */
export function prose() {
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

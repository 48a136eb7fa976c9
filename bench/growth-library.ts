import type pg from 'pg'
import { idOf, prose, sessionsOf } from './seed-sessions.ts'

/** The webhook of an owner. It is paused, so that a server under measurement sends nothing. */
export const WEBHOOK = 'whk_paused'

export const friendOf = (owner: string) => `${owner}_friend`

/**
 * Adds what a library of `size` sessions has besides them: as many deleted sessions and attempts of a webhook, ten times as many events, a
 * tenth as many people and sessions that a friend shares, and a hundredth as many folders. One session of each has transcript and recording.
 */
export async function addLibrary(client: pg.Client, owner: string, size: number, newest: Date) {
  for (const statement of [TOMBSTONES, PEOPLE, FOLDERS, EVENTS, LAST_EVENT, ATTEMPTS]) {
    await client.query(statement, [owner, size])
  }
  await client.query(WEBHOOKS, [owner])
  await client.query(TERMS, [owner])
  await client.query(EXPORTS, [owner])
  await client.query(APPLICATIONS, [owner])
  await client.query(TEMPLATES, [owner])
  await addTranscript(client, owner)
  await client.query(SUMMARY_REQUESTS, [owner])
  await addShares(client, owner, Math.ceil(size / 10), newest)
}

/** Their positions come before those of all sessions: a sync from the beginning passes them first. */
const TOMBSTONES = `
  insert into session_changes (user_id, session_id, position, deleted_at)
  select $1, 'ses_00' || lpad(n::text, 8, '0'), 1600000000000000 + n, now() from generate_series(1, $2::int) n`

const PEOPLE = `
  insert into people (user_id, person_id, name, name_key, is_me, saved, recording_count, last_heard_at, merged_into, created_at, updated_at)
  select $1, ${idOf('per', 'n')}, 'Person ' || n, 'person ' || n, n = 1, n % 2 = 0, 1, '2024-01-01'::timestamptz + n * interval '1 minute',
    case when n between 2 and 4 then 'per_often' end, now(), now()
  from generate_series(1, $2::int / 10) n`

const FOLDERS = `
  insert into folders (user_id, folder_id, name, name_key, pinned, "order", created_at, updated_at)
  select $1, ${idOf('fld', 'n')}, 'Folder ' || n, 'folder ' || n, n % 50 = 0, case when n % 10 = 0 then n end, now(), now()
  from generate_series(1, $2::int / 100) n`

/** In the future, so that they never get old enough to be removed. */
const EVENTS = `
  insert into events (user_id, seq, event_id, type, session_id, created_at, body, end_bytes)
  select $1, n, id, 'session.updated', ${idOf('ses', '(n / 10)')}, now() + interval '10 years',
    '{"id":"' || id || '","event":"session.updated","created_at":"2026-01-01T00:00:00.000Z","data":{"session":{}}}', n
  from (select n, ${idOf('evt', 'n')} as id from generate_series(1, 10 * $2::int) n) made`

const LAST_EVENT = `update user_counters set last_seq = 10 * $2::int where user_id = $1`

/** A term that was applied to the whole library. */
export const TERM = 'trm_applied'

const TERMS = `
  insert into terms (user_id, term_id, heard, meant, created_at, updated_at) values ($1, '${TERM}', '{par lance}', 'Parlance', now(), now())`

/** An export of the whole library. */
export const EXPORT = 'exp_complete'

const EXPORTS = `
  insert into exports (user_id, export_id, status, format, parts, recordings, last_session, sessions_total, bytes, created_at, expires_at)
  values ($1, '${EXPORT}', 'completed', 'zip', '{transcripts}', false, '', 0, 1000, now(), now() + interval '10 years')`

const APPLICATIONS = `
  insert into term_applications (user_id, term_id, application_id, status, dry_run, heard, meant, position, last_session, sessions_total, started_at)
  values ($1, '${TERM}', 'apl_1', 'completed', false, '{par lance}', 'Parlance', '', '', 0, now())`

/** A summary template of a library. */
export const TEMPLATE = 'tpl_review'

const TEMPLATES = `
  insert into summary_templates (user_id, template_id, name, name_key, sections, created_at, updated_at)
  values ($1, '${TEMPLATE}', 'Review', 'review', '[{"heading": "Overview", "content": "", "part": "overview"}]', now(), now())`

const SUMMARY_REQUESTS = `
  insert into summary_requests (user_id, session_id, request_id, status, action_items, started_at)
  select $1, session_id, 'req_1', 'completed', 'merge', now() from transcripts where user_id = $1`

const WEBHOOKS = `
  insert into webhooks (user_id, webhook_id, url, events, active, secret, failure_count, created_at, updated_at)
  values ($1, '${WEBHOOK}', 'https://example.com/hook', '{session.updated}', false, '', 0, now(), now())`

/** Two types have none, and only one of the others has failed ones. */
const ATTEMPTS = `
  insert into webhook_attempts (user_id, webhook_id, seq, attempt, event_id, type, attempted_at, duration_ms, status, answer, ended)
  select $1, '${WEBHOOK}', n, 1, ${idOf('evt', 'n')}, (array['session.updated', 'session.completed', 'session.deleted'])[1 + n % 3], now(), 20,
    200, '', case when n % 300 = 0 then 'failed' else 'delivered' end from generate_series(1, $2::int) n`

const TRANSCRIPT = `
  insert into transcripts (user_id, session_id, segments, speakers)
  select user_id, session_id, (
    select jsonb_agg(jsonb_build_object('speaker', 'Speaker ' || i % 3, 'start', i * 4, 'end', i * 4 + 4,
      'text', substr($2, 1 + i * 71 % 16000, 66)) order by i) from generate_series(0, 399) i), '[]'
  from sessions where user_id = $1 and state = 'completed' order by sort_at limit 1`

const RECORDING = `
  insert into media (user_id, session_id, kind, key, content_type, bytes, created_at)
  select user_id, session_id, 'audio', session_id, 'audio/mpeg', 1000, now() from transcripts where user_id = $1`

async function addTranscript(client: pg.Client, owner: string) {
  await client.query(TRANSCRIPT, [owner, prose()])
  await client.query(RECORDING, [owner])
}

async function addShares(client: pg.Client, owner: string, size: number, newest: Date) {
  const friend = friendOf(owner)
  await client.query('delete from users where user_id = $1', [friend])
  await client.query(
    `insert into users (user_id, name, time_zone, created_at) values ($1, 'Friend', 'UTC', '2024-01-01')`,
    [friend]
  )
  await client.query(
    sessionsOf(
      `select $1::text as user_id, n, $2::timestamptz - n * interval '1 hour' as at from generate_series(1, $3::int) n`
    ),
    [friend, newest, size]
  )
  await addTranscript(client, friend)
  for (const [table, columns] of SHARED) {
    await client.query(
      `insert into ${table} select ${columns} from sessions s where user_id = $1 and $2::text is not null`,
      [friend, owner]
    )
  }
}

const SHARED = [
  ['session_shares (user_id, session_id)', 'user_id, session_id'],
  [
    'share_grants (user_id, session_id, recipient_id, sources, shared_at, active)',
    `user_id, session_id, $2, '{link}', sort_at, true`
  ],
  ['shared_with (recipient_id, session_id, owner_id, shared_at)', '$2, session_id, user_id, sort_at']
] as const

import type { ActionItem } from '../contract/action-item.ts'
import type { PhoneMetadata, SessionDetail, SessionListItem } from '../contract/session.ts'
import { folderKey } from '../core/fold.ts'
import type { Segment } from '../core/segment.ts'
import type { Reader } from '../db/open.ts'
import { listStatement } from './list-statement.ts'

export interface ListFilter {
  limit: number
  /** Exclusive. */
  before: string | undefined
  /** Inclusive. */
  since: string | undefined
  type: string | undefined
  folderId?: string | undefined
  personId?: string | undefined
  tags?: { mode: 'any' | 'all'; names: string[] } | undefined
}

type ListRow = [string, string, string | null, number, string, string | null, string | null, PhoneMetadata | null, string]

/** One row more than the limit where there are more, newest first, each with its position. */
export async function listSessions(db: Reader, userId: string, filter: ListFilter) {
  const { limit, before = 'infinity', since = '-infinity', type, folderId, personId, tags } = filter
  const statement = listStatement({
    type: type !== undefined,
    folder: folderId !== undefined,
    person: personId !== undefined,
    tags: tags?.mode
  })
  const values = [userId, before, since, limit + 1, type, folderId, personId, tags?.names].filter(value => value !== undefined)
  const rows = await db.run<ListRow>(statement, values)
  return rows.map(row => ({ position: row[8], item: toListItem(row) }))
}

const FIND_FOLDER = {
  name: 'find_folder_by_id_or_name',
  text: `select folder_id from folders where user_id = $1 and (folder_id = $2 or name_key = $3) order by folder_id = $2 desc limit 1`
}

/** The folder of that id, or else of that name in any case. */
export async function findFolderId(db: Reader, userId: string, idOrName: string) {
  const [row] = await db.run<[string]>(FIND_FOLDER, [userId, idOrName, folderKey(idOrName.trim())])
  return row?.[0]
}

const FIND_PERSON = {
  name: 'find_person_id',
  text: `select person_id, merged_into from people where user_id = $1 and (person_id = $2 or ($2 = 'me' and is_me))`
}

/** The person of that id, or the user's own for `me`, and who they turned out to be. */
export async function findPersonId(db: Reader, userId: string, idOrMe: string) {
  const [row] = await db.run<[string, string | null]>(FIND_PERSON, [userId, idOrMe])
  return row && { personId: row[0], mergedInto: row[1] ?? undefined }
}

function toListItem(row: ListRow | DetailRow): SessionListItem {
  const item = {
    id: row[0],
    title: row[1],
    timestamp: row[2],
    duration_seconds: row[3],
    type: row[4],
    platform: row[5],
    audio_deleted_at: row[6]
  }
  return row[7] ? { ...item, phone: row[7] } : item
}

const DETAIL = {
  name: 'find_session',
  text: `select session_id, title, "timestamp", duration_seconds, type, platform, audio_deleted_at, phone,
      language, summary, notes, tags, favorite, coalesce(action_items, '[]'), action_items_version,
      array(select folder_id from folder_sessions f where f.user_id = s.user_id and f.session_id = s.session_id order by folder_id)
    from sessions s where user_id = $1 and session_id = $2 and state <> 'deleted'`
}

type DetailRow = [
  ...[string, string, string | null, number, string, string | null, string | null, PhoneMetadata | null],
  ...[string | null, string | null, string | null, string[], boolean, ActionItem[], number, string[]]
]

export async function findSession(db: Reader, userId: string, sessionId: string): Promise<SessionDetail | undefined> {
  const [row] = await db.run<DetailRow>(DETAIL, [userId, sessionId])
  return row && toDetail(row)
}

function toDetail(row: DetailRow): SessionDetail {
  return {
    ...toListItem(row),
    language: row[8],
    summary: row[9],
    notes: row[10],
    tags: row[11],
    favorite: row[12],
    folder_ids: row[15],
    action_items: row[13],
    action_items_version: row[14]
  }
}

const ACTION_ITEMS = {
  name: 'find_action_items',
  text: `select coalesce(action_items, '[]'), action_items_version, action_items_updated_at
    from sessions where user_id = $1 and session_id = $2 and state <> 'deleted'`
}

export async function findActionItems(db: Reader, userId: string, sessionId: string) {
  const [row] = await db.run<[ActionItem[], number, string | null]>(ACTION_ITEMS, [userId, sessionId])
  return row && { session_id: sessionId, action_items: row[0], version: row[1], updated_at: row[2] }
}

const TRANSCRIPT = {
  name: 'find_transcript',
  text: `select t.segments from sessions s
    left join transcripts t on t.user_id = s.user_id and t.session_id = s.session_id
    where s.user_id = $1 and s.session_id = $2 and s.state <> 'deleted'`
}

/** The segments of a session's transcript, none where it has no transcript yet; undefined without the session. */
export async function findSegments(db: Reader, userId: string, sessionId: string) {
  const [row] = await db.run<[Segment[] | null]>(TRANSCRIPT, [userId, sessionId])
  return row && (row[0] ?? [])
}

const EXPORTED = 's.session_id, s.title, s."timestamp", s.duration_seconds, s.type, s.platform, s.phone, s.language, s.summary'
const EXPORT = {
  bare: {
    name: 'export_sessions',
    text: `select ${EXPORTED}, null from sessions s where s.user_id = $1 and s.session_id = any($2::text[]) and s.state <> 'deleted'`
  },
  whole: {
    name: 'export_sessions_whole',
    text: `select ${EXPORTED}, t.segments from sessions s
      left join transcripts t on t.user_id = s.user_id and t.session_id = s.session_id
      where s.user_id = $1 and s.session_id = any($2::text[]) and s.state <> 'deleted'`
  }
}

type ExportRow = [
  ...[string, string, string | null, number, string, string | null, PhoneMetadata | null, string | null, string | null],
  Segment[] | null
]

/** What an export tells of sessions, with the segments of their transcripts where those are wanted and there are any; in no order. */
export async function listExported(db: Reader, userId: string, sessionIds: string[], whole: boolean) {
  const rows = await db.run<ExportRow>(whole ? EXPORT.whole : EXPORT.bare, [userId, sessionIds])
  return rows.map(([id, title, timestamp, duration_seconds, type, platform, phone, language, summary, segments]) => {
    return { session: { id, title, timestamp, duration_seconds, type, platform, language }, phone, summary, segments: segments ?? [] }
  })
}

const TIME_ZONE = { name: 'find_time_zone', text: 'select time_zone from users where user_id = $1' }

/** The IANA zone of the user's calendar. */
export async function findTimeZone(db: Reader, userId: string) {
  const [row] = await db.run<[string]>(TIME_ZONE, [userId])
  return row?.[0] ?? 'UTC'
}

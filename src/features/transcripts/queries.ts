import type { SessionState } from '../../contract/admin/session.ts'
import type { Database } from '../../platform/db/database.ts'
import { sql } from '../../platform/db/drizzle.ts'
import { matches } from '../../platform/db/matches.ts'
import type { Db, Queryable } from '../../platform/db/open.ts'
import { transcripts } from '../../platform/db/schema/index.ts'
import type { Speaker } from '../../platform/ports/corrected-transcript.ts'
import type { StoredSegments } from '../../platform/ports/transcript-writer.ts'
import { giveRoomBack } from '../access/room.ts'
import { SHORT_SEGMENTS } from './stored-segments.ts'

/** Returns the segments with the title; no segments while there is no transcript. Undefined if there is no such session. */
export async function findTranscript(db: Database, userId: string, sessionId: string) {
  const [row] = await db.query<TranscriptRow>(sql`
    select s.title, s.state, s.language, coalesce(t.version, 0) as version, coalesce(t.speakers, '[]') as speakers, ${SHORT_SEGMENTS} as segments
    from sessions s left join transcripts t on t.user_id = ${userId} and t.session_id = s.session_id
    where s.user_id = ${userId} and s.session_id = ${sessionId} and s.state <> 'deleted'`)
  return row && { ...row, segments: row.segments ?? longSegments(db, userId, sessionId) }
}

interface TranscriptRow extends Record<string, unknown> {
  title: string
  state: SessionState
  language: string | null
  version: number
  speakers: Speaker[]
  segments: string | null
}

/** Returns the segments as they were before their texts were corrected; undefined if none was. */
export async function findOriginal(db: Database, userId: string, sessionId: string) {
  const from = sql`from transcripts where user_id = ${userId} and session_id = ${sessionId}`
  const [row] = await db.query<{ is_kept: boolean }>(sql`select original is not null as is_kept ${from}`)
  if (!row?.is_kept) return undefined
  return async () =>
    (await db.execute<StoredRow>(sql`select original::text as segments ${from}`)).rows[0]?.segments ?? '[]'
}

/** Returns what loads long segments, on a connection of the pool. */
export function longSegments(db: Database, userId: string, sessionId: string): StoredSegments {
  return async () => (await db.execute<StoredRow>(selectSegments(userId, sessionId))).rows[0]?.segments ?? '[]'
}

/** Returns what loads the segments of a session, however long they are. */
export function storedSegments(db: Queryable, userId: string, sessionId: string) {
  return async () => (await db.query<StoredRow>(selectSegments(userId, sessionId)))[0]?.segments ?? '[]'
}

interface StoredRow extends Record<string, unknown> {
  segments: string
}

function selectSegments(userId: string, sessionId: string) {
  return sql`select segments::text as segments from transcripts where user_id = ${userId} and session_id = ${sessionId}`
}

/** The compressed bytes of a conversation of about two hours. */
const LIGHT_BYTES = 64 * 1024

/** Returns whether a transcript takes much memory as segments. The stored size is known without reading them. */
export async function isHeavyTranscript(db: Db, userId: string, sessionId: string) {
  const { rows } = await db.execute<{ heavy: boolean }>(sql`
    select coalesce(pg_column_size(segments), 0) > ${LIGHT_BYTES} as heavy from transcripts where user_id = ${userId} and session_id = ${sessionId}`)
  return rows[0]?.heavy ?? false
}

/** Deletes the transcript of a session that is deleted permanently, and gives its room back. */
export async function deleteTranscript(tx: Db, userId: string, sessionId: string) {
  const [deleted] = await tx
    .delete(transcripts)
    .where(matches(transcripts, { userId, sessionId }))
    .returning({ bytes: transcripts.bytes })
  giveRoomBack(tx, userId, 'bytes_stored', deleted?.bytes ?? 0)
}

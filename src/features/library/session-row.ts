import type { SessionDetail } from '../../contract/session.ts'
import { and, eq, type SQL, sql } from '../../platform/db/drizzle.ts'
import { isAnyOf, matches } from '../../platform/db/matches.ts'
import type { Db } from '../../platform/db/open.ts'
import { folderSessions, sessions, transcripts } from '../../platform/db/schema/index.ts'
import { toFailureReason } from './failure-reason.ts'

export type SessionRow = typeof sessions.$inferSelect
export type SessionKey = Pick<SessionRow, 'userId' | 'sessionId'>

/** The ids of the folders of a session, as an expression of a statement that names the session in SQL. */
export function selectFolderIds(userId: string, sessionId: SQL) {
  return sql<string[]>`array(
    select folder_id from folder_sessions f where f.user_id = ${userId} and f.session_id = ${sessionId} order by folder_id)`
}

/**
 * Locks the session until the transaction ends. Every change of a session, its memberships or its counters starts with this lock. Deleted
 * sessions are found only with `deleted`.
 */
export async function lockSession(
  tx: Db,
  userId: string,
  sessionId: string,
  { deleted = false } = {}
): Promise<SessionRow | undefined> {
  tx.willLock('session')
  const [session] = await tx.prepared(selectForUpdate, { userId, sessionId })
  return session && (deleted || session.state !== 'deleted') ? session : undefined
}

function selectForUpdate(builder: Pick<Db, 'select'>) {
  return builder
    .select()
    .from(sessions)
    .where(and(eq(sessions.userId, sql.placeholder('userId')), eq(sessions.sessionId, sql.placeholder('sessionId'))))
    .for('update')
    .prepare('lock_session')
}

/** Returns whether the session has a transcript, which may be empty. A call has none before its end. */
export async function hasTranscript(db: Db, userId: string, sessionId: string) {
  const rows = await db
    .select({ sessionId: transcripts.sessionId })
    .from(transcripts)
    .where(matches(transcripts, { userId, sessionId }))
  return rows.length > 0
}

/** Returns whether the session is a call that has not ended. An imported call has ended, whatever its document says. */
export async function isLiveCall(
  db: Db,
  userId: string,
  { sessionId, phone }: Pick<SessionRow, 'sessionId' | 'phone'>
) {
  return phone?.ongoing === true && !(await hasTranscript(db, userId, sessionId))
}

/** Locks those of the sessions that still exist, in the order of ids, and returns their ids. */
export async function lockSessions(tx: Db, userId: string, sessionIds: readonly string[]) {
  tx.willLock('session')
  const rows = await tx
    .select({ sessionId: sessions.sessionId })
    .from(sessions)
    .where(and(eq(sessions.userId, userId), isAnyOf(sessions.sessionId, sessionIds)))
    .orderBy(sessions.sessionId)
    .for('no key update')
  return rows.map(({ sessionId }) => sessionId)
}

/**
 * Locks the sessions in which the people speak, in the order of ids. Call it before the people are locked: a session is locked before its
 * people everywhere.
 */
export async function lockSessionsOf(tx: Db, userId: string, personIds: string[]) {
  tx.willLock('session')
  const { rows } = await tx.execute<{ session_id: string }>(sql`
    select session_id from session_people where user_id = ${userId} and person_id = any(${sql.param(personIds)}::text[])`)
  const sessionIds = sql.param(rows.map(row => row.session_id))
  // Not a join, which compares every session with every one of theirs if the planner does not know how many the owner has.
  await tx.execute(sql`
    select from sessions where user_id = ${userId} and session_id = any(${sessionIds}::text[]) order by session_id for no key update`)
}

/**
 * Writes fields of a locked session, and returns the ids of its folders, which its event names. Keys of the row are written by
 * `movePosition` only.
 */
export async function updateSessionRow(
  tx: Db,
  userId: string,
  sessionId: string,
  change: Partial<SessionRow> & { updatedAt: Date }
) {
  const folderIds = selectFolderIds(userId, sql`${sessionId}`)
  const [updated] = await tx
    .update(sessions)
    .set(change)
    .where(matches(sessions, { userId, sessionId }))
    .returning({ folderIds })
  return updated?.folderIds ?? []
}

export async function listFolderIds(db: Db, userId: string, sessionId: string) {
  const rows = await db
    .select({ folderId: folderSessions.folderId })
    .from(folderSessions)
    .where(matches(folderSessions, { userId, sessionId }))
    .orderBy(folderSessions.folderId)
  return rows.map(({ folderId }) => folderId)
}

/** The fields that a session has only while it is processed. */
export function toProgress({ state, progress, waiting }: Pick<SessionRow, 'state' | 'progress' | 'waiting'>) {
  if (state !== 'processing') return {}
  return { ...(progress !== null && { progress }), ...(waiting !== null && { waiting_reason: waiting }) }
}

/** Maps a row to the session of the API, for events. */
export function toSessionDetail(session: SessionRow, folderIds: string[]): SessionDetail {
  return {
    id: session.sessionId,
    title: session.title,
    timestamp: session.timestamp?.toISOString() ?? null,
    duration_seconds: session.durationSeconds,
    type: session.type,
    platform: session.platform,
    audio_deleted_at: session.audioDeletedAt?.toISOString() ?? null,
    ...(session.phone && { phone: session.phone }),
    created_at: session.createdAt.toISOString(),
    updated_at: session.updatedAt.toISOString(),
    language: session.language,
    ...(session.warnings && { warnings: session.warnings }),
    summary: session.summary,
    notes: session.notes,
    tags: session.tags,
    favorite: session.favorite,
    ...(session.keep && { keep: true }),
    folder_ids: folderIds,
    action_items: session.actionItems ?? [],
    action_items_version: session.actionItemsVersion,
    // A session in the trash shows its state before.
    status: session.state === 'deleted' ? (session.stateBeforeDeletion ?? 'completed') : session.state,
    failure_reason: toFailureReason(session.shownFailure ?? session.failure),
    ...toProgress(session)
  }
}

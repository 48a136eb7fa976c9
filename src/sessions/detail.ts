import type { SessionDetail } from '../contract/session.ts'
import { and, eq, ne, sql } from '../db/drizzle.ts'
import type { Db } from '../db/open.ts'
import { prepared } from '../db/prepared.ts'
import { folderSessions, sessions } from '../db/schema/index.ts'

export type SessionRow = typeof sessions.$inferSelect

const ASKED = { userId: sql.placeholder('userId'), sessionId: sql.placeholder('sessionId') }
const ANY = and(eq(sessions.userId, ASKED.userId), eq(sessions.sessionId, ASKED.sessionId))
const LOCK_ANY = prepared(db => db.select().from(sessions).where(ANY).for('update').prepare('lock_any_session'))
const LOCK = prepared(db =>
  db
    .select()
    .from(sessions)
    .where(and(ANY, ne(sessions.state, 'deleted')))
    .for('update')
    .prepare('lock_session')
)
const FOLDER_IDS = prepared(db =>
  db
    .select({ folderId: folderSessions.folderId })
    .from(folderSessions)
    .where(and(eq(folderSessions.userId, ASKED.userId), eq(folderSessions.sessionId, ASKED.sessionId)))
    .orderBy(folderSessions.folderId)
    .prepare('folder_ids')
)

/**
 * Locks the session until the transaction ends. Whoever changes a session, its memberships or its counts does so first. One that
 * is deleted is not found, except by who may restore it.
 */
export async function lockSession(tx: Db, userId: string, sessionId: string, { deleted = false } = {}): Promise<SessionRow | undefined> {
  const query = deleted ? LOCK_ANY : LOCK
  const [session] = await query(tx).execute({ userId, sessionId })
  return session
}

export async function listFolderIds(db: Db, userId: string, sessionId: string) {
  const rows = await FOLDER_IDS(db).execute({ userId, sessionId })
  return rows.map(({ folderId }) => folderId)
}

/** The session as its owner reads it, from its row; for the events that carry it. */
export function detailOf(session: SessionRow, folderIds: string[]): SessionDetail {
  return {
    id: session.sessionId,
    title: session.title,
    timestamp: session.timestamp?.toISOString() ?? null,
    duration_seconds: session.durationSeconds,
    type: session.type,
    platform: session.platform,
    audio_deleted_at: session.audioDeletedAt?.toISOString() ?? null,
    ...(session.phone && { phone: session.phone }),
    language: session.language,
    summary: session.summary,
    notes: session.notes,
    tags: session.tags,
    favorite: session.favorite,
    folder_ids: folderIds,
    action_items: session.actionItems ?? [],
    action_items_version: session.actionItemsVersion
  }
}

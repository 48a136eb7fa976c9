import { and, eq } from '../db/drizzle.ts'
import type { Db } from '../db/open.ts'
import { sessions } from '../db/schema/index.ts'
import type { Deps } from '../deps.ts'
import { findLastEventType } from '../events/queries.ts'
import { recordEvents } from '../events/record.ts'
import { findAdminSession } from './admin-sessions.ts'
import { countSession, touchFolders } from './counters.ts'
import { isAnnounced, withoutContent } from './delete.ts'
import { listFolderIds, lockSession, toSessionDetail } from './session-row.ts'

/**
 * Moves a session to the trash. Only the admin API still sees it; the recorded event is that of a permanent deletion. Repeating it changes
 * nothing. Returns whether there is such a session.
 */
export async function trashSession(db: Db, userId: string, sessionId: string, now: Date) {
  return await db.transaction(async tx => {
    const session = await lockSession(tx, userId, sessionId, { deleted: true })
    if (!session) return false
    if (session.state === 'deleted') return true
    const announced = await isAnnounced(tx, session)
    await touchFolders(tx, userId, sessionId, now)
    if (session.state === 'completed') await countSession(tx, userId, sessionId, -1)
    await tx
      .update(sessions)
      .set({ state: 'deleted', stateBeforeDeletion: session.state, deletedAt: now, updatedAt: now })
      .where(isSession(userId, sessionId))
    if (announced) await recordEvents(tx, userId, [{ type: 'session.deleted', session: withoutContent(session) }])
    return true
  })
}

/**
 * Restores a session from the trash, with its folders, people and shares. Records `session.updated` for readers who saw the deletion. An
 * interrupted processing starts again. Repeating it changes nothing. Returns undefined without the session.
 */
export async function restoreSession({ db, jobs }: Pick<Deps, 'db' | 'jobs'>, userId: string, sessionId: string, now: Date) {
  return await db.transaction(async tx => {
    const known = await restore(tx, jobs, userId, sessionId, now)
    return known ? await findAdminSession(tx, userId, sessionId) : undefined
  })
}

async function restore(tx: Db, jobs: Deps['jobs'], userId: string, sessionId: string, now: Date) {
  const session = await lockSession(tx, userId, sessionId, { deleted: true })
  if (!session) return false
  if (session.state !== 'deleted') return true
  const restored = { ...session, state: session.stateBeforeDeletion ?? 'completed', updatedAt: now }
  await tx
    .update(sessions)
    .set({ state: restored.state, stateBeforeDeletion: null, deletedAt: null, updatedAt: now })
    .where(isSession(userId, sessionId))
  if (restored.state === 'processing' && !session.phone?.ongoing) await jobs.enqueue(tx, 'process-session', { userId, sessionId })
  await touchFolders(tx, userId, sessionId, now)
  if (restored.state === 'completed') await countSession(tx, userId, sessionId, 1)
  else if ((await findLastEventType(tx, userId, sessionId)) !== 'session.deleted') return true
  const folderIds = await listFolderIds(tx, userId, sessionId)
  await recordEvents(tx, userId, [{ type: 'session.updated', session: toSessionDetail(restored, folderIds) }])
  return true
}

function isSession(userId: string, sessionId: string) {
  return and(eq(sessions.userId, userId), eq(sessions.sessionId, sessionId))
}

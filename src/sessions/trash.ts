import { and, eq } from '../db/drizzle.ts'
import type { Db } from '../db/open.ts'
import { sessions } from '../db/schema/index.ts'
import type { Deps } from '../deps.ts'
import { findLastEventType } from '../events/queries.ts'
import { recordEvents } from '../events/record.ts'
import { isToldOf, withoutContent } from './delete.ts'
import { detailOf, listFolderIds, lockSession } from './detail.ts'
import { tallySession, touchFolders } from './tally.ts'
import { findWhole } from './whole.ts'

/**
 * Deletes a session so that it can be restored: to everyone but its app it is not there, and the event tells of it as of one
 * deleted for good. Done again, it changes nothing. Returns whether there is such a session.
 */
export async function trashSession(db: Db, userId: string, sessionId: string, now: Date) {
  return await db.transaction(async tx => {
    const session = await lockSession(tx, userId, sessionId, { deleted: true })
    if (!session) return false
    if (session.state === 'deleted') return true
    const told = await isToldOf(tx, session)
    await touchFolders(tx, userId, sessionId, now)
    if (session.state === 'completed') await tallySession(tx, userId, sessionId, -1)
    await tx
      .update(sessions)
      .set({ state: 'deleted', stateBeforeDeletion: session.state, deletedAt: now, updatedAt: now })
      .where(isSession(userId, sessionId))
    if (told) await recordEvents(tx, userId, [{ type: 'session.deleted', session: withoutContent(session) }])
    return true
  })
}

/**
 * Makes a deleted session what it was, with its folders, people and shares. `session.updated` tells whoever took it for gone; one that
 * was being processed is processed from the start. Done again, it changes nothing. Returns the session, undefined without one.
 */
export async function restoreSession({ db, jobs }: Pick<Deps, 'db' | 'jobs'>, userId: string, sessionId: string, now: Date) {
  return await db.transaction(async tx => {
    const known = await restore(tx, jobs, userId, sessionId, now)
    return known ? await findWhole(tx, userId, sessionId) : undefined
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
  if (restored.state === 'completed') await tallySession(tx, userId, sessionId, 1)
  else if ((await findLastEventType(tx, userId, sessionId)) !== 'session.deleted') return true
  const folderIds = await listFolderIds(tx, userId, sessionId)
  await recordEvents(tx, userId, [{ type: 'session.updated', session: detailOf(restored, folderIds) }])
  return true
}

function isSession(userId: string, sessionId: string) {
  return and(eq(sessions.userId, userId), eq(sessions.sessionId, sessionId))
}

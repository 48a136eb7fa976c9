import type { Db } from '../../platform/db/open.ts'
import { findLastEventType } from '../events/queries.ts'
import { recordEvents } from '../events/record.ts'
import { findAdminSession } from '../library/admin-sessions.ts'
import { touchFolders } from '../library/counters.ts'
import { enterLibrary } from '../library/enter-and-leave.ts'
import { isLiveCall, lockSession, toSessionDetail, updateSessionRow } from '../library/session-row.ts'
import type { Needs, Services } from '../services.ts'

/**
 * Restores a session from the trash, with its folders, people and shares. Records `session.updated` for readers who saw the deletion. An
 * interrupted processing starts again. Repeating it changes nothing. Returns undefined without the session.
 */
export async function restoreFromTrash(
  { db, jobs }: Needs<'db' | 'jobs'>,
  userId: string,
  sessionId: string,
  now: Date
) {
  return await db.transaction(async tx => {
    const known = await restore(tx, jobs, userId, sessionId, now)
    return known ? await findAdminSession(tx, userId, sessionId) : undefined
  })
}

async function restore(tx: Db, jobs: Services['jobs'], userId: string, sessionId: string, now: Date) {
  const session = await lockSession(tx, userId, sessionId, { deleted: true })
  if (!session) return false
  if (session.state !== 'deleted') return true
  const change = {
    state: session.stateBeforeDeletion ?? 'completed',
    stateBeforeDeletion: null,
    deletedAt: null,
    updatedAt: now
  }
  const folderIds = await updateSessionRow(tx, userId, sessionId, change)
  const restored = { ...session, ...change }
  if (restored.state === 'processing' && !(await isLiveCall(tx, userId, session))) {
    await jobs.enqueue(tx, 'process-session', { userId, sessionId })
  }
  if (restored.state === 'completed') {
    await enterLibrary(tx, restored, { event: 'session.updated', folderIds, restoredAt: now })
    return true
  }
  await touchFolders(tx, userId, sessionId, now)
  if ((await findLastEventType(tx, userId, sessionId)) === 'session.deleted')
    recordEvents(tx, userId, toSessionDetail(restored, folderIds), ['session.updated'])
  return true
}

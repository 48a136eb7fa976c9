import { notFound } from '../core/api-error.ts'
import type { Db } from '../db/open.ts'
import { countMembers, linkSession, listFolderIds, lockFolder, lockSession, type Member, unlinkSession } from './queries.ts'

/** Puts a session in a folder and returns all it is in now. Repeating it changes nothing, the folder's updated_at included. */
export async function addToFolder(db: Db, userId: string, sessionId: string, folderId: string, now: Date) {
  return await change(db, userId, sessionId, folderId, async (tx, session) => {
    if (await linkSession(tx, userId, session, folderId)) await countMembers(tx, userId, folderId, isListed(session) ? 1 : 0, now)
  })
}

/** Takes a session out of a folder and returns all it is still in. Where it was not in it, nothing changes. */
export async function removeFromFolder(db: Db, userId: string, sessionId: string, folderId: string, now: Date) {
  return await change(db, userId, sessionId, folderId, async (tx, session) => {
    if (await unlinkSession(tx, userId, sessionId, folderId)) await countMembers(tx, userId, folderId, isListed(session) ? -1 : 0, now)
  })
}

/**
 * The session is locked first, then the folder: whoever completes or deletes a session takes them in that order too, and
 * while the session is locked it cannot begin or cease to count.
 */
async function change(db: Db, userId: string, sessionId: string, folderId: string, make: (tx: Db, session: Member) => Promise<void>) {
  return await db.transaction(async tx => {
    const session = await lockSession(tx, userId, sessionId)
    if (!session) throw notFound('Session')
    if (!(await lockFolder(tx, userId, folderId))) throw notFound('Folder')
    await make(tx, session)
    return await listFolderIds(tx, userId, sessionId)
  })
}

function isListed({ state }: Member) {
  return state === 'completed'
}

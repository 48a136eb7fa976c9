import { throwNotFound } from '../core/api-error.ts'
import type { Db } from '../db/open.ts'
import { listFolderIds, lockSession } from '../sessions/session-row.ts'
import { countMembers, linkSession, lockFolder, unlinkSession } from './queries.ts'

/** Adds a session to a folder or removes it. Answers with the ids of all its folders. Repeating it changes nothing, not even `updated_at`. */
export async function changeMembership(
  db: Db,
  userId: string,
  sessionId: string,
  folderId: string,
  member: boolean,
  now: Date
) {
  return await db.transaction(async tx => {
    // While the session is locked, it cannot become listed or unlisted.
    const session = (await lockSession(tx, userId, sessionId)) ?? throwNotFound('Session')
    if (!(await lockFolder(tx, userId, folderId))) throwNotFound('Folder')
    const changed = member
      ? await linkSession(tx, userId, session, folderId)
      : await unlinkSession(tx, userId, sessionId, folderId)
    const by = session.state !== 'completed' ? 0 : member ? 1 : -1
    if (changed) await countMembers(tx, userId, folderId, by, now)
    return { session_id: sessionId, folder_id: folderId, folder_ids: await listFolderIds(tx, userId, sessionId) }
  })
}

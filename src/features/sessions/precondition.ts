import { hash } from 'node:crypto'
import type { AdminSession } from '../../contract/admin/session.ts'
import type { Precondition } from '../../contract/if-match.ts'
import type { SessionDetail } from '../../contract/session.ts'
import { ApiError } from '../../platform/core/api-error.ts'
import type { Db } from '../../platform/db/open.ts'
import { findWithFolders, toAdminSession } from '../library/admin-sessions.ts'
import { toSessionDetail } from '../library/session-row.ts'

/** Identifies the content of a session as one door returns it, besides how its summary was made. Begins with a letter, so that it is no version of action items. */
export function sessionTag({ summary_made: _, ...session }: SessionDetail & Partial<AdminSession>) {
  // In one order, because the queries that read a session have different ones.
  const values = Object.entries(session).sort(([a], [b]) => (a < b ? -1 : 1))
  return `s${hash('sha1', JSON.stringify(values), 'base64url')}`
}

/** Reads the tag of a session in its current state. With `whole`, that of the door of the user and the operator. */
export async function readSessionTag(db: Db, userId: string, sessionId: string, whole: boolean) {
  const found = await findWithFolders(db, userId, sessionId)
  return found && sessionTag((whole ? toAdminSession : toSessionDetail)(found.session, found.folderIds))
}

/** Throws unless a locked session is in a state that the caller has read. `readTag` reads the tag of its current state. */
export async function requireCurrent(
  { actionItemsVersion }: { actionItemsVersion: number },
  { versions, tags }: Precondition,
  readTag: () => Promise<string | undefined>
) {
  if (versions.includes(actionItemsVersion)) return
  const field = 'if_version'
  if (tags.length === 0)
    throw new ApiError('conflict', `the action items are at version ${actionItemsVersion}; read them again`, { field })
  const tag = await readTag()
  if (tag === undefined || !tags.includes(tag))
    throw new ApiError('precondition_failed', 'the session has changed since; read it again', { field })
}

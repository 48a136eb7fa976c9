import type { AdminSession } from '../../contract/admin/session.ts'
import { sql } from '../../platform/db/drizzle.ts'
import { matches } from '../../platform/db/matches.ts'
import type { Db } from '../../platform/db/open.ts'
import { sessions } from '../../platform/db/schema/index.ts'
import { type SessionRow, selectFolderIds, toSessionDetail } from './session-row.ts'
import { findMaking } from './summaries.ts'

/** Written as SQL, because drizzle omits table names in a select from one table. */
const SESSION_ID = sql`sessions.session_id`

/** Returns a session in any state, with the fields of the admin API. */
export async function findAdminSession(db: Db, userId: string, sessionId: string): Promise<AdminSession | undefined> {
  const row = await findWithFolders(db, userId, sessionId)
  const making = row && (await findMaking(db, userId, sessionId))
  return row && { ...toAdminSession(row.session, row.folderIds), ...(making && { summary_made: making }) }
}

export async function findWithFolders(db: Db, userId: string, sessionId: string) {
  const [row] = await db
    .select({ session: sessions, folderIds: selectFolderIds(userId, SESSION_ID) })
    .from(sessions)
    .where(matches(sessions, { userId, sessionId }))
  return row
}

export function toAdminSession(session: SessionRow, folderIds: string[]): AdminSession {
  return {
    ...toSessionDetail(session, folderIds),
    state: session.state,
    failure: session.failure,
    external_id: session.externalId,
    deleted_at: session.deletedAt?.toISOString() ?? null
  }
}

import type { AppSession, AppState } from '../contract/app/session.ts'
import { and, desc, eq, lt, sql } from '../db/drizzle.ts'
import type { Db } from '../db/open.ts'
import { sessions } from '../db/schema/index.ts'
import { isoInstant } from '../db/types.ts'
import { detailOf, type SessionRow } from './detail.ts'

/** Written out, for drizzle leaves the tables' names out where it selects from one table. */
const FOLDER_IDS = sql<string[]>`array(
  select f.folder_id from folder_sessions f where f.user_id = sessions.user_id and f.session_id = sessions.session_id order by 1)`

/** A session in any state, with what only its app sees of it. */
export async function findWhole(db: Db, userId: string, sessionId: string): Promise<AppSession | undefined> {
  const [row] = await db
    .select({ session: sessions, folderIds: FOLDER_IDS })
    .from(sessions)
    .where(and(eq(sessions.userId, userId), eq(sessions.sessionId, sessionId)))
  return row && wholeOf(row.session, row.folderIds)
}

/** One more than the limit where there are more, by their place in the list, each with it. */
export async function listWhole(
  db: Db,
  userId: string,
  { state, before = 'infinity', limit }: { state: AppState | undefined; before: string | undefined; limit: number }
) {
  const rows = await db
    .select({ session: sessions, folderIds: FOLDER_IDS })
    .from(sessions)
    .where(and(eq(sessions.userId, userId), lt(sessions.sortAt, before), state && eq(sessions.state, state)))
    .orderBy(desc(sessions.sortAt))
    .limit(limit + 1)
  return rows.map(({ session, folderIds }) => ({ position: isoInstant(session.sortAt), whole: wholeOf(session, folderIds) }))
}

function wholeOf(session: SessionRow, folderIds: string[]): AppSession {
  return {
    ...detailOf(session, folderIds),
    state: session.state,
    failure: session.failure,
    external_id: session.externalId,
    deleted_at: session.deletedAt?.toISOString() ?? null,
    created_at: session.createdAt.toISOString(),
    updated_at: session.updatedAt.toISOString()
  }
}

import type { Db } from '../../platform/db/open.ts'
import { type Deleted, type Deleter, deletions } from '../../platform/db/schema/index.ts'
import type { SessionRow } from './session-row.ts'

/** How a session, or its recording, is deleted. */
export interface Deleting {
  /** The one who deletes. Null if a ledger does not say. */
  by: Deleter | null
  /** Decides about the locked session. */
  onlyIf?: (tx: Db, session: SessionRow) => Promise<boolean>
}

/** Records a deletion in its transaction. After the commit, the ledger outside the database copies it. */
export async function recordDeletion(
  tx: Db,
  userId: string,
  sessionId: string,
  { what, by, deletedAt }: { what: Deleted; by: Deleter | null; deletedAt: Date }
) {
  await tx.insert(deletions).values({ userId, sessionId, what, deletedAt, by }).onConflictDoNothing()
  tx.afterCommit('deletions', userId)
}

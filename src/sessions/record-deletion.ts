import type { Db } from '../db/open.ts'
import { type Deleted, deletions } from '../db/schema/index.ts'

/** Records a deletion in its transaction. After the commit, the ledger outside the database copies it. */
export async function recordDeletion(tx: Db, userId: string, sessionId: string, what: Deleted, deletedAt: Date) {
  await tx.insert(deletions).values({ userId, sessionId, what, deletedAt }).onConflictDoNothing()
  tx.afterCommit('deletions', userId)
}

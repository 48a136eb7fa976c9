import { afterCommit } from '../db/commits.ts'
import type { Db } from '../db/open.ts'
import { type Deleted, deletions } from '../db/schema/index.ts'

/** Notes a deletion in the transaction that makes it; once committed, the ledger outside the database learns of it. */
export async function noteDeletion(tx: Db, userId: string, sessionId: string, what: Deleted, deletedAt: Date) {
  await tx.insert(deletions).values({ userId, sessionId, what, deletedAt }).onConflictDoNothing()
  afterCommit(tx, 'deletions')
}

import { clock } from '../compose.ts'
import type { Config } from '../config/config.ts'
import type { Database } from '../db/open.ts'
import { openLedger } from '../deletions/ledger.ts'
import { ledgerIn } from '../deletions/ledger-file.ts'
import { reapplyDeletions } from '../deletions/reapply.ts'
import type { Log } from '../http/log.ts'
import type { Jobs } from '../jobs/jobs.ts'

/**
 * Deletes again what a restored backup has brought back, then keeps the ledger of deletions. It runs before anything else reads the database.
 */
export async function openDeletionLedger(config: Config, { db, jobs }: { db: Database; jobs: Jobs }, log: Log) {
  const path = ledgerIn(config.database.dataDir)
  const again = await reapplyDeletions({ db, jobs, clock }, path)
  if (again.missed > 0) log.warn(again, 'deletions made after this backup are made again')
  return await openLedger({
    db,
    clock,
    path,
    onError: error => log.error(error, 'the ledger of deletions is not written')
  })
}

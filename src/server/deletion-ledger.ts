import type { EventEmitter } from 'node:events'
import { openLedger } from '../features/deletions/ledger.ts'
import { ledgerIn } from '../features/deletions/ledger-file.ts'
import { reapplyDeletions } from '../features/deletions/reapply.ts'
import type { Services } from '../features/services.ts'
import type { Log } from '../interfaces/http/log.ts'
import type { Config } from '../platform/config/config.ts'

/**
 * Deletes again what a restored backup has brought back, then keeps the ledger of deletions. It runs before anything else reads the
 * database.
 */
export async function openDeletionLedger(
  config: Config,
  { db, jobs, clock }: Services,
  { commits, log }: { commits: EventEmitter; log: Log },
  opened: AsyncDisposableStack
) {
  const path = ledgerIn(config.database.dataDir)
  const again = await reapplyDeletions({ db, jobs, clock }, path)
  if (again.missed > 0) log.warn(again, 'deletions made after this backup are made again')
  const onError = (error: Error) => log.error(error, 'the ledger of deletions is not written')
  const ledger = await openLedger({ db, clock, path, onError })
  opened.defer(() => ledger.stop())
  commits.on('deletions', ledger.wake)
}

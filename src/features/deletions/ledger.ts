import type { Clock } from '../../platform/core/clock.ts'
import { asc, gte } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { deletions } from '../../platform/db/schema/index.ts'
import { openRecurring } from '../../platform/work/recurring.ts'
import { appendDeletions, type Deletion, deletionKey, readDeletions } from './ledger-file.ts'

interface Ledger {
  /** Copies new deletions now. */
  wake(): void
  /** Copies the remaining deletions and stops. */
  stop(): Promise<void>
}

interface LedgerOptions {
  db: Db
  clock: Clock
  path: string
  onError: (error: Error) => void
}

/** The interval at which deletions of other processes are copied. */
const EVERY_MS = 60_000
/** The bound on clock differences between servers plus the duration of a transaction: younger rows are read again. */
const OVERLAP_MS = 3_600_000

/**
 * Copies the deletions table to a file outside the database: deletions of this process at once, of others within a minute, and missing ones
 * at the start. The file of each server has all deletions, some of them twice.
 */
export async function openLedger({ db, clock, path, onError }: LedgerOptions): Promise<Ledger> {
  let written = new Map<string, Date>()
  let since = await findNewest()

  async function findNewest() {
    let newest = new Date(0)
    for await (const batch of readDeletions(path)) {
      for (const { deletedAt } of batch) if (deletedAt > newest) newest = deletedAt
      remember(batch, newest)
    }
    return newest
  }

  /** Remembers the lines within the overlap. */
  function remember(batch: Deletion[], newest: Date) {
    for (const one of batch) written.set(deletionKey(one), one.deletedAt)
    const oldest = newest.getTime() - OVERLAP_MS
    written = new Map([...written].filter(([, at]) => at.getTime() >= oldest))
  }

  async function copy() {
    const started = clock.now()
    const from = new Date(Math.min(since.getTime(), started.getTime()) - OVERLAP_MS)
    const rows = await db
      .select()
      .from(deletions)
      .where(gte(deletions.deletedAt, from))
      .orderBy(asc(deletions.deletedAt))
    const missing = rows.filter(row => !written.has(deletionKey(row)))
    await appendDeletions(path, missing)
    since = started
    remember(missing, since)
  }

  const { wake, stop } = openRecurring(copy, EVERY_MS, onError)
  return {
    wake,
    async stop() {
      wake()
      await stop()
    }
  }
}

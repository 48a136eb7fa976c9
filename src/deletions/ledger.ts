import type { Clock } from '../core/clock.ts'
import { openRecurring } from '../core/recurring.ts'
import { asc, gte } from '../db/drizzle.ts'
import type { Db } from '../db/open.ts'
import { deletions } from '../db/schema/index.ts'
import { appendDeletions, type Deletion, readDeletions } from './file.ts'

export interface Ledger {
  /** Something was deleted: write it down now. */
  wake(): void
  /** Writes down what is left, and stops. */
  stop(): Promise<void>
}

export interface LedgerOptions {
  db: Db
  clock: Clock
  path: string
  onError: (fault: Error) => void
}

/** How often deletions of other processes are looked for. */
const EVERY_MS = 60_000
/** By how much clocks of servers may differ and a transaction may last: what is as young as that is read again, lest it be missed. */
const OVERLAP_MS = 3_600_000

/**
 * Copies the table of deletions into a file outside the database, from now on: those of this process at once, those of
 * others within a minute, and at the start whatever the file lacks. So each server's file has them all. A line may stand
 * there twice; the same deletion twice is one.
 */
export async function openLedger({ db, clock, path, onError }: LedgerOptions): Promise<Ledger> {
  let written = new Map<string, Date>()
  let since = await lastIn(path)

  async function lastIn(file: string) {
    const now = clock.now()
    let newest = new Date(0)
    for await (const some of readDeletions(file)) {
      // What a clock that went ahead has written is no measure of what is still lacking.
      for (const { deletedAt } of some) if (deletedAt > newest && deletedAt <= now) newest = deletedAt
      remember(some, newest)
    }
    return newest
  }

  /** Which lines of the overlap are there already. */
  function remember(some: Deletion[], newest: Date) {
    for (const one of some) written.set(keyOf(one), one.deletedAt)
    const oldest = newest.getTime() - OVERLAP_MS
    written = new Map([...written].filter(([, at]) => at.getTime() >= oldest))
  }

  async function copy() {
    const started = clock.now()
    const from = new Date(Math.min(since.getTime(), started.getTime()) - OVERLAP_MS)
    const rows = await db.select().from(deletions).where(gte(deletions.deletedAt, from)).orderBy(asc(deletions.deletedAt))
    const lacking = rows.filter(row => !written.has(keyOf(row)))
    await appendDeletions(path, lacking)
    // Backwards too, when the clock is set back: what is deleted from then on would otherwise lie before it for as long.
    since = started
    remember(lacking, since)
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

function keyOf({ userId, sessionId, what }: Deletion) {
  return `${userId} ${sessionId} ${what}`
}

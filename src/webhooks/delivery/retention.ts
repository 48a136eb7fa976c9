import { LIMITS } from '../../contract/limits.ts'
import { deleteRows, listOwners } from '../../db/delete-rows.ts'
import { sql } from '../../db/drizzle.ts'
import type { Db } from '../../db/open.ts'

const DAY_MS = 86_400_000
const BATCH_SIZE = 5_000
const TABLE = sql`webhook_attempts`

/** Removes attempts older than the retention period. Returns how many. */
export async function removeOldAttempts(db: Db, now: Date, signal: AbortSignal): Promise<number> {
  const before = new Date(now.getTime() - LIMITS.eventDays * DAY_MS)
  let removed = 0
  while (!signal.aborted) {
    const owners = await listOwners(db, TABLE, sql`attempted_at < ${before}`)
    for (const userId of owners) removed += await deleteRows(db, userId, TABLE, sql`attempted_at < ${before}`, BATCH_SIZE)
    if (owners.length === 0) break
  }
  return removed
}

import { LIMITS } from '../../contract/limits.ts'
import { sql } from '../../db/drizzle.ts'
import type { Db } from '../../db/open.ts'

const DAY_MS = 86_400_000
const BATCH_SIZE = 5_000

/** Removes attempts older than the retention period. Returns how many. */
export async function removeOldAttempts(db: Db, now: Date, signal: AbortSignal): Promise<number> {
  const before = new Date(now.getTime() - LIMITS.eventDays * DAY_MS)
  let removed = 0
  while (!signal.aborted) {
    const { rowCount } = await db.execute(sql`
      delete from webhook_attempts
      where ctid = any (array(select ctid from webhook_attempts where attempted_at < ${before} limit ${BATCH_SIZE}))`)
    removed += rowCount ?? 0
    if (!rowCount) break
  }
  return removed
}

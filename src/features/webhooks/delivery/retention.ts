import { LIMITS } from '../../../contract/limits.ts'
import { deleteRowsOfAll } from '../../../platform/db/delete-rows.ts'
import { sql } from '../../../platform/db/drizzle.ts'
import type { Db } from '../../../platform/db/open.ts'

const DAY_MS = 86_400_000
const BATCH_SIZE = 5_000

/** Removes attempts older than the retention period. Returns how many. */
export async function removeOldAttempts(db: Db, now: Date, signal: AbortSignal): Promise<number> {
  const before = new Date(now.getTime() - LIMITS.eventDays * DAY_MS)
  return await deleteRowsOfAll(db, sql`webhook_attempts`, sql`attempted_at < ${before}`, BATCH_SIZE, signal)
}

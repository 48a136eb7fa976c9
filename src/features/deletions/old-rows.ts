import { LIMITS } from '../../contract/limits.ts'
import { deleteRowsOfAll } from '../../platform/db/delete-rows.ts'
import { type SQL, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'

const HOUR_MS = 3_600_000
const BATCH_SIZE = 5_000

interface OldRows {
  where: (before: Date) => SQL
  afterHours: number
  /** True for a small table that belongs to no user, which one statement empties. */
  ofNobody?: boolean
}

/** Tables whose rows go by their age alone, each with the condition and the time after which it holds. */
const OLD_ROWS = {
  webhook_attempts: { where: before => sql`attempted_at < ${before}`, afterHours: LIMITS.eventDays * 24 },
  idempotency_keys: { where: before => sql`created_at <= ${before}`, afterHours: LIMITS.idempotencyHours },
  oauth_assertions: { where: before => sql`expires_at <= ${before}`, afterHours: 0, ofNobody: true },
  console_sessions: { where: before => sql`expires_at <= ${before}`, afterHours: 0 },
  // With the addresses in them.
  sign_in_links: { where: before => sql`created_at < ${before}`, afterHours: LIMITS.signIn.keptHours, ofNobody: true }
} satisfies Record<string, OldRows>

type OldTable = keyof typeof OLD_ROWS

const TABLES = Object.entries<OldRows>(OLD_ROWS)

/** Removes the rows of all users that are older than their table keeps them, of every table or of one. */
export async function removeOldRows(db: Db, now: Date, signal: AbortSignal, only?: OldTable) {
  for (const [name, { where, afterHours, ofNobody }] of TABLES) {
    if (only !== undefined && name !== only) continue
    const [table, isOld] = [sql.raw(name), where(new Date(now.getTime() - afterHours * HOUR_MS))]
    if (ofNobody) await db.execute(sql`delete from ${table} where ${isOld}`)
    else await deleteRowsOfAll(db, table, isOld, BATCH_SIZE, signal)
  }
}

import { LIMITS } from '../contract/limits.ts'
import { sql } from '../db/drizzle.ts'
import type { Db } from '../db/open.ts'

const AT_ONCE = 1_000
const KEPT_MS = LIMITS.sharing.keptDays * 86_400_000

const KINDS = [
  { table: sql`share_links`, only: sql`` },
  // A claimed invite is kept with its access, because it has the address.
  {
    table: sql`share_invites`,
    only: sql`and not exists (
      select from share_grants g
      where g.user_id = t.user_id and g.session_id = t.session_id and g.recipient_id = t.claimed_by and g.active)`
  }
]

/**
 * Removes links and invites with their secrets some days after they expired; until then pages can say so. Access stays. Locks the share row
 * of each session first, as every change does, and skips locked ones. Returns their number.
 */
export async function removeOldShares(db: Db, now: Date, signal: AbortSignal): Promise<number> {
  const before = new Date(now.getTime() - KEPT_MS)
  let removed = 0
  for (const { table, only } of KINDS) {
    while (!signal.aborted) {
      const { rows } = await db.execute(sql`
        with old as (
          select t.user_id, t.session_id, t.hash from ${table} t
          join session_shares x on x.user_id = t.user_id and x.session_id = t.session_id
          where t.expires_at <= ${before} ${only} limit ${AT_ONCE} for update of x skip locked
        ), forgotten as (
          delete from share_secrets k using old where k.hash = old.hash
        )
        delete from ${table} t using old
        where t.user_id = old.user_id and t.session_id = old.session_id and t.hash = old.hash
        returning 1`)
      removed += rows.length
      if (rows.length === 0) break
    }
  }
  return removed
}

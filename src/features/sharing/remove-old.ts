import { LIMITS } from '../../contract/limits.ts'
import { sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'

const AT_ONCE = 1_000
const OWNERS = 500
const KEPT_MS = LIMITS.sharing.keptDays * 86_400_000

/**
 * Removes links and invites with their secrets some days after they expired; until then pages can say so. Access stays. Locks the share row
 * of each session first, as every change does, and skips locked ones. Returns their number.
 */
export async function removeOldShares(db: Db, now: Date, signal: AbortSignal): Promise<number> {
  const before = new Date(now.getTime() - KEPT_MS)
  let removed = 0
  for (let after = ''; !signal.aborted; ) {
    const { rows } = await db.execute<{ user_id: string }>(sql`
      select user_id from share_links where expires_at <= ${before} and user_id > ${after}
      union select user_id from share_invites where expires_at <= ${before} and user_id > ${after} order by user_id limit ${OWNERS}`)
    for (const { user_id } of rows) removed += await removeExpired(db, user_id, before, signal)
    const last = rows.at(-1)
    if (!last) break
    after = last.user_id
  }
  return removed
}

async function removeExpired(db: Db, userId: string, before: Date, signal: AbortSignal) {
  // A claimed invite is kept with its access, because it has the address.
  const isUnclaimed = sql`not exists (
    select from share_grants g where g.user_id = ${userId} and g.session_id = t.session_id and g.recipient_id = t.claimed_by and g.active)`
  let removed = 0
  for (const [table, condition] of [
    [sql`share_links`, sql`true`] as const,
    [sql`share_invites`, isUnclaimed] as const
  ]) {
    for (let found = AT_ONCE; found > 0 && !signal.aborted; removed += found) {
      found = await db.transaction(async tx => {
        const { rows } = await tx.execute<{ hash: Buffer }>(sql`
          with old as (
            select t.session_id, t.hash from ${table} t
            join session_shares x on x.user_id = ${userId} and x.session_id = t.session_id
            where t.user_id = ${userId} and t.expires_at <= ${before} and ${condition} limit ${AT_ONCE} for update of x skip locked
          )
          delete from ${table} t using old
          where t.user_id = ${userId} and t.session_id = old.session_id and t.hash = old.hash returning t.hash`)
        const hashes = rows.map(({ hash }) => hash)
        if (hashes.length > 0)
          await tx.execute(sql`delete from share_secrets where hash = any(${sql.param(hashes)}::bytea[])`)
        return hashes.length
      })
    }
  }
  return removed
}

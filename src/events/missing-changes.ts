import { atEase } from '../core/pace.ts'
import { sql } from '../db/drizzle.ts'
import type { Database } from '../db/open.ts'
import { recordChanges } from './session-changes.ts'

/** The maximum number of changes that one transaction records. It reads all sessions of its user. */
const CHANGES = 2_000
const USERS = 50

/**
 * Records the changes of all users that servers of an earlier version did not: they may run beside this one during an upgrade. Leaves the
 * database to requests for most of the time. Safe to interrupt and to repeat.
 */
export async function recordMissingChanges(db: Database, now: Date, signal: AbortSignal) {
  for (let after: string | undefined = ''; after !== undefined && !signal.aborted; ) {
    const { rows }: { rows: { user_id: string }[] } = await db.execute<{ user_id: string }>(sql`
      select user_id from user_counters where user_id > ${after} order by user_id limit ${USERS}`)
    for (const { user_id: userId } of rows)
      while (!signal.aborted && (await atEase(() => recordMissing(db, userId, now), signal)) === CHANGES);
    after = rows.length === USERS ? rows.at(-1)?.user_id : undefined
  }
}

async function recordMissing(db: Database, userId: string, now: Date) {
  return await db.transaction(async tx => {
    // Nobody else moves a session of the user meanwhile.
    await tx.execute(sql`select from user_counters where user_id = ${userId} for update`)
    const { rows } = await tx.execute<{ session_id: string; at: string; deleted_at: string | null }>(sql`
      select session_id, updated_at as at, null::timestamptz as deleted_at from sessions s
      where user_id = ${userId} and state = 'completed' and not exists (
        select from session_changes c
        where c.user_id = ${userId} and c.session_id = s.session_id and c.position >= extract(epoch from s.updated_at) * 1000000)
      union all
      select session_id, ${now}::timestamptz, ${now}::timestamptz from session_changes c
      where user_id = ${userId} and deleted_at is null and not exists (
        select from sessions s where s.user_id = ${userId} and s.session_id = c.session_id and s.state <> 'deleted')
      order by at limit ${CHANGES}`)
    const changed = rows.map(row => ({ sessionId: row.session_id, at: row.at, deletedAt: row.deleted_at }))
    if (changed.length > 0) await recordChanges(tx, userId, changed)
    return changed.length
  })
}

import { LIMITS } from '../contract/limits.ts'
import { sql } from '../db/drizzle.ts'
import type { Database, Db } from '../db/open.ts'

const DAY_MS = 86_400_000
/** One statement removes up to this number of events of this number of users. */
const USERS = 50
const EVENTS = 1_000

/** Removes expired events of all users, oldest first, so that no gap remains. Returns their number. */
export async function removeOldEvents(db: Db, now: Date, signal: AbortSignal): Promise<number> {
  const before = new Date(now.getTime() - LIMITS.eventDays * DAY_MS)
  let removed = 0
  let after = ''
  while (!signal.aborted) {
    const { rows } = await db.execute<{ last: string | null; removed: number }>(sql`
      with share as (
        select user_id, (
          select coalesce(min(seq) filter (where created_at >= ${before}) - 1, max(seq))
          from (select seq, created_at from events e where e.user_id = u.user_id order by seq limit ${EVENTS}) oldest
        ) as upto
        from (select user_id from user_counters where user_id > ${after} order by user_id limit ${USERS}) u
      ),
      removed as (
        delete from events e using share where e.user_id = share.user_id and e.seq <= share.upto returning e.seq
      )
      select (select max(user_id) from share) as last, (select count(*)::int from removed) as removed`)
    const [{ last, removed: now } = { last: null, removed: 0 }] = rows
    removed += now
    if (last === null) break
    // The next users follow when these have no expired events left.
    if (now === 0) after = last
  }
  return removed
}

/** Removes the tombstones of all users that are older than promised, and notes up to which position they are gone. */
export async function removeOldTombstones(db: Database, now: Date, signal: AbortSignal) {
  const before = new Date(now.getTime() - LIMITS.tombstoneDays * DAY_MS)
  while (!signal.aborted) {
    const { rows } = await db.execute<{ user_id: string }>(sql`
      select distinct user_id from session_changes where deleted_at < ${before} limit ${USERS}`)
    for (const { user_id } of rows) await forgetTombstones(db, user_id, before)
    if (rows.length < USERS) break
  }
}

async function forgetTombstones(db: Database, userId: string, before: Date) {
  await db.transaction(async tx => {
    // A session that is restored has to wait.
    await tx.execute(sql`select from user_counters where user_id = ${userId} for update`)
    await tx.execute(sql`
      update user_counters set forgotten_position = greatest(forgotten_position, (
        select max(position) from session_changes where user_id = ${userId} and deleted_at < ${before}))
      where user_id = ${userId}`)
    await tx.execute(sql`delete from session_changes where user_id = ${userId} and deleted_at < ${before}`)
  })
}

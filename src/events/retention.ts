import { LIMITS } from '../contract/limits.ts'
import { sql } from '../db/drizzle.ts'
import type { Db } from '../db/open.ts'

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

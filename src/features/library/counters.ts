import { sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { countPeople } from './count-people.ts'

/**
 * Adds 1 to or subtracts 1 from every counter of a session: its folders, people, day and owner. `listing.ts` calls it, as the session enters or
 * leaves the library, with the session locked. The owner's counter is written before the commit.
 */
export async function countSession(tx: Db, userId: string, sessionId: string, turn: 1 | -1) {
  tx.willLock('folder')
  await tx.execute(sql`
    with ${lockedFolders(userId, sessionId)}
    update folders f set session_count = session_count + ${turn}::int from kept where f.user_id = ${userId} and f.folder_id = kept.folder_id`)
  await countPeople(tx, userId, sessionId, turn)
  tx.willLock('day')
  await tx.execute(sql`
    insert into session_days as d (user_id, day, type, platform, sessions, seconds)
    select user_id, (sort_at at time zone 'UTC')::date, type, coalesce(platform, 'unknown'), ${turn}::int, ${turn}::int * duration_seconds::numeric
    from sessions where user_id = ${userId} and session_id = ${sessionId}
    on conflict (user_id, day, type, platform) do update
      set sessions = d.sessions + excluded.sessions, seconds = d.seconds + excluded.seconds`)
  if (turn === -1) await deleteEmptyDay(tx, userId, sessionId)
  tx.beforeCommit(last => countOwner(last, userId, turn))
}

/** A day without sessions would keep the platform of a deleted one. */
async function deleteEmptyDay(tx: Db, userId: string, sessionId: string) {
  await tx.execute(sql`
    delete from session_days d using sessions s
    where d.user_id = ${userId} and s.user_id = ${userId} and s.session_id = ${sessionId} and d.sessions = 0
      and d.day = (s.sort_at at time zone 'UTC')::date and d.type = s.type and d.platform = coalesce(s.platform, 'unknown')`)
}

async function countOwner(tx: Db, userId: string, turn: 1 | -1) {
  tx.willLock('user counters')
  await tx.execute(sql`
    insert into user_counters as c (user_id, session_count) values (${userId}, greatest(0, ${turn}::int))
    on conflict (user_id) do update set session_count = c.session_count + ${turn}::int`)
}

/** Sets `updated_at` of the folders of the session, in any state. Call it before `countSession`. */
export async function touchFolders(tx: Db, userId: string, sessionId: string, now: Date) {
  tx.willLock('folder')
  await tx.execute(sql`
    with ${lockedFolders(userId, sessionId)}
    update folders f set updated_at = ${now} from kept where f.user_id = ${userId} and f.folder_id = kept.folder_id`)
}

/** The folders of the session as `kept`, locked in the order of ids. */
function lockedFolders(userId: string, sessionId: string) {
  return sql`kept as (
      select folder_id from folders f
      where user_id = ${userId}
        and folder_id in (select folder_id from folder_sessions where user_id = ${userId} and session_id = ${sessionId})
      order by folder_id for update
    )`
}

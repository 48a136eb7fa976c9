import { LIMITS } from '../../contract/limits.ts'
import { type SQL, sql } from '../../platform/db/drizzle.ts'
import type { Database, Db } from '../../platform/db/open.ts'
import { removeUnusedTexts } from './texts.ts'

const DAY_MS = 86_400_000
const USERS = 50
/** The maximum number of events that one statement removes. */
const EVENTS = 1_000
/** The maximum number of texts that one statement removes. */
const TEXTS = 100

/** Removes expired events of all users, those of the feed oldest first, so that no gap remains. Returns their number. */
export async function removeOldEvents(db: Db, now: Date, signal: AbortSignal): Promise<number> {
  const before = new Date(now.getTime() - LIMITS.eventDays * DAY_MS)
  const users = (after: string) => sql`
    select user_id from user_counters where user_id > ${after} order by user_id limit ${USERS}`
  return await removeOfEach(db, users, userId => removeOldest(db, userId, before), signal)
}

async function removeOldest(db: Db, userId: string, before: Date) {
  const { rowCount } = await db.execute(sql`
    delete from events where user_id = ${userId} and seq <= (
      select coalesce(min(seq) filter (where created_at >= ${before}) - 1, max(seq))
      from (select seq, created_at from events where user_id = ${userId} and seq > 0 order by seq limit ${EVENTS}) oldest) and seq > 0`)
  const { rowCount: outside } = await db.execute(
    sql`delete from events where user_id = ${userId} and seq < 0 and created_at < ${before}`
  )
  return (rowCount ?? 0) + (outside ?? 0)
}

/** Removes the texts of all users to which no event refers any more. Returns their number. */
export async function removeOldTexts(db: Db, signal: AbortSignal): Promise<number> {
  const users = (after: string) => sql`
    select distinct user_id from event_texts where user_id > ${after} order by user_id limit ${USERS}`
  return await removeOfEach(db, users, userId => removeUnusedTexts(db, userId, TEXTS), signal)
}

/**
 * Removes rows of all users, some users at a time: `usersAfter` selects the next ones in the order of their ids, and `remove` removes some rows
 * of one, and returns how many. Returns the number of all.
 */
async function removeOfEach(
  db: Db,
  usersAfter: (after: string) => SQL,
  remove: (userId: string) => Promise<number>,
  signal: AbortSignal
) {
  let removed = 0
  let after = ''
  while (!signal.aborted) {
    const { rows: users } = await db.execute<{ user_id: string }>(usersAfter(after))
    let found = 0
    for (const { user_id } of users) found += await remove(user_id)
    removed += found
    const last = users.at(-1)
    if (!last) break
    // The next users follow when these have no such rows left.
    if (found === 0) after = last.user_id
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
    tx.willLock('user counters')
    // A session that is restored has to wait.
    await tx.execute(sql`select from user_counters where user_id = ${userId} for update`)
    await tx.execute(sql`
      update user_counters set forgotten_position = greatest(forgotten_position, (
        select max(position) from session_changes where user_id = ${userId} and deleted_at < ${before}))
      where user_id = ${userId}`)
    await tx.execute(sql`delete from session_changes where user_id = ${userId} and deleted_at < ${before}`)
  })
}

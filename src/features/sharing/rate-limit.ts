import { LIMITS } from '../../contract/limits.ts'
import { ApiError } from '../../platform/core/api-error.ts'
import { sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'

const { writesPerMinute, invitesPerDay } = LIMITS.sharing
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

/**
 * Counts a write and its invites. Throws over the limit, which rolls the transaction back.
 */
export async function countShareWrite(tx: Db, userId: string, now: Date, invites = 0) {
  const minute = new Date(now.getTime() - (now.getTime() % MINUTE_MS))
  const day = now.toISOString().slice(0, 10)
  // The condition that the windows are still open. Another request may have opened the next one while this one waited for a lock.
  const minuteOpen = sql`c.minute between excluded.minute and ${new Date(minute.getTime() + MINUTE_MS)}::timestamptz`
  const dayOpen = sql`c.day between excluded.day and excluded.day + 1`
  tx.willLock('share limit')
  const { rows } = await tx.execute<{ writes: number; invites: number }>(sql`
    insert into share_counters as c (user_id, minute, writes, day, invites) values (${userId}, ${minute}, 1, ${day}::date, ${invites}::int)
    on conflict (user_id) do update set
      writes = case when ${minuteOpen} then c.writes + 1 else 1 end,
      minute = case when ${minuteOpen} then c.minute else excluded.minute end,
      invites = case when ${dayOpen} then c.invites + excluded.invites else excluded.invites end,
      day = case when ${dayOpen} then c.day else excluded.day end
    returning writes, invites`)
  const [counted] = rows
  if (!counted) return
  if (counted.invites > invitesPerDay) throw limited(`${invitesPerDay} invites a day`, now, DAY_MS)
  if (counted.writes > writesPerMinute) throw limited(`${writesPerMinute} sharing changes a minute`, now, MINUTE_MS)
}

function limited(what: string, now: Date, windowMs: number) {
  const retryAfter = Math.max(1, Math.ceil((windowMs - (now.getTime() % windowMs)) / 1_000))
  return new ApiError('sharing_rate_limited', `The limit of ${what} is used up; try again in ${retryAfter} s`, {
    retryAfter
  })
}

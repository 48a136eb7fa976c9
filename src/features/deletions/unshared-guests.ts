import { LIMITS } from '../../contract/limits.ts'
import { sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { lockUser, updateUser } from '../access/queries.ts'
import type { Needs } from '../services.ts'
import { endAccount } from './delete-user.ts'

const PAGE = 500
const KEPT_MS = LIMITS.signIn.guestDays * 86_400_000

interface Guest {
  userId: string
  isShared: boolean
  /** The time at which this job first found nothing shared with them. */
  unsharedSince: Date | null
}

/**
 * Deletes guests with whom nothing has been shared for some time: nobody's address is kept for nothing. A guest is a mailbox that opened an invite, and
 * owns nothing. Returns their number.
 */
export async function removeUnsharedGuests(
  services: Needs<'db' | 'jobs' | 'clock'>,
  signal: AbortSignal
): Promise<number> {
  let removed = 0
  let page: Guest[] = []
  do {
    page = await selectGuests(services.db, page.at(-1)?.userId ?? '')
    for (const guest of page) if (!signal.aborted && (await judgeGuest(services, guest))) removed++
  } while (page.length === PAGE && !signal.aborted)
  return removed
}

async function judgeGuest(services: Needs<'db' | 'jobs' | 'clock'>, { userId, isShared, unsharedSince }: Guest) {
  const now = services.clock.now()
  const isNoted = unsharedSince !== null
  if (isNoted === isShared) await updateUser(services.db, userId, { unsharedSince: isShared ? null : now })
  else if (isNoted && unsharedSince.getTime() + KEPT_MS <= now.getTime()) return await removeGuest(services, userId)
  return false
}

/** Looks again under the lock: the guest may have signed in by mail, or accepted another invite. */
async function removeGuest({ db, ...services }: Needs<'db' | 'jobs' | 'clock'>, userId: string) {
  return await db.transaction(async tx => {
    const user = await lockUser(tx, userId)
    if (!user?.guest) return false
    const { rows } = await tx.execute(sql`select from shared_with where recipient_id = ${userId} limit 1`)
    return rows.length === 0 && (await endAccount({ ...services, db: tx }, userId, 'retention'))
  })
}

async function selectGuests(db: Db, after: string): Promise<Guest[]> {
  const { rows } = await db.execute<{ user_id: string; shared: boolean; since: string | null }>(sql`
    select u.user_id, u.unshared_since as since,
      exists (select from shared_with s where s.recipient_id = u.user_id) as shared
    from users u where u.guest and u.deleted_at is null and u.user_id > ${after} order by u.user_id limit ${PAGE}`)
  return rows.map(({ user_id: userId, shared: isShared, since }) => ({
    userId,
    isShared,
    unsharedSince: since === null ? null : new Date(since)
  }))
}

import { emailAddress, normalizeEmail } from '../../contract/email.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { SkipReason } from '../../contract/sharing.ts'
import { ApiError } from '../../platform/core/api-error.ts'
import { newId } from '../../platform/core/ids.ts'
import { sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { hashSecret, inviteSecret } from './claim.ts'
import { findInvite, type Invite, listGrants, type SessionShare, saveInvite } from './queries.ts'

interface Addressee {
  /** As the sender wrote it. */
  address: string
  message: string
  sender: { email: string }
}

interface InviteOptions {
  secretKey: string
  now: Date
  expiresAt: Date
}

/** Saves an invite of an address, or one that is sent again. Returns it, or why the address is skipped. */
export async function inviteAddress(
  tx: Db,
  { userId, sessionId, removals }: SessionShare,
  { address, message, sender }: Addressee,
  { secretKey, now, expiresAt }: InviteOptions
): Promise<Invite | { email: string; reason: SkipReason }> {
  const email = normalizeEmail(address)
  if (!emailAddress.safeParse(email).success) return { email: address, reason: 'invalid_email' }
  if (email === sender.email) return { email, reason: 'self' }
  const before = await findInvite(tx, userId, sessionId, email)
  const grants = await listGrants(tx, userId, sessionId, email, before?.claimedBy ?? null)
  if (grants.some(({ active }) => active)) return { email, reason: 'already_shared' }
  const pending = before?.claimedBy === null && before.expiresAt > now ? before : undefined
  // A removal ends the invites that its recipient had before; those of others stay valid.
  const current = pending && !grants.some(({ removal }) => (removal ?? 0) > pending.removals)
  if (current && now.getTime() - pending.lastSentAt.getTime() < LIMITS.sharing.resendMs)
    return { email, reason: 'already_invited' }
  const inviteId = pending?.inviteId ?? newId('inv')
  const after = {
    sessionId,
    email,
    inviteId,
    hash: hashSecret(inviteSecret(secretKey, inviteId)),
    message,
    removals,
    sentAt: pending?.sentAt ?? now,
    lastSentAt: now,
    sendCount: (pending?.sendCount ?? 0) + 1,
    expiresAt,
    claimedBy: null
  }
  await saveInvite(tx, userId, before, after)
  return { userId, ...after }
}

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

import { emailAddress, normalizeEmail } from '../contract/email.ts'
import { LIMITS } from '../contract/limits.ts'
import type { ShareInvites, SkipReason } from '../contract/sharing.ts'
import { newId } from '../core/ids.ts'
import type { Db } from '../db/open.ts'
import type { Jobs } from '../jobs/jobs.ts'
import { expiryFrom, requireSender } from './change-sharing.ts'
import { findInvite, type Invite, listGrants, lockShare, type SessionShare, saveInvite } from './queries.ts'
import { countShareWrite } from './rate-limit.ts'
import { hashSecret, inviteSecret } from './secret.ts'

interface Inviter {
  db: Db
  jobs: Pick<Jobs, 'enqueue'>
  secretKey: string
}

/** Invites each valid address and enqueues the mails. */
export async function invitePeople(
  { db, jobs, secretKey }: Inviter,
  userId: string,
  sessionId: string,
  sent: ShareInvites,
  now: Date
) {
  return await db.transaction(async tx => {
    const share = await lockShare(tx, userId, sessionId)
    const sender = await requireSender(tx, userId)
    const invited: Invite[] = []
    const skipped: { email: string; reason: SkipReason }[] = []
    for (const written of sent.emails) {
      const email = normalizeEmail(written)
      const outcome = await invite(
        tx,
        share,
        { email, self: email === sender.email, message: sent.message ?? '' },
        { secretKey, now }
      )
      if (typeof outcome === 'string')
        skipped.push({ email: outcome === 'invalid_email' ? written : email, reason: outcome })
      else invited.push(outcome)
    }
    for (const { inviteId, sendCount } of invited)
      await jobs.enqueue(tx, 'send-invite', { userId, inviteId, sendCount })
    await countShareWrite(tx, userId, now, invited.length)
    return {
      sent: invited.map(({ email }) => email),
      skipped,
      expires_at: invited.length > 0 ? expiryFrom(now).toISOString() : null
    }
  })
}

interface Addressee {
  email: string
  self: boolean
  message: string
}

/** Returns the saved invite, or the reason to skip it. */
async function invite(
  tx: Db,
  { userId, sessionId, removals }: SessionShare,
  { email, self, message }: Addressee,
  { secretKey, now }: { secretKey: string; now: Date }
) {
  if (!emailAddress.safeParse(email).success) return 'invalid_email'
  if (self) return 'self'
  const before = await findInvite(tx, userId, sessionId, email)
  const grants = await listGrants(tx, userId, sessionId, email, before?.claimedBy ?? null)
  if (grants.some(({ active }) => active)) return 'already_shared'
  const pending = before?.claimedBy === null && before.expiresAt > now ? before : undefined
  // A removal ends the invites that its recipient had before; those of others stay valid.
  const current = pending && !grants.some(({ removal }) => (removal ?? 0) > pending.removals)
  if (current && now.getTime() - pending.lastSentAt.getTime() < LIMITS.sharing.resendMs) return 'already_invited'
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
    expiresAt: expiryFrom(now),
    claimedBy: null
  }
  await saveInvite(tx, userId, before, after)
  return { userId, ...after }
}

import { emailAddress, normalizeEmail } from '../../contract/email.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { SkipReason } from '../../contract/sharing.ts'
import { newId } from '../../platform/core/ids.ts'
import type { Db } from '../../platform/db/open.ts'
import { findInvite, type Invite, listGrants, type SessionShare, saveInvite } from './queries.ts'
import { hashSecret, inviteSecret } from './secret.ts'

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

import { LIMITS } from '../contract/limits.ts'
import { ApiError, notFound } from '../core/api-error.ts'
import type { Db } from '../db/open.ts'
import {
  createLink,
  deactivateGrants,
  deleteInvite,
  deleteLinks,
  deletePendingInvites,
  findInvite,
  findSender,
  lockSharing,
  type SessionShare
} from './queries.ts'
import { countSharing } from './rate.ts'
import { hashSecret, joinUrl, makeSecret } from './secret.ts'

const LIFETIME_MS = LIMITS.sharing.linkDays * 86_400_000

/** When what is handed out now can no longer be claimed. */
export function expiryFrom(now: Date) {
  return new Date(now.getTime() + LIFETIME_MS)
}

/** Makes one more link; those before stay valid. Its URL is in the answer and nowhere else. */
export async function shareByLink(db: Db, userId: string, sessionId: string, publicUrl: string, now: Date) {
  return await db.transaction(async tx => {
    const share = await lockSharing(tx, userId, sessionId)
    await requireSender(tx, userId)
    const link = await addLink(tx, userId, share, publicUrl, now)
    await countSharing(tx, userId, now)
    return link
  })
}

/** Ends every link and makes another; with `removeEveryone` also every access and every invite that waits. */
export async function resetLink(
  db: Db,
  userId: string,
  sessionId: string,
  removeEveryone: boolean,
  { publicUrl, now }: { publicUrl: string; now: Date }
) {
  return await db.transaction(async tx => {
    const share = await lockSharing(tx, userId, sessionId)
    await requireSender(tx, userId)
    await deleteLinks(tx, userId, sessionId)
    if (removeEveryone) await deletePendingInvites(tx, userId, sessionId)
    const removed = removeEveryone ? await deactivateGrants(tx, userId, share) : 0
    const link = await addLink(tx, userId, { ...share, removals: share.removals + Number(removed > 0) }, publicUrl, now)
    await countSharing(tx, userId, now)
    return { ...link, removed }
  })
}

async function addLink(tx: Db, userId: string, { sessionId, removals }: SessionShare, publicUrl: string, now: Date) {
  const secret = makeSecret()
  const expiresAt = expiryFrom(now)
  await createLink(tx, userId, { sessionId, hash: hashSecret(secret), removals, createdAt: now, expiresAt })
  return { url: joinUrl(publicUrl, secret), expires_at: expiresAt.toISOString() }
}

/** Takes a recipient's access away; what they were given before lets them in no more. */
export async function removeRecipient(db: Db, userId: string, sessionId: string, recipientId: string, now: Date) {
  await db.transaction(async tx => {
    const share = await lockSharing(tx, userId, sessionId)
    const removed = await deactivateGrants(tx, userId, share, recipientId)
    if (removed === 0) throw notFound('Recipient')
    await countSharing(tx, userId, now)
  })
}

/** Ends the invite of an address unless it was taken up. Returns whether there was one, of that id where one is given. */
export async function cancelInvite(
  db: Db,
  userId: string,
  sessionId: string,
  { email, inviteId }: { email: string; inviteId: string | undefined },
  now: Date
) {
  return await db.transaction(async tx => {
    await lockSharing(tx, userId, sessionId)
    const invite = await findInvite(tx, userId, sessionId, email)
    const pending = invite !== undefined && invite.claimedBy === null && invite.expiresAt > now
    const cancelled = pending && (inviteId === undefined || inviteId === invite.inviteId)
    if (cancelled) await deleteInvite(tx, userId, invite)
    await countSharing(tx, userId, now)
    return cancelled
  })
}

/** Nobody shares without an address that is known to be theirs: recipients are told who it is. */
export async function requireSender(db: Db, userId: string) {
  const sender = await findSender(db, userId)
  if (!sender?.email) throw new ApiError('account_required', 'Sharing needs an account with an e-mail address')
  if (!sender.emailVerifiedAt) throw new ApiError('sender_unverified', 'Verify your e-mail address before you share')
  return { name: sender.name, email: sender.email }
}

import { LIMITS } from '../contract/limits.ts'
import type { ShareScope } from '../contract/sharing.ts'
import { ApiError, throwNotFound } from '../core/api-error.ts'
import { sql } from '../db/drizzle.ts'
import { matches } from '../db/matches.ts'
import type { Database, Db, Queryable } from '../db/open.ts'
import { sessionShares } from '../db/schema/index.ts'
import {
  createLink,
  deactivateGrants,
  deleteInvite,
  deleteLinks,
  deletePendingInvites,
  findInvite,
  findSender,
  lockShare,
  type SessionShare
} from './queries.ts'
import { countShareWrite } from './rate-limit.ts'
import { hashSecret, joinUrl, makeSecret } from './secret.ts'

const LIFETIME_MS = LIMITS.sharing.linkDays * 86_400_000

export function expiryFrom(now: Date) {
  return new Date(now.getTime() + LIFETIME_MS)
}

/** Creates a link; earlier links stay valid. The URL is returned only here. */
export async function createShareLink(db: Db, userId: string, sessionId: string, publicUrl: string, now: Date) {
  return await db.transaction(async tx => {
    const share = await lockShare(tx, userId, sessionId)
    await requireSender(tx, userId)
    const link = await addLink(tx, userId, share, publicUrl, now)
    await countShareWrite(tx, userId, now)
    return link
  })
}

/** Deletes all links and creates one. With `removeEveryone`, also ends all access and deletes pending invites. */
export async function resetShareLinks(
  db: Db,
  userId: string,
  sessionId: string,
  removeEveryone: boolean,
  { publicUrl, now }: { publicUrl: string; now: Date }
) {
  return await db.transaction(async tx => {
    const share = await lockShare(tx, userId, sessionId)
    await requireSender(tx, userId)
    await deleteLinks(tx, userId, sessionId)
    if (removeEveryone) await deletePendingInvites(tx, userId, sessionId)
    const removed = removeEveryone ? await deactivateGrants(tx, userId, share) : 0
    const link = await addLink(tx, userId, { ...share, removals: share.removals + Number(removed > 0) }, publicUrl, now)
    await countShareWrite(tx, userId, now)
    return { ...link, removed }
  })
}

async function addLink(tx: Db, userId: string, { sessionId, removals }: SessionShare, publicUrl: string, now: Date) {
  const secret = makeSecret()
  const expiresAt = expiryFrom(now)
  await createLink(tx, userId, { sessionId, hash: hashSecret(secret), removals, createdAt: now, expiresAt })
  return { url: joinUrl(publicUrl, secret), expires_at: expiresAt.toISOString() }
}

/** Ends the access of a recipient; earlier links and invites no longer give them access. */
export async function removeRecipient(db: Db, userId: string, sessionId: string, recipientId: string, now: Date) {
  await db.transaction(async tx => {
    const share = await lockShare(tx, userId, sessionId)
    const removed = await deactivateGrants(tx, userId, share, recipientId)
    if (removed === 0) throwNotFound('Recipient')
    await countShareWrite(tx, userId, now)
  })
}

/** Deletes the pending invite of an address. Returns whether there was one, with the given id if any. */
export async function cancelInvite(
  db: Db,
  userId: string,
  sessionId: string,
  { email, inviteId }: { email: string; inviteId: string | undefined },
  now: Date
) {
  return await db.transaction(async tx => {
    await lockShare(tx, userId, sessionId)
    const invite = await findInvite(tx, userId, sessionId, email)
    const pending = invite !== undefined && invite.claimedBy === null && invite.expiresAt > now
    const cancelled = pending && (inviteId === undefined || inviteId === invite.inviteId)
    if (cancelled) await deleteInvite(tx, userId, invite)
    await countShareWrite(tx, userId, now)
    return cancelled
  })
}

/** Sharing needs a verified address, because recipients see it. */
export async function requireSender(db: Db, userId: string) {
  const sender = await findSender(db, userId)
  if (!sender?.email) throw new ApiError('account_required', 'Sharing needs an account with an e-mail address')
  if (!sender.emailVerifiedAt) throw new ApiError('sender_unverified', 'Verify your e-mail address before you share')
  return { name: sender.name, email: sender.email }
}

/** Returns the shared parts; by default all. Undefined without the session. */
export async function findShareScope(db: Queryable, userId: string, sessionId: string) {
  const [scope] = await db.query<ShareScope>(sql`
    select coalesce(x.summary, true) as summary, coalesce(x.transcript, true) as transcript, coalesce(x.audio, true) as audio,
      coalesce(x.action_items, true) as action_items
    from sessions s left join session_shares x on x.user_id = ${userId} and x.session_id = s.session_id
    where s.user_id = ${userId} and s.session_id = ${sessionId} and s.state <> 'deleted'`)
  return scope
}

/** Changes the sent parts, of which there is at least one. Undefined without the session. */
export async function changeShareScope(
  db: Database,
  userId: string,
  sessionId: string,
  { action_items: actionItems, ...parts }: { [part in keyof ShareScope]?: boolean | undefined }
): Promise<ShareScope | undefined> {
  if (!(await findShareScope(db, userId, sessionId))) return undefined
  return await db.transaction(async tx => {
    await lockShare(tx, userId, sessionId)
    const { summary, transcript, audio, actionItems: action_items } = sessionShares
    const [scope] = await tx
      .update(sessionShares)
      .set({ ...parts, actionItems })
      .where(matches(sessionShares, { userId, sessionId }))
      .returning({ summary, transcript, audio, action_items })
    return scope
  })
}

import type { ShareScopePatch } from '../../contract/admin/share.ts'
import type { ShareScope } from '../../contract/sharing.ts'
import { ApiError, throwNotFound } from '../../platform/core/api-error.ts'
import { and, eq, gt, isNull, ne, sql } from '../../platform/db/drizzle.ts'
import { matches } from '../../platform/db/matches.ts'
import type { Db, Queryable } from '../../platform/db/open.ts'
import {
  sessionShares,
  sessions,
  sharedWith,
  shareGrants,
  shareInvites,
  shareLinks,
  shareSecrets,
  users
} from '../../platform/db/schema/index.ts'

export type SessionShare = typeof sessionShares.$inferSelect

/**
 * Locks the share row of a session until the transaction ends, and creates it for the first share. The session itself is locked against
 * deletion only. Throws unless the user owns the session.
 */
export async function lockShare(tx: Db, userId: string, sessionId: string): Promise<SessionShare> {
  tx.willLock('session')
  await tx.execute(sql`
    insert into session_shares (user_id, session_id)
    select user_id, session_id from sessions where user_id = ${userId} and session_id = ${sessionId} and state <> 'deleted' for key share
    on conflict do nothing`)
  return (await lockExistingShare(tx, userId, sessionId)) ?? (await throwNotOwner(tx, userId, sessionId))
}

/** Like `lockShare`, but returns undefined if the session was never shared or is deleted. */
export async function lockExistingShare(tx: Db, userId: string, sessionId: string): Promise<SessionShare | undefined> {
  tx.willLock('share')
  const [share] = await tx
    .select()
    .from(sessionShares)
    .where(
      and(
        matches(sessionShares, { userId, sessionId }),
        sql`exists (select from sessions s where s.user_id = ${userId} and s.session_id = ${sessionId} and s.state <> 'deleted')`
      )
    )
    .for('update')
  return share
}

/** Throws no_access for recipients of the session, and not_found for others. */
export async function throwNotOwner(db: Db, userId: string, sessionId: string): Promise<never> {
  const shared = await db
    .select({ ownerId: sharedWith.ownerId })
    .from(sharedWith)
    .where(matches(sharedWith, { recipientId: userId, sessionId }))
  for (const { ownerId } of shared) {
    const [session] = await db
      .select({ state: sessions.state })
      .from(sessions)
      .where(and(matches(sessions, { userId: ownerId, sessionId }), ne(sessions.state, 'deleted')))
    if (session) throw new ApiError('no_access', 'Only the owner of the session manages its sharing')
  }
  throwNotFound('Session')
}

/** Returns the shared parts of a session; by default all. */
export async function findShareScope(db: Queryable, userId: string, sessionId: string) {
  const [scope] = await db.query<ShareScope>(sql`
    select coalesce(x.summary, true) as summary, coalesce(x.transcript, true) as transcript, coalesce(x.audio, true) as audio,
      coalesce(x.action_items, true) as action_items
    from sessions s left join session_shares x on x.user_id = ${userId} and x.session_id = s.session_id
    where s.user_id = ${userId} and s.session_id = ${sessionId} and s.state <> 'deleted'`)
  return scope
}

/** Sets the given parts, of which there is at least one, and returns all. */
export async function setShareScope(
  tx: Db,
  userId: string,
  sessionId: string,
  { action_items: actionItems, ...parts }: ShareScopePatch
): Promise<ShareScope | undefined> {
  const { summary, transcript, audio, actionItems: action_items } = sessionShares
  const [scope] = await tx
    .update(sessionShares)
    .set({ ...parts, actionItems })
    .where(matches(sessionShares, { userId, sessionId }))
    .returning({ summary, transcript, audio, action_items })
  return scope
}

export async function createLink(tx: Db, userId: string, link: Omit<typeof shareLinks.$inferInsert, 'userId'>) {
  await tx.insert(shareLinks).values({ userId, ...link })
  await tx.insert(shareSecrets).values({ hash: link.hash, userId, sessionId: link.sessionId, kind: 'link' })
}

export async function deleteLinks(tx: Db, userId: string, sessionId: string) {
  await tx.delete(shareSecrets).where(matches(shareSecrets, { userId, sessionId, kind: 'link' }))
  await tx.delete(shareLinks).where(matches(shareLinks, { userId, sessionId }))
}

/** Ends the access of the recipient, or of everyone. Returns how many had access. */
export async function deactivateGrants(tx: Db, userId: string, share: SessionShare, recipientId?: string) {
  const { sessionId } = share
  const removal = share.removals + 1
  const ended = await tx
    .update(shareGrants)
    .set({ active: false, removal })
    .where(matches(shareGrants, { userId, sessionId, active: true, ...(recipientId !== undefined && { recipientId }) }))
    .returning({ recipientId: shareGrants.recipientId })
  if (ended.length === 0) return 0
  for (const { recipientId } of ended) await unlistShared(tx, userId, sessionId, recipientId)
  await tx.update(sessionShares).set({ removals: removal }).where(matches(sessionShares, { userId, sessionId }))
  return ended.length
}

export type Invite = typeof shareInvites.$inferSelect

export async function findInvite(
  db: Db,
  userId: string,
  sessionId: string,
  email: string
): Promise<Invite | undefined> {
  const [invite] = await db.select().from(shareInvites).where(matches(shareInvites, { userId, sessionId, email }))
  return invite
}

/** Replaces the invite of an address with its secret. */
export async function saveInvite(tx: Db, userId: string, before: Invite | undefined, invite: Omit<Invite, 'userId'>) {
  if (before) await deleteInvite(tx, userId, before)
  await tx.insert(shareInvites).values({ userId, ...invite })
  await tx.insert(shareSecrets).values({ hash: invite.hash, userId, sessionId: invite.sessionId, kind: 'invite' })
}

export async function deleteInvite(
  tx: Db,
  userId: string,
  { sessionId, email, hash }: Pick<Invite, 'sessionId' | 'email' | 'hash'>
) {
  await tx.delete(shareSecrets).where(eq(shareSecrets.hash, hash))
  await tx.delete(shareInvites).where(matches(shareInvites, { userId, sessionId, email }))
}

export async function deletePendingInvites(tx: Db, userId: string, sessionId: string) {
  const pending = await tx
    .delete(shareInvites)
    .where(and(matches(shareInvites, { userId, sessionId }), isNull(shareInvites.claimedBy)))
    .returning({ hash: shareInvites.hash })
  for (const { hash } of pending) await tx.delete(shareSecrets).where(eq(shareSecrets.hash, hash))
}

/** Lists the grants, ended ones too, of the user with the address and of the user who claimed its invite. */
export async function listGrants(db: Db, userId: string, sessionId: string, email: string, claimedBy: string | null) {
  const { rows } = await db.execute<{ active: boolean; removal: number | null }>(sql`
    select g.active, g.removal from share_grants g
    where g.user_id = ${userId} and g.session_id = ${sessionId}
      and g.recipient_id in (select e.user_id from user_emails e where e.email = ${email} union all select ${claimedBy}::text)`)
  return rows
}

export async function findSender(db: Db, userId: string) {
  const [sender] = await db
    .select({ name: users.name, email: users.email, emailVerifiedAt: users.emailVerifiedAt })
    .from(users)
    .where(eq(users.userId, userId))
  return sender
}

/** Returns the invite while it is pending. */
export async function findPendingInvite(
  db: Db,
  userId: string,
  inviteId: string,
  now: Date
): Promise<Invite | undefined> {
  const [invite] = await db
    .select()
    .from(shareInvites)
    .where(
      and(matches(shareInvites, { userId, inviteId }), isNull(shareInvites.claimedBy), gt(shareInvites.expiresAt, now))
    )
  return invite
}

/** Returns the address of a pending invite. */
export async function findInvitedEmail(db: Db, userId: string, sessionId: string, hash: Buffer, now: Date) {
  const isPending = and(isNull(shareInvites.claimedBy), gt(shareInvites.expiresAt, now))
  const [invite] = await db
    .select({ email: shareInvites.email })
    .from(shareInvites)
    .where(and(matches(shareInvites, { userId, sessionId, hash }), isPending))
  return invite?.email
}

/** Removes a session from the list of a recipient. */
export async function unlistShared(tx: Db, userId: string, sessionId: string, recipientId: string) {
  await tx.delete(sharedWith).where(matches(sharedWith, { recipientId, sessionId, ownerId: userId }))
}

/** Deletes the rows that do not cascade with the session. */
export async function deleteShareLookups(tx: Db, userId: string, sessionId: string) {
  if (!(await lockExistingShare(tx, userId, sessionId))) return
  const grants = await tx
    .select({ recipientId: shareGrants.recipientId })
    .from(shareGrants)
    .where(matches(shareGrants, { userId, sessionId }))
  for (const { recipientId } of grants) await unlistShared(tx, userId, sessionId, recipientId)
  await tx.delete(shareSecrets).where(matches(shareSecrets, { userId, sessionId }))
}

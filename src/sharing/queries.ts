import type { SessionSharingResponse, ShareScope } from '../contract/sharing.ts'
import { ApiError, notFound } from '../core/api-error.ts'
import { and, eq, gt, isNull, ne, sql } from '../db/drizzle.ts'
import type { Db, Reader } from '../db/open.ts'
import { sessionShares, sessions, sharedWith, shareGrants, shareInvites, shareLinks, shareSecrets, users } from '../db/schema/index.ts'

export type SessionShare = typeof sessionShares.$inferSelect

/**
 * Locks how a session is shared until the transaction ends; the first time it is shared this makes the row. The session's
 * own row is only held against deletion. Throws for whoever does not own the session.
 */
export async function lockSharing(tx: Db, userId: string, sessionId: string): Promise<SessionShare> {
  await tx.execute(sql`
    insert into session_shares (user_id, session_id)
    select user_id, session_id from sessions where user_id = ${userId} and session_id = ${sessionId} and state <> 'deleted' for key share
    on conflict do nothing`)
  return (await lockShared(tx, userId, sessionId)) ?? (await refuseStranger(tx, userId, sessionId))
}

/** The same for a session that may never have been shared, where there is nothing to make. One that is deleted is not found. */
export async function lockShared(tx: Db, userId: string, sessionId: string): Promise<SessionShare | undefined> {
  const [share] = await tx
    .select()
    .from(sessionShares)
    .where(
      and(
        eq(sessionShares.userId, userId),
        eq(sessionShares.sessionId, sessionId),
        sql`exists (select from sessions s where s.user_id = ${userId} and s.session_id = ${sessionId} and s.state <> 'deleted')`
      )
    )
    .for('update')
  return share
}

/** Whoever reads the session as a recipient is told that only its owner may do this; to others, and once it is deleted, there is none. */
export async function refuseStranger(db: Db, userId: string, sessionId: string): Promise<never> {
  const [shared] = await db
    .select({ ownerId: sharedWith.ownerId })
    .from(sharedWith)
    .innerJoin(sessions, and(eq(sessions.userId, sharedWith.ownerId), eq(sessions.sessionId, sharedWith.sessionId)))
    .where(and(eq(sharedWith.recipientId, userId), eq(sharedWith.sessionId, sessionId), ne(sessions.state, 'deleted')))
    .limit(1)
  if (shared) throw new ApiError('no_access', 'Only the owner of the session manages its sharing')
  throw notFound('Session')
}

const SHARING = {
  name: 'find_session_sharing',
  text: `select
      (select coalesce(json_agg(json_build_array(g.recipient_id, u.name, u.email, g.shared_at, g.sources) order by g.shared_at, g.recipient_id), '[]')
        from share_grants g left join users u on u.user_id = g.recipient_id
        where g.user_id = s.user_id and g.session_id = s.session_id and g.active),
      (select coalesce(json_agg(json_build_array(email, sent_at, last_sent_at, send_count, invite_id) order by sent_at, invite_id), '[]')
        from share_invites i
        where i.user_id = s.user_id and i.session_id = s.session_id and i.claimed_by is null and i.expires_at > $3)
    from sessions s where s.user_id = $1 and s.session_id = $2 and s.state <> 'deleted'`
}

type SharingRow = [[string, string | null, string | null, string, string[]][], [string, string, string, number, string][]]

/** Who has access and who is invited; undefined without the session. */
export async function findSharing(db: Reader, userId: string, sessionId: string, now: Date): Promise<SessionSharingResponse | undefined> {
  const [row] = await db.run<SharingRow>(SHARING, [userId, sessionId, now])
  if (!row) return undefined
  const [people, invites] = row
  return {
    people: people.map(([id, name, email, sharedAt, sources]) => ({ id, name, email, shared_at: iso(sharedAt), sources })),
    pending_invites: invites.map(([email, sentAt, lastSentAt, sendCount, inviteId]) => ({
      email,
      sent_at: iso(sentAt),
      last_sent_at: iso(lastSentAt),
      send_count: sendCount,
      invite_id: inviteId
    })),
    link: { url: null }
  }
}

/** Inside JSON, instants are not written as the driver writes them. */
function iso(instant: string) {
  return new Date(instant).toISOString()
}

/** What recipients see of the session from now on. Undefined without the session. */
export async function setShareScope(tx: Db, userId: string, sessionId: string, scope: ShareScope) {
  const { summary, transcript, audio, action_items: actionItems } = scope
  await lockSharing(tx, userId, sessionId)
  await tx
    .update(sessionShares)
    .set({ summary, transcript, audio, actionItems })
    .where(and(eq(sessionShares.userId, userId), eq(sessionShares.sessionId, sessionId)))
}

export async function createLink(tx: Db, userId: string, link: Omit<typeof shareLinks.$inferInsert, 'userId'>) {
  await tx.insert(shareLinks).values({ userId, ...link })
  await tx.insert(shareSecrets).values({ hash: link.hash, userId, sessionId: link.sessionId, kind: 'link' })
}

/** Ends every link of the session. */
export async function deleteLinks(tx: Db, userId: string, sessionId: string) {
  const mine = and(eq(shareSecrets.userId, userId), eq(shareSecrets.sessionId, sessionId))
  await tx.delete(shareSecrets).where(and(mine, eq(shareSecrets.kind, 'link')))
  await tx.delete(shareLinks).where(and(eq(shareLinks.userId, userId), eq(shareLinks.sessionId, sessionId)))
}

/** Takes access away from the recipient, or from everyone. Returns how many had it. */
export async function deactivateGrants(tx: Db, userId: string, share: SessionShare, recipientId?: string) {
  const { sessionId } = share
  const removal = share.removals + 1
  const grants = and(eq(shareGrants.userId, userId), eq(shareGrants.sessionId, sessionId), eq(shareGrants.active, true))
  const ended = await tx
    .update(shareGrants)
    .set({ active: false, removal })
    .where(and(grants, recipientId === undefined ? undefined : eq(shareGrants.recipientId, recipientId)))
    .returning({ recipientId: shareGrants.recipientId })
  if (ended.length === 0) return 0
  const recipients = sql.param(ended.map(({ recipientId }) => recipientId))
  await tx.execute(sql`
    delete from shared_with where recipient_id = any(${recipients}::text[]) and session_id = ${sessionId} and owner_id = ${userId}`)
  await tx
    .update(sessionShares)
    .set({ removals: removal })
    .where(and(eq(sessionShares.userId, userId), eq(sessionShares.sessionId, sessionId)))
  return ended.length
}

export type Invite = typeof shareInvites.$inferSelect

export async function findInvite(db: Db, userId: string, sessionId: string, email: string): Promise<Invite | undefined> {
  const [invite] = await db
    .select()
    .from(shareInvites)
    .where(and(eq(shareInvites.userId, userId), eq(shareInvites.sessionId, sessionId), eq(shareInvites.email, email)))
  return invite
}

/** Writes an invite in the place of the one that the address had before, whose secret ends unless it is the same. */
export async function saveInvite(tx: Db, userId: string, before: Invite | undefined, invite: Omit<Invite, 'userId'>) {
  if (before) await deleteInvite(tx, userId, before)
  await tx.insert(shareInvites).values({ userId, ...invite })
  await tx.insert(shareSecrets).values({ hash: invite.hash, userId, sessionId: invite.sessionId, kind: 'invite' })
}

export async function deleteInvite(tx: Db, userId: string, { sessionId, email, hash }: Pick<Invite, 'sessionId' | 'email' | 'hash'>) {
  await tx.delete(shareSecrets).where(eq(shareSecrets.hash, hash))
  await tx
    .delete(shareInvites)
    .where(and(eq(shareInvites.userId, userId), eq(shareInvites.sessionId, sessionId), eq(shareInvites.email, email)))
}

/** Ends every invite that nobody has taken up. */
export async function deletePendingInvites(tx: Db, userId: string, sessionId: string) {
  const pending = await tx
    .delete(shareInvites)
    .where(and(eq(shareInvites.userId, userId), eq(shareInvites.sessionId, sessionId), isNull(shareInvites.claimedBy)))
    .returning({ hash: shareInvites.hash })
  for (const { hash } of pending) await tx.delete(shareSecrets).where(eq(shareSecrets.hash, hash))
}

/** Whether the owner of that address, or whoever took up its invite, has access. */
export async function hasAccess(db: Db, userId: string, sessionId: string, email: string, claimedBy: string | null) {
  const { rows } = await db.execute(sql`
    select from share_grants g
    where g.user_id = ${userId} and g.session_id = ${sessionId} and g.active
      and g.recipient_id in (select e.user_id from user_emails e where e.email = ${email} union all select ${claimedBy}::text)`)
  return rows.length > 0
}

/** Who shares, for whoever is told of it. */
export async function findSender(db: Db, userId: string) {
  const [sender] = await db
    .select({ name: users.name, email: users.email, emailVerifiedAt: users.emailVerifiedAt })
    .from(users)
    .where(eq(users.userId, userId))
  return sender
}

/** The invite of that id as long as it waits to be taken up. */
export async function findPendingInvite(db: Db, userId: string, inviteId: string, now: Date): Promise<Invite | undefined> {
  const [invite] = await db
    .select()
    .from(shareInvites)
    .where(
      and(
        eq(shareInvites.userId, userId),
        eq(shareInvites.inviteId, inviteId),
        isNull(shareInvites.claimedBy),
        gt(shareInvites.expiresAt, now)
      )
    )
  return invite
}

/** Takes out of the lookups what they have of a session that is being deleted; the rest goes with its row. */
export async function forgetShares(tx: Db, userId: string, sessionId: string) {
  if (!(await lockShared(tx, userId, sessionId))) return
  await tx.execute(sql`
    delete from shared_with w using share_grants g
    where g.user_id = ${userId} and g.session_id = ${sessionId}
      and w.recipient_id = g.recipient_id and w.session_id = ${sessionId} and w.owner_id = ${userId}`)
  await tx.delete(shareSecrets).where(and(eq(shareSecrets.userId, userId), eq(shareSecrets.sessionId, sessionId)))
}

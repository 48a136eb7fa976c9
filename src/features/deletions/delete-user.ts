import { throwNotFound } from '../../platform/core/api-error.ts'
import { and, eq, isNull, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import {
  type Deleter,
  exports,
  sessionShares,
  shareGrants,
  shareInvites,
  shareSecrets,
  tokenOwners,
  tokens,
  userEmails,
  users,
  webhooks
} from '../../platform/db/schema/index.ts'
import { deleterOf } from '../access/actor.ts'
import { operation } from '../access/operation.ts'
import { recordDeletion } from '../library/record-deletion.ts'
import type { Needs } from '../services.ts'
import { unlistShared } from '../sharing/queries.ts'
import { endConsoleSessions } from '../sign-in/console-sessions.ts'
import { forgetIdentities } from '../sign-in/oidc/identities.ts'
import { deleteSignInLinks } from '../sign-in/sign-in-links.ts'

/**
 * Deletes a user permanently. At once their tokens are refused, their address is free, their webhooks are inactive, and their recipients
 * lose access. A job erases the rest.
 */
export const deleteUser = operation(
  'deleteUser',
  async (services: Needs<'db' | 'jobs' | 'clock'>, actor): Promise<void> => {
    if (!(await endAccount(services, actor.userId, deleterOf(actor)))) throwNotFound('User')
  }
)

/** Deletes a user if there is one, and returns whether there was. */
export async function endAccount(
  { db, jobs, clock }: Needs<'db' | 'jobs' | 'clock'>,
  userId: string,
  by: Deleter | null
) {
  return await db.transaction(async tx => {
    tx.willLock('user')
    const [user] = await tx
      .select({ email: users.email, verified: users.emailVerifiedAt })
      .from(users)
      .where(and(eq(users.userId, userId), isNull(users.deletedAt)))
      .for('update')
    if (!user) return false
    const now = clock.now()
    const nothing = { operator: false, name: null, email: null, emailVerifiedAt: null, verifiedCallerId: null }
    await tx
      .update(users)
      .set({ ...nothing, deletedAt: now })
      .where(eq(users.userId, userId))
    await tx.delete(userEmails).where(eq(userEmails.userId, userId))
    await forgetIdentities(tx, userId)
    await endTokens(tx, userId, now)
    await endConsoleSessions(tx, userId)
    await deleteSignInLinks(tx, userId, user.email)
    await endShares(tx, userId)
    await tx.delete(exports).where(eq(exports.userId, userId))
    tx.willLock('webhook')
    await tx.update(webhooks).set({ active: false }).where(eq(webhooks.userId, userId))
    if (user.email !== null && user.verified !== null) await endInvitesTo(tx, user.email)
    await recordDeletion(tx, userId, '', { what: 'user', by, deletedAt: now })
    await jobs.enqueue(tx, 'delete-user', { userId })
    return true
  })
}

async function endTokens(tx: Db, userId: string, now: Date) {
  await tx
    .update(tokens)
    .set({ revokedAt: now })
    .where(and(eq(tokens.userId, userId), isNull(tokens.revokedAt)))
  await tx.delete(tokenOwners).where(eq(tokenOwners.userId, userId))
}

/** Ends the shares of the user. Links, invites and grants are deleted with the share rows. */
async function endShares(tx: Db, userId: string) {
  tx.willLock('share')
  await tx.execute(sql`select from session_shares where user_id = ${userId} order by session_id for update`)
  const grants = await tx
    .select({ recipientId: shareGrants.recipientId, sessionId: shareGrants.sessionId })
    .from(shareGrants)
    .where(eq(shareGrants.userId, userId))
  for (const { recipientId, sessionId } of grants) await unlistShared(tx, userId, sessionId, recipientId)
  await tx.delete(shareSecrets).where(eq(shareSecrets.userId, userId))
  await tx.delete(sessionShares).where(eq(sessionShares.userId, userId))
}

/** Deletes pending invites to the address of the user. */
async function endInvitesTo(tx: Db, email: string) {
  const ended = await tx
    .delete(shareInvites)
    .where(and(eq(shareInvites.email, email), isNull(shareInvites.claimedBy)))
    .returning({ hash: shareInvites.hash })
  for (const { hash } of ended) await tx.delete(shareSecrets).where(eq(shareSecrets.hash, hash))
}

import { ApiError, invalid } from '../../platform/core/api-error.ts'
import { sql } from '../../platform/db/drizzle.ts'
import { matches } from '../../platform/db/matches.ts'
import type { Database, Db } from '../../platform/db/open.ts'
import { type ShareSource, sharedWith, shareGrants, shareInvites, shareLinks } from '../../platform/db/schema/index.ts'
import { findSecretPlace, type SecretPlace } from './lookup.ts'
import { lockExistingShare, type SessionShare } from './queries.ts'

/**
 * Gives the user access to the session of a link or invite. Anyone may claim a link; one user may claim an invite. Repeating it changes
 * nothing. The lock of the share row orders claims and resets.
 */
export async function claimSecret(db: Database, userId: string, secret: string, now: Date) {
  const place = (await findSecretPlace(db, secret)) ?? throwUnknown()
  const { ownerId, sessionId } = place
  if (ownerId === userId) throw invalid({ field: 'url', problem: 'the session is your own' })
  await db.transaction(tx => claimPlace(tx, userId, place, now))
  return { ownerId, sessionId }
}

/** Like `claimSecret`, within a transaction and for a secret of somebody else's session. */
export async function claimPlace(tx: Db, userId: string, place: SecretPlace, now: Date) {
  const { ownerId, sessionId } = place
  const share = await lockExistingShare(tx, ownerId, sessionId)
  const issued = share && (await findIssued(tx, place))
  if (!issued || (issued.claimedBy !== null && issued.claimedBy !== userId)) throwUnknown()
  if (issued.expiresAt <= now) throw new ApiError('not_found', 'The link has expired; ask its sender for another')
  await grant(tx, share, userId, { source: place.kind, removals: issued.removals, now })
  if (place.kind === 'invite' && issued.claimedBy === null) {
    const isInvite = matches(shareInvites, { userId: ownerId, sessionId, hash: place.hash })
    await tx.update(shareInvites).set({ claimedBy: userId }).where(isInvite)
  }
}

/** Returns the link or invite of the secret unless it was deleted. */
async function findIssued(tx: Db, { ownerId, sessionId, kind, hash }: SecretPlace) {
  const table = kind === 'link' ? shareLinks : shareInvites
  const [issued] = await tx
    .select({
      removals: table.removals,
      expiresAt: table.expiresAt,
      claimedBy: kind === 'link' ? sql<null>`null` : shareInvites.claimedBy
    })
    .from(table)
    .where(matches(table, { userId: ownerId, sessionId, hash }))
  return issued
}

interface ClaimedSecret {
  source: ShareSource
  /** The removals of the session when the secret was issued. */
  removals: number
  now: Date
}

async function grant(
  tx: Db,
  { userId, sessionId }: SessionShare,
  recipientId: string,
  { source, removals, now }: ClaimedSecret
) {
  const [before] = await tx.select().from(shareGrants).where(matches(shareGrants, { userId, sessionId, recipientId }))
  // A removed recipient cannot return with an earlier secret.
  if (before && !before.active && (before.removal ?? 0) > removals) throwUnknown()
  if (before?.active && before.sources.includes(source)) return
  const sources = before?.active ? [...before.sources, source].sort() : [source]
  // A new grant has a new instant, because media links are bound to the instant of their grant.
  const sharedAt = before?.active
    ? before.sharedAt
    : new Date(Math.max(now.getTime(), (before?.sharedAt.getTime() ?? 0) + 1))
  await tx
    .insert(shareGrants)
    .values({ userId, sessionId, recipientId, sources, sharedAt, active: true })
    .onConflictDoUpdate({
      target: [shareGrants.userId, shareGrants.sessionId, shareGrants.recipientId],
      set: { sources, sharedAt, active: true, removal: null }
    })
  await tx.insert(sharedWith).values({ recipientId, sessionId, ownerId: userId, sharedAt }).onConflictDoNothing()
}

function throwUnknown(): never {
  throw new ApiError('not_found', 'There is no such link; it may have been reset, cancelled or used by somebody else')
}

import { createHmac, hash, randomBytes } from 'node:crypto'
import type { ShareScope } from '../../contract/sharing.ts'
import { ApiError, invalid } from '../../platform/core/api-error.ts'
import { deriveKey } from '../../platform/core/derived-key.ts'
import { and, gt, inArray, isNull, sql } from '../../platform/db/drizzle.ts'
import { matches } from '../../platform/db/matches.ts'
import type { Database, Db, Queryable } from '../../platform/db/open.ts'
import {
  type ShareSource,
  sharedWith,
  shareGrants,
  shareInvites,
  shareLinks,
  users
} from '../../platform/db/schema/index.ts'
import { lockExistingShare, type SessionShare } from './queries.ts'
import { SCOPE } from './recipient-queries.ts'

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
  if (place.kind === 'link' && (await claimInvite(tx, userId, place, now)))
    await grant(tx, share, userId, { source: 'invite', removals: issued.removals, now })
}

/** Closes the invite to the mailbox of a user who came through the link, which would stay pending beside their access. Returns whether there was one. */
async function claimInvite(tx: Db, userId: string, { ownerId, sessionId }: SecretPlace, now: Date) {
  const [user] = await tx
    .select({ email: users.email, at: users.emailVerifiedAt })
    .from(users)
    .where(matches(users, { userId }))
  if (!user?.email || user.at === null) return false
  const claimed = await tx
    .update(shareInvites)
    .set({ claimedBy: userId })
    .where(
      and(
        matches(shareInvites, { userId: ownerId, sessionId, email: user.email }),
        isNull(shareInvites.claimedBy),
        gt(shareInvites.expiresAt, now)
      )
    )
    .returning({ id: shareInvites.inviteId })
  return claimed.length > 0
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

/** Lookups without the owner: a secret or an invite id identifies the share. */

export interface SecretPlace {
  ownerId: string
  sessionId: string
  kind: ShareSource
  hash: Buffer
}

/** Returns the session of a secret, expired or not. */
export async function findSecretPlace(db: Queryable, secret: string): Promise<SecretPlace | undefined> {
  if (!isSecret(secret)) return undefined
  const [place] = await db.query<SecretPlace>(sql`
    select user_id as "ownerId", session_id as "sessionId", kind, hash from share_secrets where hash = ${hashSecret(secret)}`)
  return place
}

/** Returns the invites that still exist. */
export async function findKnownInvites(db: Db, inviteIds: string[]): Promise<Set<string>> {
  const rows = await db
    .select({ inviteId: shareInvites.inviteId })
    .from(shareInvites)
    .where(inArray(shareInvites.inviteId, inviteIds))
  return new Set(rows.map(({ inviteId }) => inviteId))
}

/** The offer that the holder of a secret may claim. */
export interface Offer {
  ownerName: string | null
  title: string
  scope: ShareScope
  hasRecording: boolean
  kind: ShareSource
  expiresAt: Date
}

/** Returns undefined if the secret is unknown, expired, reset, cancelled or used. */
export async function findOffer(db: Queryable, secret: string, now: Date): Promise<Offer | undefined> {
  const place = await findSecretPlace(db, secret)
  if (!place) return undefined
  const { ownerId, sessionId, kind, hash } = place
  const [row] = await db.query<Omit<Offer, 'kind' | 'expiresAt'> & { expiresAt: string }>(sql`
    select u.name as "ownerName", s.title, ${SCOPE} as scope, o.expires_at as "expiresAt",
      s.audio_deleted_at is null and (coalesce(s.audio_url, s.video_url) is not null
        or exists (select from media m where m.user_id = ${ownerId} and m.session_id = ${sessionId})) as "hasRecording"
    from (
      select expires_at from share_links where user_id = ${ownerId} and session_id = ${sessionId} and hash = ${hash}
      union all
      select expires_at from share_invites where user_id = ${ownerId} and session_id = ${sessionId} and hash = ${hash} and claimed_by is null
    ) o
    join session_shares x on x.user_id = ${ownerId} and x.session_id = ${sessionId}
    join sessions s on s.user_id = ${ownerId} and s.session_id = ${sessionId}
    join users u on u.user_id = ${ownerId}
    where o.expires_at > ${now} and s.state <> 'deleted'`)
  return row && { ...row, kind, expiresAt: new Date(row.expiresAt) }
}

const SHAPE = /^[A-Za-z0-9_-]{43}$/

/** Creates the secret of a link: 256 random bits as 43 URL-safe characters. */
export function makeSecret() {
  return randomBytes(32).toString('base64url')
}

/** Derives the secret of an invite from its id and the server key, so that it need not be stored. */
export function inviteSecret(secretKey: string, inviteId: string) {
  return createHmac('sha256', deriveKey(secretKey, 'parlance share invite')).update(inviteId).digest('base64url')
}

/** Returns the stored form. A secret has 256 random bits, so a fast hash is enough. */
export function hashSecret(secret: string) {
  return hash('sha256', secret, 'buffer')
}

export function isSecret(text: string) {
  return SHAPE.test(text)
}

export function joinUrl(publicUrl: string, secret: string) {
  return `${publicUrl}/join/${secret}`
}

/** Returns the secret of a link with any host, or of a bare secret. */
export function secretOf(url: string) {
  const text = URL.canParse(url) ? (/\/join\/([^/]+)$/.exec(new URL(url).pathname)?.[1] ?? '') : url
  return isSecret(text) ? text : undefined
}

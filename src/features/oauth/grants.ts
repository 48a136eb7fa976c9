import { LIMITS } from '../../contract/limits.ts'
import type { Scope } from '../../contract/scopes.ts'
import { ApiError } from '../../platform/core/api-error.ts'
import { deleteRowsOfAll } from '../../platform/db/delete-rows.ts'
import { and, desc, eq, gt, isNotNull, isNull, lt, sql } from '../../platform/db/drizzle.ts'
import { matches } from '../../platform/db/matches.ts'
import type { Db } from '../../platform/db/open.ts'
import { oauthGrants, oauthSecrets, tokenOwners, tokens, users } from '../../platform/db/schema/index.ts'
import { lockUser } from '../access/queries.ts'
import { hashToken } from '../access/token-format.ts'
import { setRevoked } from '../access/tokens.ts'
import { hashSecret } from './secrets.ts'

const DAY_MS = 86_400_000
const BATCH_SIZE = 5_000

export type Grant = typeof oauthGrants.$inferSelect
type Secret = typeof oauthSecrets.$inferSelect

/** Throws limit_exceeded if the user has as many agents as the limit says. Those that ended count until their grants are removed. */
export async function insertGrant(tx: Db, userId: string, grant: Omit<Grant, 'userId'>) {
  // Connections of one user count one after another.
  await lockUser(tx, userId)
  const { agents } = LIMITS.oauth
  const { rows } = await tx.execute(sql`select from oauth_grants where user_id = ${userId} limit ${agents}`)
  if (rows.length >= agents)
    throw new ApiError('limit_exceeded', `${agents} agents are connected; disconnect some, or try again tomorrow`)
  await tx.insert(oauthGrants).values({ userId, ...grant })
}

/** Stores a secret, and forgets the oldest used ones of its grant beyond the limit: a client may refresh without end. */
export async function insertSecret(
  tx: Db,
  userId: string,
  secret: string,
  { tokenId, expiresAt }: Pick<Secret, 'tokenId' | 'expiresAt'>
) {
  await tx.insert(oauthSecrets).values({ userId, hash: hashSecret(secret), tokenId, expiresAt })
  await tx.execute(sql`
    delete from oauth_secrets where user_id = ${userId} and hash in (
      select hash from oauth_secrets where user_id = ${userId} and token_id = ${tokenId}
      order by used_at is not null, expires_at desc, hash offset ${LIMITS.oauth.refreshTokens})`)
}

export async function findSecret(db: Db, userId: string, hash: Buffer): Promise<Secret | undefined> {
  const [secret] = await db.select().from(oauthSecrets).where(matches(oauthSecrets, { userId, hash }))
  return secret
}

/**
 * Locks the grant of a secret, and returns both as they are then: of two requests with one secret, the second sees that it is used. The user is
 * locked against deletion, before the grant. Undefined for an unknown secret and a deleted user.
 */
export async function lockGrantOf(
  tx: Db,
  userId: string,
  hash: Buffer
): Promise<{ grant: Grant; secret: Secret } | undefined> {
  const known = await findSecret(tx, userId, hash)
  if (!known) return undefined
  tx.willLock('user')
  const [user] = await tx
    .select({ userId: users.userId })
    .from(users)
    .where(and(eq(users.userId, userId), isNull(users.deletedAt)))
    .for('key share')
  if (!user) return undefined
  tx.willLock('agent')
  const [grant] = await tx
    .select()
    .from(oauthGrants)
    .where(matches(oauthGrants, { userId, tokenId: known.tokenId }))
    .for('update')
  const secret = await findSecret(tx, userId, hash)
  return grant && secret && { grant, secret }
}

export async function markUsed(tx: Db, userId: string, hash: Buffer, now: Date) {
  await tx.update(oauthSecrets).set({ usedAt: now }).where(matches(oauthSecrets, { userId, hash }))
}

/** Gives the agent its row in the table of tokens. */
export async function insertAgentToken(
  tx: Db,
  userId: string,
  { tokenId, clientName, scopes, audience }: Grant,
  { now, hint }: { now: Date; hint: string }
) {
  const lifetime = { createdAt: now, expiresAt: idleEnd(now) }
  await tx.insert(tokens).values({ userId, tokenId, name: clientName, scopes, audience, hint, ...lifetime })
}

/** Lets the connection of an agent live on. Returns false if it was revoked or has expired. */
export async function extendAgentToken(
  tx: Db,
  userId: string,
  tokenId: string,
  { now, hint }: { now: Date; hint: string }
) {
  const extended = await tx
    .update(tokens)
    .set({ expiresAt: idleEnd(now), hint })
    .where(and(matches(tokens, { userId, tokenId }), isNull(tokens.revokedAt), gt(tokens.expiresAt, now)))
    .returning({ tokenId: tokens.tokenId })
  return extended.length > 0
}

/** The time until which an agent may be idle. */
export function idleEnd(now: Date) {
  return new Date(now.getTime() + LIMITS.oauth.refreshDays * DAY_MS)
}

/** Stores an access token, and removes those of the agent that have expired. */
export async function insertAccessToken(
  tx: Db,
  userId: string,
  accessToken: string,
  { tokenId, scopes, now }: { tokenId: string; scopes: Scope[] | null; now: Date }
) {
  await tx.delete(tokenOwners).where(and(matches(tokenOwners, { userId, tokenId }), lt(tokenOwners.expiresAt, now)))
  const expiresAt = new Date(now.getTime() + LIMITS.oauth.accessSeconds * 1_000)
  await tx.insert(tokenOwners).values({ hash: hashToken(accessToken), userId, tokenId, expiresAt, scopes })
}

/** Returns the access token with this text, expired or not. */
export async function findAccessToken(db: Db, accessToken: string) {
  const [row] = await db
    .select()
    .from(tokenOwners)
    .where(eq(tokenOwners.hash, hashToken(accessToken)))
  return row
}

export async function findGrant(db: Db, userId: string, tokenId: string): Promise<Grant | undefined> {
  const [grant] = await db.select().from(oauthGrants).where(matches(oauthGrants, { userId, tokenId }))
  return grant
}

/** Ends a connection on every server: its access tokens are refused, and its refresh tokens get no others. */
export async function endGrant(tx: Db, userId: string, tokenId: string, now: Date) {
  // A second use of a used one has nothing left to end. Without any, retention removes the grant.
  await tx.delete(oauthSecrets).where(matches(oauthSecrets, { userId, tokenId }))
  await tx.delete(tokenOwners).where(matches(tokenOwners, { userId, tokenId }))
  return await setRevoked(tx, userId, tokenId, now)
}

/** Ends every connection of a user, and every code that no agent has exchanged yet. */
export async function endGrants(tx: Db, userId: string, now: Date) {
  tx.willLock('agent')
  // An exchange that has begun ends first, so that its token is seen.
  await tx.execute(sql`select from oauth_grants where user_id = ${userId} order by token_id for update`)
  await tx
    .update(tokens)
    .set({ revokedAt: now })
    .where(and(matches(tokens, { userId }), isNotNull(tokens.audience), isNull(tokens.revokedAt)))
  await tx.execute(sql`
    delete from oauth_grants g where g.user_id = ${userId}
      and not exists (select from tokens t where t.user_id = ${userId} and t.token_id = g.token_id)`)
}

/** Lists the agents that are connected, the newest first. */
export async function selectConnected(db: Db, userId: string, now: Date) {
  return await db
    .select({ grant: oauthGrants, connectedAt: tokens.createdAt })
    .from(tokens)
    .innerJoin(oauthGrants, and(eq(oauthGrants.userId, userId), eq(oauthGrants.tokenId, tokens.tokenId)))
    .where(and(eq(tokens.userId, userId), isNull(tokens.revokedAt), gt(tokens.expiresAt, now)))
    .orderBy(desc(tokens.createdAt), desc(tokens.tokenId))
}

/** Lists the connections of a client, of all users. */
export async function selectGrantsOf(db: Db, clientId: string) {
  return await db
    .select({ userId: oauthGrants.userId, tokenId: oauthGrants.tokenId })
    .from(oauthGrants)
    .where(eq(oauthGrants.clientId, clientId))
}

/** Removes the codes and refresh tokens of all users that have expired, and the grants that have none left. */
export async function removeOldGrants(db: Db, now: Date, signal: AbortSignal): Promise<void> {
  await deleteRowsOfAll(db, sql`oauth_secrets`, sql`expires_at <= ${now}`, BATCH_SIZE, signal)
  const isOver = sql`not exists (
    select from oauth_secrets s where s.user_id = oauth_grants.user_id and s.token_id = oauth_grants.token_id)`
  await deleteRowsOfAll(db, sql`oauth_grants`, isOver, BATCH_SIZE, signal)
}

import { LIMITS } from '../contract/limits.ts'
import type { Scope } from '../contract/scopes.ts'
import { newId } from '../core/ids.ts'
import { asc, eq, sql } from '../db/drizzle.ts'
import { matches } from '../db/matches.ts'
import type { Db, Queryable } from '../db/open.ts'
import { tokenOwners, tokens } from '../db/schema/index.ts'
import { findOwners, findValidToken } from './count-requests.ts'
import { hashToken, makeToken } from './token-format.ts'

export type Token = typeof tokens.$inferSelect

/** Issues a token for a user, by default for a year. Only its hash is stored: the returned token cannot be read again. */
export async function issueToken(
  db: Db,
  userId: string,
  name: string,
  scopes: Scope[],
  now: Date,
  lifetimeSeconds: number = LIMITS.tokenSeconds.max
) {
  const token = makeToken()
  const tokenId = newId('tok')
  const expiresAt = new Date(now.getTime() + lifetimeSeconds * 1_000)
  await db.transaction(async tx => {
    await tx
      .insert(tokens)
      .values({ userId, tokenId, name, scopes, hint: token.slice(0, 8), createdAt: now, expiresAt })
    await tx.insert(tokenOwners).values({ hash: hashToken(token), userId, tokenId })
  })
  return { id: tokenId, token, expiresAt }
}

export function selectTokens(db: Db, userId: string) {
  return db.select().from(tokens).where(eq(tokens.userId, userId)).orderBy(asc(tokens.tokenId))
}

/** Returns the time of revocation, which precedes `now` if the token was revoked before. Undefined without the token. */
export async function setRevoked(db: Db, userId: string, tokenId: string, now: Date) {
  const [revoked] = await db
    .update(tokens)
    .set({ revokedAt: sql`coalesce(${tokens.revokedAt}, ${now})` })
    .where(matches(tokens, { userId, tokenId }))
    .returning({ at: tokens.revokedAt })
  return revoked?.at ?? undefined
}

export function listAllTokens(db: Db) {
  return db.select().from(tokens).orderBy(asc(tokens.tokenId))
}

export async function findTokenOwner(db: Db, tokenId: string) {
  const [row] = await db.select({ userId: tokens.userId }).from(tokens).where(eq(tokens.tokenId, tokenId))
  return row?.userId
}

export async function isValidToken(db: Queryable, token: string, now: Date) {
  const [owner] = await findOwners(db, [hashToken(token)])
  return owner !== undefined && (await findValidToken(db, owner, now)).length > 0
}

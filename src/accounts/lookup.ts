import { normalizeEmail } from '../contract/email.ts'
import { and, asc, eq, gt, isNull } from '../db/drizzle.ts'
import type { Db } from '../db/open.ts'
import { tokenOwners, tokens, userEmails, users } from '../db/schema/index.ts'
import { hashToken } from './token.ts'

/** What the operator asks without naming an owner. Routes never do: their owner is the token's. */

/** The id of the user with that id or e-mail address. */
export async function findUserId(db: Db, idOrEmail: string) {
  const [byId] = await db
    .select({ userId: users.userId })
    .from(users)
    .where(and(eq(users.userId, idOrEmail), isNull(users.deletedAt)))
  if (byId) return byId.userId
  const [byEmail] = await db
    .select()
    .from(userEmails)
    .where(eq(userEmails.email, normalizeEmail(idOrEmail)))
  return byEmail?.userId
}

export function listUsers(db: Db) {
  return db.select().from(users).where(isNull(users.deletedAt)).orderBy(asc(users.userId))
}

/** Users by id, which is the order of their creation, from after that id on. */
export function listUsersAfter(db: Db, userId: string, limit: number) {
  return db
    .select()
    .from(users)
    .where(and(gt(users.userId, userId), isNull(users.deletedAt)))
    .orderBy(asc(users.userId))
    .limit(limit)
}

/** Every token, or one user's; never the secret part, which is not kept. */
export function listAllTokens(db: Db) {
  return db.select().from(tokens).orderBy(asc(tokens.tokenId))
}

export async function findTokenOwner(db: Db, tokenId: string) {
  const [row] = await db.select({ userId: tokens.userId }).from(tokens).where(eq(tokens.tokenId, tokenId))
  return row?.userId
}

/** Whether requests are taken with that token: it is neither unknown nor revoked nor expired. */
export async function isValidToken(db: Db, token: string, now: Date) {
  const [owner] = await db
    .select()
    .from(tokenOwners)
    .where(eq(tokenOwners.hash, hashToken(token)))
  if (!owner) return false
  const { userId, tokenId, revokedAt, expiresAt } = tokens
  const valid = and(eq(userId, owner.userId), eq(tokenId, owner.tokenId), isNull(revokedAt), gt(expiresAt, now))
  return (await db.select({ tokenId }).from(tokens).where(valid)).length > 0
}

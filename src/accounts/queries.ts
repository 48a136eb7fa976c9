import type { Scope } from '../contract/scopes.ts'
import { and, asc, eq, isNull } from '../db/drizzle.ts'
import type { Db, Reader } from '../db/open.ts'
import { tokenOwners, tokens, userCounters, userEmails, users } from '../db/schema/index.ts'

const ACCOUNT = {
  name: 'account',
  text: `select u.subscription_active, coalesce(c.session_count, 0)
    from users u left join user_counters c on c.user_id = u.user_id
    where u.user_id = $1`
}

export async function findAccount(db: Reader, userId: string) {
  const [row] = await db.run<[boolean, number]>(ACCOUNT, [userId])
  return row && { user_id: userId, subscription_active: row[0], session_count: row[1] }
}

export type User = typeof users.$inferSelect

/** Nobody of that id, or one who was deleted, is undefined. */
export async function findUser(db: Db, userId: string): Promise<User | undefined> {
  const [user] = await db.select().from(users).where(isUser(userId))
  return user
}

/** Adds the user with counters at zero. False when another user has the e-mail address; nothing is written then. */
export async function createUser(db: Db, userId: string, user: Omit<typeof users.$inferInsert, 'userId'>) {
  return await db.transaction(async tx => {
    if (user.email && !(await claimEmail(tx, userId, user.email))) return false
    await tx.insert(users).values({ userId, ...user })
    await tx.insert(userCounters).values({ userId })
    return true
  })
}

export type UserChange = Partial<Pick<User, 'name' | 'email' | 'emailVerifiedAt' | 'timeZone' | 'subscriptionActive' | 'verifiedCallerId'>>

/** Changes the user. False when another user has the e-mail address; nothing is written then. */
export async function updateUser(db: Db, userId: string, change: UserChange) {
  return await db.transaction(async tx => {
    if (change.email !== undefined) {
      if (change.email && !(await claimEmail(tx, userId, change.email))) return false
      await dropOtherEmails(tx, userId, change.email)
    }
    await tx.update(users).set(change).where(eq(users.userId, userId))
    return true
  })
}

async function claimEmail(db: Db, userId: string, email: string) {
  await db.insert(userEmails).values({ email, userId }).onConflictDoNothing()
  const [holder] = await db.select().from(userEmails).where(eq(userEmails.email, email))
  return holder?.userId === userId
}

async function dropOtherEmails(db: Db, userId: string, kept: string | null) {
  const held = await db.select().from(userEmails).where(eq(userEmails.userId, userId))
  for (const { email } of held) if (email !== kept) await db.delete(userEmails).where(eq(userEmails.email, email))
}

export type Token = typeof tokens.$inferSelect

export async function createToken(db: Db, userId: string, hash: Buffer, token: Omit<Token, 'userId' | 'revokedAt'>) {
  await db.transaction(async tx => {
    await tx.insert(tokens).values({ userId, ...token })
    await tx.insert(tokenOwners).values({ hash, userId, tokenId: token.tokenId })
  })
}

export async function listTokens(db: Db, userId: string): Promise<(Omit<Token, 'scopes'> & { scopes: Scope[] })[]> {
  const rows = await db.select().from(tokens).where(eq(tokens.userId, userId)).orderBy(asc(tokens.tokenId))
  return rows.map(row => ({ ...row, scopes: row.scopes as Scope[] }))
}

/** Returns whether there was such a token that was not revoked yet. */
export async function revokeToken(db: Db, userId: string, tokenId: string, now: Date) {
  const revoked = await db
    .update(tokens)
    .set({ revokedAt: now })
    .where(and(eq(tokens.userId, userId), eq(tokens.tokenId, tokenId), isNull(tokens.revokedAt)))
    .returning({ tokenId: tokens.tokenId })
  return revoked.length > 0
}

export async function hasToken(db: Db, userId: string, tokenId: string) {
  const found = await db
    .select({ tokenId: tokens.tokenId })
    .from(tokens)
    .where(and(eq(tokens.userId, userId), eq(tokens.tokenId, tokenId)))
  return found.length > 0
}

export async function userExists(db: Db, userId: string) {
  const found = await db.select({ userId: users.userId }).from(users).where(isUser(userId))
  return found.length > 0
}

function isUser(userId: string) {
  return and(eq(users.userId, userId), isNull(users.deletedAt))
}

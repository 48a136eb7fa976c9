import { LIMITS } from '../../contract/limits.ts'
import type { Scope } from '../../contract/scopes.ts'
import { newId } from '../../platform/core/ids.ts'
import { and, asc, eq, gt, isNotNull, isNull, lte, or, sql } from '../../platform/db/drizzle.ts'
import { matches } from '../../platform/db/matches.ts'
import type { Db, Queryable } from '../../platform/db/open.ts'
import { tokenOwners, tokens, users } from '../../platform/db/schema/index.ts'
import { findOwners, findValidToken, hasEnded } from './count-requests.ts'
import { hashToken, makeToken } from './token-format.ts'

const DAY_MS = 86_400_000
const BATCH_SIZE = 1_000

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

/** Returns whether a user has as many tokens as they may make: those that work, and those of the last day. */
export async function hasMaxTokens(db: Db, userId: string, now: Date) {
  const isNew = gt(tokens.createdAt, new Date(now.getTime() - DAY_MS))
  const works = and(isNull(tokens.revokedAt), gt(tokens.expiresAt, now))
  const found = await db
    .select({ tokenId: tokens.tokenId })
    .from(tokens)
    .where(and(eq(tokens.userId, userId), isNull(tokens.audience), or(isNew, works)))
    .limit(LIMITS.tokens)
  return found.length >= LIMITS.tokens
}

export async function findToken(db: Db, userId: string, tokenId: string): Promise<Token | undefined> {
  const [token] = await db.select().from(tokens).where(matches(tokens, { userId, tokenId }))
  return token
}

/**
 * The beginning of the day of each token's last request, by token. The counters of requests have it, so that no request writes it. Tokens that
 * were never used are missing.
 */
export async function findLastUses(db: Queryable, tokenIds: string[]): Promise<Map<string, string>> {
  const ids = sql.param(tokenIds)
  const rows = await db.query<{ tokenId: string; day: string }>(sql`
    select token_id as "tokenId", max(day) as day from (
      select token_id, day from rate_counters where token_id = any(${ids}::text[])
      union all select token_id, day from rate_days where token_id = any(${ids}::text[])
    ) used group by token_id`)
  return new Map(rows.map(({ tokenId, day }) => [tokenId, `${day}T00:00:00.000Z`]))
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

/** Removes the tokens of all users that ended long ago, with what is kept for each. Returns how many. */
export async function removeOldTokens(db: Db, now: Date, signal: AbortSignal): Promise<number> {
  const until = new Date(now.getTime() - LIMITS.endedTokenDays * DAY_MS)
  const isOld = or(lte(tokens.revokedAt, until), lte(tokens.expiresAt, until))
  let removed = 0
  while (!signal.aborted) {
    const { userId, tokenId } = tokens
    const ended = await db.select({ userId, tokenId }).from(tokens).where(isOld).limit(BATCH_SIZE)
    for (const token of ended) {
      await db.transaction(async tx => {
        await tx.delete(tokenOwners).where(matches(tokenOwners, token))
        await tx.delete(tokens).where(matches(tokens, token))
      })
    }
    removed += ended.length
    if (ended.length < BATCH_SIZE) break
  }
  return removed
}

export type Expiring = Pick<Token, 'userId' | 'tokenId' | 'createdAt' | 'expiresAt' | 'noticedDays'>

interface ExpiringPage {
  after: { userId: string; tokenId: string }
  now: Date
  until: Date
  limit: number
}

/** Lists valid tokens of all users with a verified address that expire until then, in the order of their keys. Agents renew theirs by themselves. */
export async function listExpiring(db: Db, { after, now, until, limit }: ExpiringPage): Promise<Expiring[]> {
  const { userId, tokenId, createdAt, expiresAt, noticedDays } = tokens
  return await db
    .select({ userId, tokenId, createdAt, expiresAt, noticedDays })
    .from(tokens)
    .innerJoin(users, eq(users.userId, userId))
    .where(
      and(
        sql`(${userId}, ${tokenId}) > (${after.userId}, ${after.tokenId})`,
        isNull(tokens.revokedAt),
        isNull(tokens.audience),
        gt(expiresAt, now),
        lte(expiresAt, until),
        isNotNull(users.emailVerifiedAt),
        isNull(users.deletedAt)
      )
    )
    .orderBy(asc(userId), asc(tokenId))
    .limit(limit)
}

/** Notes that the mail for these days before the expiry is sent. Returns false if it was noted before. */
export async function claimNotice(tx: Db, userId: string, tokenId: string, days: number) {
  const isUnsent = or(isNull(tokens.noticedDays), gt(tokens.noticedDays, days))
  const claimed = await tx
    .update(tokens)
    .set({ noticedDays: days })
    .where(and(matches(tokens, { userId, tokenId }), isNull(tokens.revokedAt), isUnsent))
    .returning({ tokenId: tokens.tokenId })
  return claimed.length > 0
}

export function selectAllTokens(db: Db) {
  return db.select().from(tokens).orderBy(asc(tokens.tokenId))
}

export async function findTokenOwner(db: Db, tokenId: string) {
  const [row] = await db.select({ userId: tokens.userId }).from(tokens).where(eq(tokens.tokenId, tokenId))
  return row?.userId
}

export async function isValidToken(db: Queryable, token: string, now: Date) {
  const [owner] = await findOwners(db, [hashToken(token)])
  return owner !== undefined && !hasEnded(owner, now) && (await findValidToken(db, owner, now)).length > 0
}

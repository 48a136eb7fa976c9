import { hash, timingSafeEqual } from 'node:crypto'
import { LIMITS } from '../../contract/limits.ts'
import { isClientId, isRegistered } from '../../contract/oauth.ts'
import { and, asc, eq, isNull, lt, or, sql } from '../../db/drizzle.ts'
import type { Db } from '../../db/open.ts'
import { oauthClients } from '../../db/schema/index.ts'

const DAY_MS = 86_400_000

export type OAuthClient = typeof oauthClients.$inferSelect

export async function findClient(db: Db, clientId: string): Promise<OAuthClient | undefined> {
  if (!isClientId(clientId)) return undefined
  const [client] = await db.select().from(oauthClients).where(eq(oauthClients.clientId, clientId))
  return client
}

export async function insertClient(db: Db, client: typeof oauthClients.$inferInsert) {
  await db.insert(oauthClients).values(client)
}

/** Stores what a document says now. */
export async function saveDocument(db: Db, client: typeof oauthClients.$inferInsert) {
  const { name, redirectUris, readAt } = client
  await db
    .insert(oauthClients)
    .values(client)
    .onConflictDoUpdate({
      target: oauthClients.clientId,
      set: { name: name ?? null, redirectUris, readAt: readAt ?? null }
    })
}

/** Returns whether more clients than the limit have registered themselves without a user that connected them. */
export async function isRegistrationFull(db: Db) {
  const waiting = db
    .select({ one: sql`1` })
    .from(oauthClients)
    .where(and(eq(oauthClients.kind, 'registered'), isNull(oauthClients.usedAt)))
    .limit(LIMITS.oauth.waiting)
    .as('waiting')
  const [row] = await db.select({ count: sql<string>`count(*)` }).from(waiting)
  return Number(row?.count) >= LIMITS.oauth.waiting
}

/** Notes a use of the client, at most once a day. */
export async function noteUse(db: Db, clientId: string, now: Date) {
  const isOld = or(isNull(oauthClients.usedAt), lt(oauthClients.usedAt, new Date(now.getTime() - DAY_MS)))
  await db
    .update(oauthClients)
    .set({ usedAt: now })
    .where(and(eq(oauthClients.clientId, clientId), isOld))
}

export async function selectOperatorClients(db: Db): Promise<OAuthClient[]> {
  return await db
    .select()
    .from(oauthClients)
    .where(eq(oauthClients.kind, 'operator'))
    .orderBy(asc(oauthClients.createdAt), asc(oauthClients.clientId))
}

export async function removeClient(db: Db, clientId: string) {
  const { rowCount } = await db
    .delete(oauthClients)
    .where(and(eq(oauthClients.clientId, clientId), eq(oauthClients.kind, 'operator')))
  return rowCount === 1
}

/** Removes the clients that no user connected for days, and those that nobody has used for longer than a refresh token lives. Returns how many. */
export async function removeUnusedClients(db: Db, now: Date): Promise<number> {
  const before = (days: number) => new Date(now.getTime() - days * DAY_MS)
  const { waitingDays, unusedDays } = LIMITS.oauth
  const neverUsed = and(isNull(oauthClients.usedAt), lt(oauthClients.createdAt, before(waitingDays)))
  const { rowCount } = await db
    .delete(oauthClients)
    .where(and(sql`${oauthClients.kind} <> 'operator'`, or(neverUsed, lt(oauthClients.usedAt, before(unusedDays)))))
  return rowCount ?? 0
}

/** Returns whether the client has registered this redirect URI. */
export function hasRedirectUri({ redirectUris }: Pick<OAuthClient, 'redirectUris'>, sent: string) {
  return redirectUris.some(uri => isRegistered(uri, sent))
}

export function hashClientSecret(secret: string) {
  return hash('sha256', secret, 'buffer')
}

/** Returns whether the secret is the client's. A client that has none must not send one. */
export function isSecretOf({ secretHash }: Pick<OAuthClient, 'secretHash'>, secret: string | undefined) {
  if (!secretHash || secret === undefined) return !secretHash && secret === undefined
  return timingSafeEqual(secretHash, hashClientSecret(secret))
}

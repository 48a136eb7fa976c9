import { createHmac, hash, timingSafeEqual } from 'node:crypto'
import { LIMITS } from '../../contract/limits.ts'
import { isClientId, isRegistered } from '../../contract/oauth.ts'
import { deriveKey } from '../../platform/core/derived-key.ts'
import { and, asc, eq, isNull, lt, or, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { oauthAssertions, oauthClients } from '../../platform/db/schema/index.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

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
  const { name, redirectUris, readAt, triedAt, jwksUri, needsAssertion } = client
  await db
    .insert(oauthClients)
    .values(client)
    .onConflictDoUpdate({
      target: oauthClients.clientId,
      set: {
        name: name ?? null,
        redirectUris,
        readAt: readAt ?? null,
        triedAt: triedAt ?? null,
        jwksUri: jwksUri ?? null,
        needsAssertion: needsAssertion ?? false
      }
    })
}

/** Notes a failed attempt to read a document of which a copy is stored. */
export async function noteAttempt(db: Db, clientId: string, triedAt: Date) {
  await db.update(oauthClients).set({ triedAt }).where(eq(oauthClients.clientId, clientId))
}

/** Uses up an assertion. Returns false if it was used before. */
export async function useAssertion(db: Db, clientId: string, jti: string, expiresAt: Date): Promise<boolean> {
  const assertion = { hash: hash('sha256', JSON.stringify([clientId, jti]), 'buffer'), expiresAt }
  const used = await db.insert(oauthAssertions).values(assertion).onConflictDoNothing().returning()
  return used.length === 1
}

/** A digest by which the clients of one sender are counted, of which nobody learns an address or a user without the key. */
export function senderOf(secretKey: string, sender: { address: string } | { userId: string }) {
  return createHmac('sha256', deriveKey(secretKey, 'parlance oauth sender')).update(JSON.stringify(sender)).digest()
}

/**
 * Removes clients that no user has connected: the oldest beyond the share of a sender, and if there are too many of all, the oldest of the sender who
 * has most. So nobody is refused, and a flood takes the places of its own clients.
 */
export async function limitWaiting(db: Db, sender: Buffer) {
  const { perSender, total } = LIMITS.oauth.waiting
  await db.execute(sql`
    delete from oauth_clients where sender is not null and client_id in (
      select client_id from oauth_clients where sender = ${sender}
      order by created_at desc, client_id desc offset ${perSender} for update skip locked)`)
  const excess = (await countWaiting(db, total + perSender)) - total
  if (excess <= 0) return
  await db.execute(sql`
    delete from oauth_clients where sender is not null and client_id in (
      select client_id from oauth_clients where sender = (
        select sender from oauth_clients where sender is not null group by sender order by count(*) desc, sender limit 1)
      order by created_at, client_id limit ${excess} for update skip locked)`)
}

async function countWaiting(db: Db, max: number) {
  const { rows } = await db.execute<{ count: string }>(sql`
    select count(*) as count from (select from oauth_clients where sender is not null limit ${max}) waiting`)
  return Number(rows[0]?.count)
}

/** Notes a use of the client, at most once a day. */
export async function noteUse(db: Db, clientId: string, now: Date) {
  const isOld = or(isNull(oauthClients.usedAt), lt(oauthClients.usedAt, new Date(now.getTime() - DAY_MS)))
  await db
    .update(oauthClients)
    .set({ usedAt: now, sender: null })
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

/** Removes the clients that no user connected for hours, and those that nobody has used for longer than a refresh token lives. Returns how many. */
export async function removeUnusedClients(db: Db, now: Date): Promise<number> {
  const before = (hours: number) => new Date(now.getTime() - hours * HOUR_MS)
  const { waiting, unusedDays } = LIMITS.oauth
  const neverUsed = and(isNull(oauthClients.usedAt), lt(oauthClients.createdAt, before(waiting.hours)))
  const { rowCount } = await db
    .delete(oauthClients)
    .where(
      and(sql`${oauthClients.kind} <> 'operator'`, or(neverUsed, lt(oauthClients.usedAt, before(unusedDays * 24))))
    )
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

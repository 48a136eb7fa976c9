import { LIMITS } from '../../contract/limits.ts'
import { ApiError } from '../../platform/core/api-error.ts'
import { newId } from '../../platform/core/ids.ts'
import { and, eq, gt, inArray, isNull, or, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { signInLinks } from '../../platform/db/schema/index.ts'

const { linkMinutes, invitationHours, mailsPerHour } = LIMITS.signIn
const HOUR_MS = 3_600_000

type SignInLink = typeof signInLinks.$inferSelect

/** A link for an address without a browser is that of an invitation. */
type Addressee = { email: string; browser: Buffer | null } | { forUser: string }

/** Creates a link for a mailbox, whether it has a user or not, or for a user. Returns its id and its end. */
export async function createSignInLink(tx: Db, addressee: Addressee, now: Date) {
  const linkId = newId('sil')
  const isInvitation = 'browser' in addressee && addressee.browser === null
  const expiresAt = new Date(now.getTime() + (isInvitation ? invitationHours * HOUR_MS : linkMinutes * 60_000))
  await tx.insert(signInLinks).values({ linkId, ...addressee, createdAt: now, expiresAt })
  return { linkId, expiresAt }
}

/** Throws rate_limit_exceeded if the mailbox had its mails of an hour. The lock counts concurrent requests one after the other. */
export async function limitMailbox(tx: Db, email: string, now: Date) {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`sign-in ${email}`}, 0))`)
  const since = new Date(now.getTime() - HOUR_MS)
  const sent = await tx
    .select({ createdAt: signInLinks.createdAt })
    .from(signInLinks)
    .where(and(eq(signInLinks.email, email), gt(signInLinks.createdAt, since)))
    .orderBy(signInLinks.createdAt)
  const [oldest] = sent
  if (!oldest || sent.length < mailsPerHour) return
  const retryAfter = Math.max(1, Math.ceil((oldest.createdAt.getTime() + HOUR_MS - now.getTime()) / 1_000))
  throw new ApiError('rate_limit_exceeded', `${mailsPerHour} links an hour are sent to an address`, {
    field: 'email',
    expected: 'the newest of them, or try again later',
    retryAfter
  })
}

/** Returns the link, used or expired too. */
export async function findSignInLink(db: Db, linkId: string): Promise<SignInLink | undefined> {
  const [link] = await db.select().from(signInLinks).where(eq(signInLinks.linkId, linkId))
  return link
}

/** Returns the links that can still be used. */
export async function findOpenSignInLinks(db: Db, linkIds: string[], now: Date): Promise<Set<string>> {
  const isOpen = and(isNull(signInLinks.usedAt), gt(signInLinks.expiresAt, now))
  const rows = await db
    .select({ linkId: signInLinks.linkId })
    .from(signInLinks)
    .where(and(inArray(signInLinks.linkId, linkIds), isOpen))
  return new Set(rows.map(({ linkId }) => linkId))
}

/** Uses a link up, and returns it. Undefined if it was used, has expired, or belongs to another browser. */
export async function claimSignInLink(tx: Db, linkId: string, browser: Buffer | undefined, now: Date) {
  const opens = browser
    ? or(isNull(signInLinks.browser), eq(signInLinks.browser, browser))
    : isNull(signInLinks.browser)
  const [link] = await tx
    .update(signInLinks)
    .set({ usedAt: now })
    .where(and(eq(signInLinks.linkId, linkId), isNull(signInLinks.usedAt), gt(signInLinks.expiresAt, now), opens))
    .returning()
  return link
}

/** Marks a sign-in at a provider as used. Returns false if it was. */
export async function useUpSignIn(db: Db, linkId: string, { browser, now }: { browser: Buffer; now: Date }) {
  const used = { linkId, browser, createdAt: now, expiresAt: now, usedAt: now }
  const { rowCount } = await db.insert(signInLinks).values(used).onConflictDoNothing()
  return rowCount === 1
}

/** Removes the links of a deleted user. */
export async function deleteSignInLinks(tx: Db, userId: string, email: string | null) {
  const ofUser = eq(signInLinks.forUser, userId)
  await tx.delete(signInLinks).where(email === null ? ofUser : or(ofUser, eq(signInLinks.email, email)))
}

import { LIMITS } from '../../contract/limits.ts'
import { ApiError } from '../../platform/core/api-error.ts'
import { newId } from '../../platform/core/ids.ts'
import { and, eq, gt, inArray, isNotNull, isNull, lt, or, type SQL, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { signInLinks } from '../../platform/db/schema/index.ts'
import type { LinkSender } from './link-sender.ts'

const { linkMinutes, invitationHours, mails, invitationsPerHour } = LIMITS.signIn
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const LINK_MS = linkMinutes * MINUTE_MS

type SignInLink = typeof signInLinks.$inferSelect

/** A link for an address without a browser is that of an invitation. */
type Addressee = { email: string; browser: Buffer | null; sender?: Buffer } | { forUser: string }

/** Creates a link for a mailbox, whether it has a user or not, or for a user. Returns its id and its end. */
export async function createSignInLink(tx: Db, addressee: Addressee, now: Date) {
  const linkId = newId('sil')
  const isInvitation = 'browser' in addressee && addressee.browser === null
  const expiresAt = new Date(now.getTime() + (isInvitation ? invitationHours * HOUR_MS : LINK_MS))
  await tx.insert(signInLinks).values({ linkId, ...addressee, createdAt: now, expiresAt })
  return { linkId, expiresAt }
}

/**
 * Throws rate_limit_exceeded if the mailbox had its mails of a quarter of an hour that this sender may ask for. Senders are counted apart, so that nobody uses up
 * the links of others. All senders together have a limit too, except for a browser that has signed in as the mailbox before. The lock counts
 * concurrent requests one after the other.
 */
export async function limitLinks(tx: Db, email: string, { sender, isKnown }: LinkSender, now: Date) {
  await lockMailbox(tx, email)
  const since = new Date(now.getTime() - LINK_MS)
  const asked = await selectLinks(tx, and(eq(signInLinks.email, email), isNotNull(signInLinks.browser)), since)
  const own = asked.filter(link => link.sender?.equals(sender))
  const mailed = `links are sent to an address in ${linkMinutes} minutes`
  const limits = { now, windowMs: LINK_MS }
  const whose = `${mailed} at the request of one ${isKnown ? 'browser' : 'network'}`
  requireFewer(own, { max: mails.perNetwork, whose, ...limits })
  if (!isKnown) requireFewer(asked, { max: mails.total, whose: mailed, ...limits })
}

/** Throws rate_limit_exceeded if the mailbox had its invitations of an hour, which the operator alone sends. */
export async function limitInvitations(tx: Db, email: string, now: Date) {
  await lockMailbox(tx, email)
  const since = new Date(now.getTime() - HOUR_MS)
  const sent = await selectLinks(tx, and(eq(signInLinks.email, email), isNull(signInLinks.browser)), since)
  const whose = 'invitations an hour are sent to an address'
  requireFewer(sent, { max: invitationsPerHour, whose, now, windowMs: HOUR_MS })
}

/** Has the requests and codes of an address count one after the other until the transaction ends. */
export async function lockMailbox(tx: Db, email: string) {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`sign-in ${email}`}, 0))`)
}

async function selectLinks(tx: Db, condition: SQL | undefined, since: Date) {
  return await tx
    .select({ createdAt: signInLinks.createdAt, sender: signInLinks.sender })
    .from(signInLinks)
    .where(and(condition, gt(signInLinks.createdAt, since)))
    .orderBy(signInLinks.createdAt)
}

interface MailLimit {
  max: number
  whose: string
  now: Date
  windowMs: number
}

function requireFewer(sent: { createdAt: Date }[], { max, whose, now, windowMs }: MailLimit) {
  const freed = sent.at(-max)
  if (!freed) return
  const retryAfter = Math.max(1, Math.ceil((freed.createdAt.getTime() + windowMs - now.getTime()) / 1_000))
  throw new ApiError('rate_limit_exceeded', `${max} ${whose}`, {
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

/** Counts one more try of a link's code, and returns how many there were. Undefined if none is left, or the link was used or has expired. */
export async function spendCodeTry(tx: Db, linkId: string, { max, now }: { max: number; now: Date }) {
  const [link] = await tx
    .update(signInLinks)
    .set({ codeTries: sql`${signInLinks.codeTries} + 1` })
    .where(
      and(
        eq(signInLinks.linkId, linkId),
        isNull(signInLinks.usedAt),
        gt(signInLinks.expiresAt, now),
        lt(signInLinks.codeTries, max)
      )
    )
    .returning({ tries: signInLinks.codeTries })
  return link?.tries
}

/**
 * Returns how many codes were tried in a day for links that signed nobody in: for the mailbox of a link, for links that its sender asked for, and for
 * all mailboxes of users. Links of the last day are few, so the statement reads all of them by their age.
 */
export async function countCodeTries(tx: Db, { email, sender }: Pick<SignInLink, 'email' | 'sender'>, now: Date) {
  const since = new Date(now.getTime() - LIMITS.signIn.keptHours * HOUR_MS)
  const { rows } = await tx.execute<{ of_address: number; of_sender: number; of_users: number }>(sql`
    select coalesce(sum(l.code_tries) filter (where l.email = ${email}), 0)::int as of_address,
      coalesce(sum(l.code_tries) filter (where l.sender = ${sender}::bytea), 0)::int as of_sender,
      coalesce(sum(l.code_tries) filter (where e.email is not null), 0)::int as of_users
    from sign_in_links l left join user_emails e on e.email = l.email
    where l.created_at > ${since} and l.used_at is null and l.code_tries > 0`)
  return rows[0] ?? { of_address: 0, of_sender: 0, of_users: 0 }
}

/** Marks a sign-in at a provider as used. Returns false if it was. */
export async function useUpSignIn(db: Db, linkId: string, { browser, now }: { browser: Buffer; now: Date }) {
  const used = { linkId, browser, createdAt: now, expiresAt: now, usedAt: now }
  const { rowCount } = await db.insert(signInLinks).values(used).onConflictDoNothing()
  return rowCount === 1
}

/** Ends the links of a user that nobody has used. They stay counted. */
export async function endSignInLinks(tx: Db, userId: string, email: string | null, now: Date) {
  const ofUser = eq(signInLinks.forUser, userId)
  const theirs = email === null ? ofUser : or(ofUser, eq(signInLinks.email, email))
  await tx
    .update(signInLinks)
    .set({ usedAt: now })
    .where(and(theirs, isNull(signInLinks.usedAt)))
}

/** Removes the links of a deleted user. */
export async function deleteSignInLinks(tx: Db, userId: string, email: string | null) {
  const ofUser = eq(signInLinks.forUser, userId)
  await tx.delete(signInLinks).where(email === null ? ofUser : or(ofUser, eq(signInLinks.email, email)))
}

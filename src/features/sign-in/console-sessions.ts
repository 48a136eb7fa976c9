import { LIMITS } from '../../contract/limits.ts'
import { and, desc, gt, sql } from '../../platform/db/drizzle.ts'
import { matches } from '../../platform/db/matches.ts'
import type { Db, Queryable } from '../../platform/db/open.ts'
import { consoleSessions } from '../../platform/db/schema/index.ts'
import { hashCookie, makeCookieSecret } from './sign-in-link.ts'

const DAY_MS = 86_400_000

const LIFETIME_MS = LIMITS.signIn.sessionDays * DAY_MS
const GUEST_LIFETIME_MS = LIMITS.signIn.guestHours * 3_600_000

/** Signs a browser in. Returns the value of its cookie, which is always a new one, so that nobody can fix it before. */
export async function openConsoleSession(tx: Db, userId: string, { guest, now }: { guest: boolean; now: Date }) {
  const secret = makeCookieSecret()
  const expiresAt = new Date(now.getTime() + (guest ? GUEST_LIFETIME_MS : LIFETIME_MS))
  await tx.insert(consoleSessions).values({ userId, hash: hashCookie(secret), guest, createdAt: now, expiresAt })
  return `${userId}.${secret}`
}

interface ConsoleSessionRow {
  guest: boolean
  operator: boolean
  expiresAt: string
  name: string | null
  email: string | null
  timeZone: string
}

/** Returns the session and its user, unless it has ended. */
export async function findConsoleSession(db: Queryable, userId: string, hash: Buffer, now: Date) {
  const [session] = await db.query<ConsoleSessionRow>(sql`
    select s.guest, u.operator, s.expires_at as "expiresAt", u.name, u.email, u.time_zone as "timeZone"
    from console_sessions s join users u on u.user_id = ${userId} and u.deleted_at is null
    where s.user_id = ${userId} and s.hash = ${hash} and s.expires_at > ${now}`)
  return session
}

/** Lets a session that is used live on. It is written once a day, because every page would write it otherwise. */
export async function extendConsoleSession(
  db: Db,
  userId: string,
  { hash, expiresAt, now }: { hash: Buffer; expiresAt: string; now: Date }
) {
  const until = new Date(now.getTime() + LIFETIME_MS)
  if (until.getTime() - Date.parse(expiresAt) < DAY_MS) return
  await db.update(consoleSessions).set({ expiresAt: until }).where(matches(consoleSessions, { userId, hash }))
}

export async function endConsoleSession(db: Db, userId: string, hash: Buffer) {
  await db.delete(consoleSessions).where(matches(consoleSessions, { userId, hash }))
}

/** Ends every session of a user, or those of a guest. */
export async function endConsoleSessions(tx: Db, userId: string, { guest }: { guest?: true } = {}) {
  await tx.delete(consoleSessions).where(matches(consoleSessions, { userId, ...(guest && { guest }) }))
}

/** Lists the browsers in which a user is signed in, the newest first. */
export async function selectConsoleSessions(db: Db, userId: string, now: Date) {
  const rows = await db
    .select()
    .from(consoleSessions)
    .where(and(matches(consoleSessions, { userId, guest: false }), gt(consoleSessions.expiresAt, now)))
    .orderBy(desc(consoleSessions.createdAt))
  return rows.map(({ hash, createdAt, expiresAt }) => {
    const lastUsedAt = new Date(Math.max(createdAt.getTime(), expiresAt.getTime() - LIFETIME_MS))
    return { hash, createdAt, lastUsedAt }
  })
}

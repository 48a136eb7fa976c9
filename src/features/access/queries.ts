import type { Retention } from '../../contract/retention.ts'
import { and, eq, isNull, sql } from '../../platform/db/drizzle.ts'
import type { Db, Queryable } from '../../platform/db/open.ts'
import { userCounters, userEmails, users } from '../../platform/db/schema/index.ts'
import { COUNTED_COLUMNS, type Counted } from './quota-uses.ts'

interface Account extends Counted, Retention {
  user_id: string
  subscription_active: boolean
  session_count: number
}

export async function findAccount(db: Queryable, userId: string) {
  const [account] = await db.query<Account>(sql`
    select u.user_id, u.subscription_active, coalesce(c.session_count, 0) as session_count, ${COUNTED_COLUMNS},
      u.retention_audio_days as audio_days, u.retention_session_days as session_days
    from users u left join user_counters c on c.user_id = ${userId}
    where u.user_id = ${userId}`)
  return account
}

export type UserRow = typeof users.$inferSelect

/** Returns undefined for unknown and deleted users. */
export async function findUser(db: Db, userId: string): Promise<UserRow | undefined> {
  const [user] = await db.select().from(users).where(isUser(userId))
  return user
}

/** Raw, because every call of an assistant reads them. */
export async function findNameAndZone(db: Queryable, userId: string) {
  const [user] = await db.query<{ name: string | null; timeZone: string }>(
    sql`select name, time_zone as "timeZone" from users where user_id = ${userId}`
  )
  return user
}

/** Like `findUser`, and locks the user until the transaction ends. */
export async function lockUser(tx: Db, userId: string): Promise<UserRow | undefined> {
  tx.willLock('user')
  const [user] = await tx.select().from(users).where(isUser(userId)).for('no key update')
  return user
}

/** Returns false, and writes nothing, if another user has the e-mail address. */
export async function createUser(db: Db, userId: string, user: Omit<typeof users.$inferInsert, 'userId'>) {
  return await db.transaction(async tx => {
    if (user.email && !(await claimEmail(tx, userId, user.email))) return false
    await tx.insert(users).values({ userId, ...user })
    await tx.insert(userCounters).values({ userId })
    return true
  })
}

export type UserChange = Partial<
  Pick<
    UserRow,
    | 'name'
    | 'email'
    | 'emailVerifiedAt'
    | 'timeZone'
    | 'subscriptionActive'
    | 'verifiedCallerId'
    | 'quotas'
    | 'retentionAudioDays'
    | 'retentionSessionDays'
    | 'guest'
    | 'unsharedSince'
    | 'operator'
  >
>

/** Returns false, and writes nothing, if another user has the e-mail address. */
export async function updateUser(tx: Db, userId: string, change: UserChange) {
  if (change.email !== undefined) {
    if (change.email && !(await claimEmail(tx, userId, change.email))) return false
    await dropOtherEmails(tx, userId, change.email)
  }
  await tx.update(users).set(change).where(eq(users.userId, userId))
  return true
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

function isUser(userId: string) {
  return and(eq(users.userId, userId), isNull(users.deletedAt))
}

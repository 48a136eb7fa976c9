import { normalizeEmail } from '../../contract/email.ts'
import { and, asc, eq, gt, isNull, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { userEmails, users } from '../../platform/db/schema/index.ts'
import { COUNTED_COLUMNS, type Counted } from './quota-uses.ts'

/** Lookups without a user id, for the operator and for signing in: routes take the user from the token. */

/** Returns the id of the user with this id or e-mail address. */
export async function findUserId(db: Db, idOrEmail: string) {
  const [byId] = await db
    .select({ userId: users.userId })
    .from(users)
    .where(and(eq(users.userId, idOrEmail), isNull(users.deletedAt)))
  if (byId) return byId.userId
  return await findUserOfEmail(db, normalizeEmail(idOrEmail))
}

/** Returns the id of the user with this address, which is in its normal form. */
export async function findUserOfEmail(db: Db, email: string) {
  const [found] = await db.select().from(userEmails).where(eq(userEmails.email, email))
  return found?.userId
}

/** Returns users after an id, or from the first one; ids sort by creation. With `search`, those whose name or address contains it. */
export function selectUsers(db: Db, afterId = '', limit = Number.MAX_SAFE_INTEGER, search?: string) {
  const isFound =
    search === undefined
      ? undefined
      : sql`(strpos(lower(${users.name}), lower(${search})) > 0 or strpos(${users.email}, lower(${search})) > 0)`
  return db
    .select()
    .from(users)
    .where(and(gt(users.userId, afterId), isNull(users.deletedAt), isFound))
    .orderBy(asc(users.userId))
    .limit(limit)
}

/** Returns what is counted of each of the users, by id. */
export async function findCounted(db: Db, userIds: string[]) {
  const { rows } = await db.execute<Counted & { user_id: string } & Record<string, unknown>>(sql`
    select u.user_id, ${COUNTED_COLUMNS} from users u left join user_counters c on c.user_id = u.user_id
    where u.user_id = any(${sql.param(userIds)}::text[])`)
  return new Map(rows.map(row => [row.user_id, row]))
}

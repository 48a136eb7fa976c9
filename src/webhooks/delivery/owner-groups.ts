import { sql } from '../../db/drizzle.ts'
import type { Queryable } from '../../db/open.ts'

/** Groups owners whom one statement may name. */
export type OwnerGroups = (userIds: string[]) => Promise<string[][]>

/** A statement with row locks is for any owners, or on a sharded database for one of them, because it runs on one node. */
export function openOwnerGroups(db: Queryable): OwnerGroups {
  let sharded: boolean | undefined

  async function isSharded() {
    const [row] = await db.query<{ sharded: boolean }>(sql`select exists (select from pg_extension where extname = 'citus') as sharded`)
    return row?.sharded
  }

  return async userIds => {
    sharded ??= await isSharded()
    const owners = [...new Set(userIds)]
    if (sharded) return owners.map(userId => [userId])
    return owners.length > 0 ? [owners] : []
  }
}

/** Returns users with tokens after an id, in order. Every node knows them, also while another one is down. */
export async function listTokenOwners(db: Queryable, after: string, limit: number): Promise<string[]> {
  const rows = await db.query<{ userId: string }>(sql`
    select distinct user_id as "userId" from token_owners where user_id > ${after} order by user_id limit ${limit}`)
  return rows.map(({ userId }) => userId)
}

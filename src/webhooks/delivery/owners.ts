import { sql } from '../../db/drizzle.ts'
import type { Queryable } from '../../db/open.ts'
import { type ClaimOptions, isAnyDue, listDueOwners } from './claim.ts'

export interface Owners {
  /** Returns owners with due endpoints, the longest due of each speed first. */
  listDue(options: Pick<ClaimOptions, 'now' | 'endpoints'>): Promise<string[]>
  /** Groups owners whom one statement may name. */
  groupsOf(userIds: string[]): Promise<string[][]>
}

/** Owners as the dispatcher's statements name them, on a sharded database or another. */
export function openOwners(db: Queryable): Owners {
  let sharded: boolean | undefined

  async function isSharded() {
    const [row] = await db.query<{ sharded: boolean }>(sql`select exists (select from pg_extension where extname = 'citus') as sharded`)
    return row?.sharded
  }

  return {
    async listDue({ now, endpoints }) {
      sharded ??= await isSharded()
      // The list takes four statements on every node, and mostly nothing is due.
      return sharded && !(await isAnyDue(db, now)) ? [] : await listDueOwners(db, now, endpoints)
    },
    async groupsOf(userIds) {
      sharded ??= await isSharded()
      const owners = [...new Set(userIds)]
      // A statement with row locks runs on one node, so it names one owner.
      if (sharded) return owners.map(userId => [userId])
      return owners.length > 0 ? [owners] : []
    }
  }
}

/** Returns users with tokens after an id, in order. Every node knows them, also while another one is down. */
export async function listTokenOwners(db: Queryable, after: string, limit: number): Promise<string[]> {
  const rows = await db.query<{ userId: string }>(sql`
    select distinct user_id as "userId" from token_owners where user_id > ${after} order by user_id limit ${limit}`)
  return rows.map(({ userId }) => userId)
}

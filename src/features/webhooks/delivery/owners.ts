import { sql } from '../../../platform/db/drizzle.ts'
import { isNodeDown } from '../../../platform/db/errors.ts'
import type { Database, Queryable } from '../../../platform/db/open.ts'
import { type ClaimOptions, isAnyDue, listDueOwners } from './claim.ts'

/** The minimum time between two queries of all nodes for due owners. */
const LIST_EVERY_MS = 400
/** Owners that are tried one by one in a turn while a node is down. */
const OWNERS_TRIED = 500

export interface Owners {
  /**
   * Returns owners with due endpoints, the longest due of each speed first. On a sharded database it returns those who were `woken`, without a
   * query of all nodes, until it is time for one.
   */
  listDue(options: Pick<ClaimOptions, 'now' | 'endpoints'>, woken: string[]): Promise<string[]>
  /** Groups owners whom one statement may name. */
  groupsOf(userIds: string[]): Promise<string[][]>
}

/** Owners as the dispatcher's statements name them, on a sharded database or another. */
export function openOwners(
  db: Queryable,
  isDistributed: Database['isDistributed'],
  onError: (error: unknown) => void
): Owners {
  let listedAt = Number.NEGATIVE_INFINITY
  /** The last owner that was tried while a node was down. */
  let triedUpTo = ''

  /** While a node is down the due owners are unknown, so all owners are tried in turns. */
  async function tryNext() {
    const owners = await listTokenOwners(db, triedUpTo, OWNERS_TRIED)
    triedUpTo = owners.length < OWNERS_TRIED ? '' : (owners.at(-1) ?? '')
    return owners
  }

  return {
    async listDue({ now, endpoints }, woken) {
      if (!(await isDistributed())) return await listDueOwners(db, now, endpoints)
      if (performance.now() - listedAt < LIST_EVERY_MS) return woken
      listedAt = performance.now()
      try {
        // The list takes four statements on every node, and mostly nothing is due.
        return (await isAnyDue(db, now)) ? await listDueOwners(db, now, endpoints) : []
      } catch (error) {
        if (!isNodeDown(error)) throw error
        onError(error)
        return [...woken, ...(await tryNext())]
      }
    },
    async groupsOf(userIds) {
      const owners = [...new Set(userIds)]
      // A statement with row locks runs on one node, so it names one owner.
      if (await isDistributed()) return owners.map(userId => [userId])
      return owners.length > 0 ? [owners] : []
    }
  }
}

/** Returns users with tokens after an id, in order. Every node knows them, also while another one is down. */
async function listTokenOwners(db: Queryable, after: string, limit: number): Promise<string[]> {
  const rows = await db.query<{ userId: string }>(sql`
    select distinct user_id as "userId" from token_owners where user_id > ${after} order by user_id limit ${limit}`)
  return rows.map(({ userId }) => userId)
}

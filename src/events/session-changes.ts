import { sql } from '../db/drizzle.ts'
import type { Db } from '../db/open.ts'
import { sessionChanges } from '../db/schema/index.ts'

export interface Changed {
  sessionId: string
  /** The `updated_at` of the session. */
  at: string
  /** Null unless this change deletes it. */
  deletedAt: string | null
}

/** The position after all sessions of one transaction have moved: later than their `updated_at`, and `by` after the last one of the user. */
export function nextPosition(changed: readonly Changed[]) {
  const newest = Math.max(...changed.map(({ at }) => Date.parse(at)))
  return { at: newest * 1_000 + changed.length, by: changed.length }
}

/** Moves the sessions to the positions up to `last`, to which the counter was raised in the same transaction. */
export async function moveSessions(tx: Db, userId: string, changed: readonly Changed[], last: number) {
  const target = [sessionChanges.userId, sessionChanges.sessionId]
  const set = { position: sql`excluded.position`, deletedAt: sql`excluded.deleted_at` }
  const insertion = tx.insert(sessionChanges).values(
    changed.map(({ sessionId, deletedAt }, turn) => {
      return {
        userId,
        sessionId,
        position: last - changed.length + turn + 1,
        deletedAt: sql`${deletedAt}::timestamptz`
      }
    })
  )
  await insertion.onConflictDoUpdate({ target, set })
}

/** Moves sessions in the order of changes, for changes that record no event. Positions follow the order of commits. */
export function recordChanges(tx: Db, userId: string, changed: readonly Changed[]) {
  tx.beforeCommit(last => takePositions(last, userId, changed))
}

async function takePositions(tx: Db, userId: string, changed: readonly Changed[]) {
  const { at, by } = nextPosition(changed)
  tx.willLock('user counters')
  const { rows } = await tx.execute<{ last: number }>(sql`
    insert into user_counters as c (user_id, change_position) values (${userId}, ${at}::bigint)
    on conflict (user_id) do update set change_position = greatest(c.change_position + ${by}::int, ${at}::bigint)
    returning change_position as last`)
  for (const { last } of rows) await moveSessions(tx, userId, changed, last)
}

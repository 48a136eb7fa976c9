import { sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'

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
  const first = last - changed.length + 1
  await tx.execute(sql`
    insert into session_changes (user_id, session_id, position, deleted_at) values ${sql.join(
      changed.map(({ sessionId, deletedAt }, turn) => sql`(${userId}, ${sessionId}, ${first + turn}, ${deletedAt})`),
      sql`, `
    )}
    on conflict (user_id, session_id) do update set position = excluded.position, deleted_at = excluded.deleted_at`)
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

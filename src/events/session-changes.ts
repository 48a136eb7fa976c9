import { sql } from '../db/drizzle.ts'
import type { Db } from '../db/open.ts'

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

/** Moves the sessions to the last positions up to the counter's. Call it after the counter was raised in the same transaction. */
export async function moveSessions(tx: Db, userId: string, changed: readonly Changed[]) {
  const ids = sql.param(changed.map(({ sessionId }) => sessionId))
  const deletedAt = sql.param(changed.map(one => one.deletedAt))
  await tx.execute(sql`
    insert into session_changes (user_id, session_id, position, deleted_at)
    select c.user_id, m.id, c.change_position - ${changed.length}::int + m.turn, m.deleted_at
    from user_counters c cross join unnest(${ids}::text[], ${deletedAt}::timestamptz[]) with ordinality as m(id, deleted_at, turn)
    where c.user_id = ${userId}
    on conflict (user_id, session_id) do update set position = excluded.position, deleted_at = excluded.deleted_at`)
}

/**
 * Moves sessions in the order of changes, for changes that record no event. Call it last in their transaction: it locks the counter of the
 * user until the commit, so that positions follow the order of commits.
 */
export async function recordChanges(tx: Db, userId: string, changed: readonly Changed[]) {
  const { at, by } = nextPosition(changed)
  await tx.execute(sql`
    insert into user_counters as c (user_id, change_position) values (${userId}, ${at}::bigint)
    on conflict (user_id) do update set change_position = greatest(c.change_position + ${by}::int, ${at}::bigint)`)
  await moveSessions(tx, userId, changed)
}

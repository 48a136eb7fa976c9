import type { SessionType } from '../../contract/session.ts'
import { sql } from '../../platform/db/drizzle.ts'
import { violates } from '../../platform/db/errors.ts'
import { matches } from '../../platform/db/matches.ts'
import type { Db } from '../../platform/db/open.ts'
import { folderSessions, sessionPeople, sessions, sessionTags } from '../../platform/db/schema/index.ts'
import { countSession } from './counters.ts'
import type { SessionRow } from './session-row.ts'

/** Returns the instant, or one microsecond after the last session in the same millisecond. */
export async function findFreePosition(db: Db, userId: string, from: Date) {
  const at = from.toISOString()
  const { rows } = await db.execute<{ position: string }>(sql`
    select coalesce(max(sort_at) + interval '1 microsecond', ${at}::timestamptz)::text as position from sessions
    where user_id = ${userId} and sort_at >= ${at}::timestamptz and sort_at < ${at}::timestamptz + interval '1 millisecond'`)
  return String(rows[0]?.position)
}

/** After a conflict the search continues in the same millisecond until the position has left it. */
export function nextMillisecond(from: Date, position: string) {
  return new Date(position) >= new Date(from.getTime() + 1) ? new Date(from.getTime() + 1) : from
}

/**
 * Moves a session in lists to another instant or type, with the rows of its tags, folders and people, and its day in the counters. The
 * transaction must hold the lock of the session. Returns what changed in its row.
 */
export async function movePosition(
  tx: Db,
  userId: string,
  { sessionId, state }: SessionRow,
  { to, type }: { to?: Date | undefined; type?: SessionType | undefined }
) {
  const listed = state === 'completed'
  if (listed) await countSession(tx, userId, sessionId, -1)
  const moved = {
    ...(to && { sortAt: await takePosition(tx, userId, sessionId, to) }),
    ...(type && { type })
  }
  // The counters read the type from the row.
  if (type) await tx.update(sessions).set({ type }).where(matches(sessions, { userId, sessionId }))
  for (const table of [sessionTags, folderSessions, sessionPeople]) {
    await tx.update(table).set(moved).where(matches(table, { userId, sessionId }))
  }
  if (listed) await countSession(tx, userId, sessionId, 1)
  return moved
}

async function takePosition(tx: Db, userId: string, sessionId: string, to: Date) {
  for (let from = to; ; ) {
    const sortAt = await findFreePosition(tx, userId, from)
    try {
      // The savepoint keeps the transaction usable if another session takes the position first.
      await tx.transaction(async inner => {
        await inner.update(sessions).set({ sortAt }).where(matches(sessions, { userId, sessionId }))
      })
      return sortAt
    } catch (error) {
      if (!violates(error, 'sessions_sort_at')) throw error
      from = nextMillisecond(from, sortAt)
    }
  }
}

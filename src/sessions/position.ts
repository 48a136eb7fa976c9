import { and, eq, sql } from '../db/drizzle.ts'
import { violates } from '../db/faults.ts'
import type { Db } from '../db/open.ts'
import { folderSessions, sessionPeople, sessions, sessionTags } from '../db/schema/index.ts'
import type { SessionRow } from './detail.ts'
import { tallySession } from './tally.ts'

/** The instant, or where sessions already stand in its millisecond, one microsecond after the last of them. */
export async function freePosition(db: Db, userId: string, from: Date) {
  const at = from.toISOString()
  const { rows } = await db.execute<{ position: string }>(sql`
    select coalesce(max(sort_at) + interval '1 microsecond', ${at}::timestamptz)::text as position from sessions
    where user_id = ${userId} and sort_at >= ${at}::timestamptz and sort_at < ${at}::timestamptz + interval '1 millisecond'`)
  return String(rows[0]?.position)
}

/** Where to look next when another session took the position: on in the same millisecond, unless the position had already left it. */
export function nextMillisecond(from: Date, position: string) {
  return new Date(position) >= new Date(from.getTime() + 1) ? new Date(from.getTime() + 1) : from
}

/**
 * Moves a session to the position of another instant, with the rows of its tags, folders and people, and its day in the counts. Call it
 * in a transaction that has locked the session. Returns the position.
 */
export async function movePosition(tx: Db, userId: string, { sessionId, state }: SessionRow, to: Date) {
  const listed = state === 'completed'
  if (listed) await tallySession(tx, userId, sessionId, -1)
  const sortAt = await takePosition(tx, userId, sessionId, to)
  for (const table of [sessionTags, folderSessions, sessionPeople]) {
    await tx
      .update(table)
      .set({ sortAt })
      .where(and(eq(table.userId, userId), eq(table.sessionId, sessionId)))
  }
  if (listed) await tallySession(tx, userId, sessionId, 1)
  return sortAt
}

async function takePosition(tx: Db, userId: string, sessionId: string, to: Date) {
  for (let from = to; ; ) {
    const sortAt = await freePosition(tx, userId, from)
    try {
      // In a savepoint: another session may take the position first, and the transaction goes on.
      await tx.transaction(async inner => {
        await inner
          .update(sessions)
          .set({ sortAt })
          .where(and(eq(sessions.userId, userId), eq(sessions.sessionId, sessionId)))
      })
      return sortAt
    } catch (fault) {
      if (!violates(fault, 'sessions_sort_at')) throw fault
      from = nextMillisecond(from, sortAt)
    }
  }
}

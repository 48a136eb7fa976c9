import { atEase } from '../core/pace.ts'
import { sql } from '../db/drizzle.ts'
import type { Db } from '../db/open.ts'
import { indexActionItems } from './index-action-items.ts'
import { lockSession } from './session-row.ts'

/** The sessions read per statement. */
const SESSIONS_AT_ONCE = 1_000

/**
 * Lists the action items of sessions that an earlier version of the server has written. Leaves the database to requests for most of the
 * time. Safe to interrupt and to repeat. Returns how many sessions had to be written.
 */
export async function reindexActionItems(db: Db, signal: AbortSignal): Promise<number> {
  let written = 0
  let after = { userId: '', sessionId: '' }
  for (let found = SESSIONS_AT_ONCE; found === SESSIONS_AT_ONCE && !signal.aborted; ) {
    const page = sql`
      select s.user_id, s.session_id, s.state = 'completed' and (has.count, has.at) is distinct from (listed.count, listed.at) as differs
      from sessions s
      cross join lateral (
        select count(*), max((item ->> 'updated_at')::numeric) as at from jsonb_array_elements(s.action_items) item
      ) has
      cross join lateral (
        select count(*), max(extract(epoch from a.updated_at) * 1000) as at from action_items a
        where a.user_id = s.user_id and a.session_id = s.session_id
      ) listed
      where (s.user_id, s.session_id) > (${after.userId}, ${after.sessionId}) order by s.user_id, s.session_id limit ${SESSIONS_AT_ONCE}`
    const { rows } = await atEase(
      () => db.execute<{ user_id: string; session_id: string; differs: boolean }>(page),
      signal
    )
    for (const { user_id: userId, session_id: sessionId } of rows.filter(row => row.differs)) {
      if (signal.aborted) return written
      await atEase(() => reindex(db, userId, sessionId), signal)
      written++
    }
    found = rows.length
    const last = rows.at(-1)
    if (last) after = { userId: last.user_id, sessionId: last.session_id }
  }
  return written
}

async function reindex(db: Db, userId: string, sessionId: string) {
  await db.transaction(async tx => {
    const session = await lockSession(tx, userId, sessionId)
    if (session) await indexActionItems(tx, userId, session)
  })
}

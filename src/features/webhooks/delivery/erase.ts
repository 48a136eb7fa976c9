import { type SQL, sql } from '../../../platform/db/drizzle.ts'
import type { Db } from '../../../platform/db/open.ts'

/** By then every attempt in flight has ended and is in the log. */
export const ERASE_AGAIN_AFTER_SECONDS = 120

/**
 * Erases the receivers' answers to the events of a session from the attempt log, because an answer may repeat the event. Erases answers
 * to events that are no longer kept as well, because their session is unknown. Returns whether the user has webhooks.
 */
export async function eraseAnswers(db: Db, userId: string, sessionId: string) {
  const oldest = (condition: SQL) =>
    sql`(select coalesce(min(seq), 0) from events where user_id = ${userId} and ${condition})`
  db.willLock('webhook')
  // A webhook that is being deleted takes its attempts with it.
  const { rows } = await db.execute(sql`
    with hook as materialized (
      select webhook_id from webhooks where user_id = ${userId} order by webhook_id for key share
    ),
    erased as (
      update webhook_attempts a set answer = '', answer_headers = '' from hook
      where a.user_id = ${userId} and a.webhook_id = hook.webhook_id and (a.answer <> '' or a.answer_headers <> '')
        and a.seq = any(array(select seq from events where user_id = ${userId} and session_id = ${sessionId}))
    ),
    old as (
      update webhook_attempts a set answer = '', answer_headers = '' from hook
      where a.user_id = ${userId} and a.webhook_id = hook.webhook_id and (a.answer <> '' or a.answer_headers <> '')
        and (a.seq < ${oldest(sql`true`)} or a.seq >= 0 and a.seq < ${oldest(sql`seq > 0`)})
    )
    select from hook limit 1`)
  return rows.length > 0
}

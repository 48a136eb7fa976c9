import { sql } from '../../../platform/db/drizzle.ts'
import type { Db } from '../../../platform/db/open.ts'
import { sentBody } from '../../events/whole-body.ts'
import { reasonOf } from '../outcome.ts'

/** The characters of an answer that its owner sees. */
const SHOWN_CHARACTERS = 1_024

interface Answered {
  attempted_at: string
  status: number | null
  error: string | null
  duration_ms: number
  headers: string
  body: string
}

/** An event on its way to one webhook: the request, and the answer to each attempt. */
export interface Exchange {
  id: string
  event: string
  /** Null when the event is no longer kept, and for tests, which are not kept. */
  body: string | null
  /** Oldest first. */
  attempts: (Answered & { reason: string | null })[]
}

/** Undefined if the event was never sent to this webhook and does not wait for it. */
export async function findExchange(
  db: Db,
  userId: string,
  webhookId: string,
  eventId: string
): Promise<Exchange | undefined> {
  const payload = sql`(select payload from webhooks where user_id = ${userId} and webhook_id = ${webhookId})`
  const { rows } = await db.execute<
    Record<string, unknown> & { type: string; body: string | null; attempts: Answered[] }
  >(sql`
    select d.type, ${sentBody(sql.param([userId]), payload)} as body, coalesce((
      select json_agg(json_build_object('attempted_at', to_char(a.attempted_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
        'status', a.status, 'error', a.error, 'duration_ms', a.duration_ms, 'headers', a.answer_headers,
        'body', left(a.answer, ${SHOWN_CHARACTERS})) order by a.attempt)
      from webhook_attempts a where a.user_id = ${userId} and a.webhook_id = ${webhookId} and a.seq = d.seq), '[]') as attempts
    from (
      select seq, type from webhook_deliveries where user_id = ${userId} and webhook_id = ${webhookId} and event_id = ${eventId}
      union
      select seq, type from webhook_attempts where user_id = ${userId} and webhook_id = ${webhookId} and event_id = ${eventId}
    ) d left join events e on e.user_id = ${userId} and e.seq = d.seq limit 1`)
  const [row] = rows
  if (!row) return undefined
  const attempts = row.attempts.map(attempt => ({ ...attempt, reason: reasonOf(attempt.error, attempt.status) }))
  return { id: eventId, event: row.type, body: row.body, attempts }
}

import type { EventType } from '../contract/event.ts'
import { LIMITS } from '../contract/limits.ts'
import type { SessionDetail } from '../contract/session.ts'
import { newId } from '../core/ids.ts'
import { type SQL, sql } from '../db/drizzle.ts'
import type { Db } from '../db/open.ts'
import { movedTo, nextPosition } from './session-changes.ts'

/** The maximum number of events that one transaction removes. */
const MAX_REMOVED = 500

/**
 * Records events in the transaction of the change, with a delivery for each webhook that subscribes to them (transactional outbox). Call it
 * last: it locks the counter of the user until the commit, so that `seq` has no gaps and follows the order of commits, as do the positions of
 * the changed sessions. The stored body is the text that webhooks send. Webhooks are locked against deletion only.
 */
export async function recordEvents(tx: Db, userId: string, happened: { type: EventType; session: SessionDetail }[]) {
  const ids = happened.map(() => newId('evt'))
  const types = happened.map(({ type }) => type)
  const sessionIds = happened.map(({ session }) => session.id)
  const data = happened.map(({ session }) => JSON.stringify({ session }))
  let bytes = 0
  const ends = data.map(text => (bytes += Buffer.byteLength(text)))
  const changed = changedBy(happened)
  const position = nextPosition(changed)
  const { rows } = await tx.execute<{ recorded: number; queued: boolean }>(sql`
    with counter as (
      insert into user_counters as c (user_id, last_seq, event_bytes, change_position)
      values (${userId}, ${happened.length}::int, ${bytes}::bigint, ${position.at}::bigint)
      on conflict (user_id) do update set last_seq = c.last_seq + ${happened.length}::int, event_bytes = c.event_bytes + ${bytes}::bigint,
        change_position = greatest(c.change_position + ${position.by}::int, ${position.at}::bigint)
      returning last_seq, event_bytes, change_position, date_trunc('milliseconds', clock_timestamp()) as at
    ),
    moved as (${movedTo(sql`counter`, userId, changed)}),
    recorded as (
      insert into events (user_id, seq, event_id, type, session_id, created_at, body, end_bytes)
      select ${userId}, counter.last_seq - ${happened.length}::int + e.turn, e.id, e.type, e.session_id, counter.at,
        ${body(sql`e.id`, sql`e.type`, sql`counter.at`, sql`e.data`)},
        counter.event_bytes - ${bytes}::bigint + e.ends
      from counter, unnest(${sql.param(ids)}::text[], ${sql.param(types)}::text[], ${sql.param(sessionIds)}::text[], ${sql.param(data)}::text[],
        ${sql.param(ends)}::bigint[]) with ordinality as e(id, type, session_id, data, ends, turn)
      returning seq, event_id, type, created_at
    ),
    hook as materialized (
      select webhook_id, events from webhooks where user_id = ${userId} and active order by webhook_id for key share
    ),
    queued as (
      insert into webhook_deliveries (user_id, webhook_id, seq, event_id, type, attempt, attempts_before, next_at)
      select ${userId}, hook.webhook_id, seq, event_id, type, 0, 0, created_at
      from recorded join hook on type = any(hook.events)
      returning webhook_id, next_at
    ),
    due as (
      insert into webhook_queue as q (user_id, webhook_id, next_due)
      select ${userId}, webhook_id, min(next_at) from queued group by webhook_id order by webhook_id
      on conflict (user_id, webhook_id) do update
        set next_due = least(q.next_due, greatest(excluded.next_due, q.paused_until))
      returning webhook_id
    )
    select event_bytes::float8 as recorded, exists (select from due) as queued from counter`)
  const [{ recorded, queued } = { recorded: 0, queued: false }] = rows
  if (queued) tx.afterCommit('deliveries')
  if (recorded > LIMITS.eventBytes) await deleteOldestEvents(tx, userId, recorded - LIMITS.eventBytes)
}

/** The sessions of the events, each once. */
function changedBy(happened: { type: EventType; session: SessionDetail }[]) {
  const changed = happened.map(({ type, session: { id, updated_at: at } }) => {
    return { sessionId: id, at, deletedAt: type === 'session.deleted' ? at : null }
  })
  return [...new Map(changed.map(one => [one.sessionId, one])).values()]
}

/**
 * Removes the oldest events that end within the first `upTo` recorded bytes, up to a maximum. Locked events are skipped with all later
 * ones, because their transaction may wait for the counter; so no gap remains.
 */
async function deleteOldestEvents(tx: Db, userId: string, upTo: number) {
  const oldest = sql`(select min(seq) from events where user_id = ${userId})`
  await tx.execute(sql`
    with excess as materialized (
      select seq from events
      where user_id = ${userId} and seq < ${oldest} + ${MAX_REMOVED} and coalesce(end_bytes, 0) <= ${upTo}
      order by seq for update skip locked
    )
    delete from events e using (select seq, row_number() over (order by seq) as place from excess) x
    where e.user_id = ${userId} and e.seq = x.seq and x.seq - x.place = ${oldest} - 1`)
}

/** Erases the content of a session from its events; ids, order, types and times stay. */
export async function eraseFromEvents(tx: Db, userId: string, session: SessionDetail) {
  await tx.execute(sql`
    update events set body = ${body(sql`event_id`, sql`type`, sql`created_at`, sql`${JSON.stringify({ session })}::text`)}
    where user_id = ${userId} and session_id = ${session.id}`)
}

function body(id: SQL, type: SQL, at: SQL, data: SQL) {
  return sql`'{"id":"' || ${id} || '","event":"' || ${type} || '","created_at":"'
        || to_char(${at} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '","data":' || ${data} || '}'`
}

import type { FeedEventType } from '../../contract/event.ts'
import { LIMITS } from '../../contract/limits.ts'
import { and, desc, gt, sql } from '../../platform/db/drizzle.ts'
import { matches } from '../../platform/db/matches.ts'
import type { Db, Queryable } from '../../platform/db/open.ts'
import { events } from '../../platform/db/schema/index.ts'
import { wholeBody, wholeLength } from './whole-body.ts'

export interface EventsPage {
  /** The recorded bodies with their sequence numbers. */
  events: { seq: number; body: string }[]
  nextCursor: number | null
  hasMore: boolean
}

/**
 * Returns the next events of a user after the cursor, or after the acknowledged position of the token. The lengths of the bodies limit the
 * page before the bodies are read; `found` is the number of events without that limit.
 */
export async function findEvents(
  db: Queryable,
  userId: string,
  tokenId: string,
  cursor: number | undefined,
  limit: number
): Promise<EventsPage> {
  const acknowledged = sql`(select seq from token_cursors where user_id = ${userId} and token_id = ${tokenId})`
  const userIds = sql.param([userId])
  const rows = await db.query<{ seq: number; body: string; found: number }>(sql`
    select e.seq, ${wholeBody(userIds)} as body, e.found from (
      select next.*, count(*) over () as found, sum(length) over (order by seq) - length as before
      from (
        select e.user_id, e.seq, e.session_id, e.body, e.texts, ${wholeLength(userIds)} as length from events e
        where e.user_id = ${userId} and e.seq > coalesce(${cursor ?? null}::bigint, ${acknowledged}, 0)
        order by e.seq limit ${limit + 1}
      ) next
    ) e
    where before < ${LIMITS.eventsPage.bytes}
    order by seq`)
  const events = rows.slice(0, limit).map(({ seq, body }) => ({ seq, body }))
  return { events, nextCursor: events.at(-1)?.seq ?? null, hasMore: (rows[0]?.found ?? 0) > events.length }
}

/** Returns the number of the newest event, 0 if there is none yet. */
export async function findHead(db: Queryable, userId: string) {
  const [counter] = await db.query<{ seq: number }>(
    sql`select last_seq as seq from user_counters where user_id = ${userId}`
  )
  return counter?.seq ?? 0
}

/** Returns how many events the user has had, those outside the feed included. */
export async function findEventCount(db: Queryable, userId: string) {
  const [counter] = await db.query<{ events: number }>(
    sql`select last_seq + webhook_events as events from user_counters where user_id = ${userId}`
  )
  return counter?.events ?? 0
}

interface Acknowledgement {
  cursor: number
  /** True if the cursor may move back. */
  rewind?: boolean | undefined
}

/** Moves the cursor of the token. `acknowledged` is its new position, or null if the cursor is above the newest event. */
export async function moveCursor(
  db: Queryable,
  userId: string,
  tokenId: string,
  { cursor, rewind = false }: Acknowledgement
) {
  const move = sql`
    with feed as (
      select coalesce((select last_seq from user_counters where user_id = ${userId}), 0) as newest
    ),
    moved as (
      update token_cursors c
      set seq = case when ${rewind}::bool or c.seq > feed.newest then ${cursor}::bigint else greatest(c.seq, ${cursor}::bigint) end
      from feed where c.user_id = ${userId} and c.token_id = ${tokenId} and ${cursor}::bigint <= feed.newest
      returning c.seq
    )
    select newest, (select seq from moved) as acknowledged from feed`
  const [row = { newest: 0, acknowledged: null }] = await db.query<{ newest: number; acknowledged: number | null }>(
    move
  )
  if (row.acknowledged !== null || cursor > row.newest) return row
  // The first acknowledgement of the token.
  await db.query(
    sql`insert into token_cursors (user_id, token_id, seq) values (${userId}, ${tokenId}, 0) on conflict do nothing`
  )
  const [first = row] = await db.query<{ newest: number; acknowledged: number | null }>(move)
  return first
}

/** Returns the type of the newest event of a session in the feed. */
export async function findLastEventType(tx: Db, userId: string, sessionId: string): Promise<FeedEventType | undefined> {
  const [event] = await tx
    .select({ type: sql<FeedEventType>`${events.type}` })
    .from(events)
    .where(and(matches(events, { userId, sessionId }), gt(events.seq, 0)))
    .orderBy(desc(events.seq))
    .limit(1)
  return event?.type
}

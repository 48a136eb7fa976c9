import type { EventType } from '../contract/event.ts'
import { LIMITS } from '../contract/limits.ts'
import { and, desc, eq } from '../db/drizzle.ts'
import type { Db, Reader } from '../db/open.ts'
import { events } from '../db/schema/index.ts'

/**
 * The next events of a user, from $2 on or from where the token stands. What is on a page is decided by the lengths of
 * the bodies, before the bodies are read. The last column says how many there would be without the bound in bytes.
 */
const PAGE = {
  name: 'events_page',
  text: `
    select seq, body, found from (
      select seq, body, count(*) over () as found, sum(octet_length(body)) over (order by seq) - octet_length(body) as before
      from (
        select seq, body from events
        where user_id = $1 and seq > coalesce($2::bigint, (select seq from token_cursors where user_id = $1 and token_id = $3), 0)
        order by seq limit $4
      ) next
    ) page
    where before < ${LIMITS.eventsPage.bytes}
    order by seq`
}

export interface Page {
  /** The bodies as they were recorded, each with its place. */
  events: { seq: number; body: string }[]
  hasMore: boolean
}

export async function findEvents(db: Reader, userId: string, tokenId: string, cursor: number | undefined, limit: number): Promise<Page> {
  const rows = await db.run<[number, string, number]>(PAGE, [userId, cursor ?? null, tokenId, limit + 1])
  const events = rows.slice(0, limit).map(([seq, body]) => ({ seq, body }))
  return { events, hasMore: (rows[0]?.[2] ?? 0) > events.length }
}

const ACKNOWLEDGE = {
  name: 'acknowledge_events',
  text: `
    with feed as (
      select coalesce((select last_seq from user_counters where user_id = $1), 0) as newest
    ),
    moved as (
      insert into token_cursors as c (user_id, token_id, seq)
      select $1, $2, $3::bigint from feed where $3 <= newest
      on conflict (user_id, token_id) do update
        set seq = case when $4::bool or c.seq > (select newest from feed) then excluded.seq else greatest(c.seq, excluded.seq) end
      returning seq
    )
    select newest, (select seq from moved) from feed`
}

export interface Acknowledgement {
  cursor: number
  /** Whether the cursor may go back. */
  rewind?: boolean | undefined
}

/** Moves the token's place. `acknowledged` is where it is then: null where nothing moved, as the cursor is above the newest event. */
export async function acknowledgeEvents(db: Reader, userId: string, tokenId: string, { cursor, rewind = false }: Acknowledgement) {
  const [[newest, acknowledged] = [0, null]] = await db.run<[number, number | null]>(ACKNOWLEDGE, [userId, tokenId, cursor, rewind])
  return { newest, acknowledged }
}

/** What the newest event of a session says; undefined where no event has told of it. */
export async function findLastEventType(tx: Db, userId: string, sessionId: string): Promise<EventType | undefined> {
  const [event] = await tx
    .select({ type: events.type })
    .from(events)
    .where(and(eq(events.userId, userId), eq(events.sessionId, sessionId)))
    .orderBy(desc(events.seq))
    .limit(1)
  return event?.type
}

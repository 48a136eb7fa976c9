import type { EventType, FeedEventType } from '../../contract/event.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { SessionDetail } from '../../contract/session.ts'
import { newId } from '../../platform/core/ids.ts'
import { sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { FIRST_OUTSIDE_FEED } from '../../platform/db/schema/events.ts'
import { events } from '../../platform/db/schema/index.ts'
import { type Changed, moveSessions, nextPosition } from './session-changes.ts'
import { cutLargeTexts, referencesTo, storeTexts } from './texts.ts'

/** The maximum number of events that one transaction removes. */
const MAX_REMOVED = 500

/**
 * Records events of a session in the transaction of its change, with a delivery for each webhook that subscribes to them (transactional
 * outbox). It locks the counters of the user before the commit, so that `seq` has no gaps and follows the order of commits, as do the
 * positions of changed sessions. The stored body is the text that webhooks send, but for references to large texts. Webhooks are locked
 * against deletion only.
 */
export function recordEvents(tx: Db, userId: string, session: SessionDetail, types: FeedEventType[]) {
  tx.beforeCommit(last => insertEvents(last, userId, session, types))
}

async function insertEvents(tx: Db, userId: string, session: SessionDetail, types: FeedEventType[]) {
  const { data, texts, bytes } = cutLargeTexts(session)
  const { id: sessionId, updated_at: updatedAt } = session
  const changed = [{ sessionId, at: updatedAt, deletedAt: types.includes('session.deleted') ? updatedAt : null }]
  const taken = await takeNumbers(tx, userId, { events: types.length, bytes: bytes * types.length, changed })
  const { lastSeq, eventBytes, lastPosition, at, hooks } = taken
  const references = referencesTo(texts)
  const toRow = (type: FeedEventType, index: number) => {
    const [eventId, following] = [newId('evt'), types.length - index - 1]
    const body = writeBody({ id: eventId, type, at }, data)
    const [seq, endBytes] = [lastSeq - following, eventBytes - following * bytes]
    return sql`${seq}, ${eventId}, ${type}, ${sessionId}, ${at}, ${body}, ${sql.param(references)}::text[], ${endBytes}`
  }
  const recorded = tx.execute(sql`
    insert into events (user_id, seq, event_id, type, session_id, created_at, body, texts, end_bytes) values ${sql.join(
      types.map((type, index) => sql`(${userId}, ${toRow(type, index)})`),
      sql`, `
    )}`)
  // Sent together, which saves a round trip.
  await Promise.all([
    recorded,
    moveSessions(tx, userId, changed, lastPosition),
    storeTexts(tx, userId, sessionId, texts, { lastSeq, lastOutside: FIRST_OUTSIDE_FEED })
  ])
  tx.afterCommit('events', userId)
  const subscribed = (hooks ?? [])
    .filter(hook => types.some(type => hook.events.includes(type)))
    .map(hook => hook.webhook_id)
  if (subscribed.length > 0)
    await queueDeliveries(tx, userId, subscribed, { after: lastSeq - types.length, upTo: lastSeq })
  if (eventBytes > LIMITS.eventBytes) await deleteOldestEvents(tx, userId, eventBytes - LIMITS.eventBytes)
}

/**
 * Records an event in the transaction of the change for the webhooks that name its type. It is not in the feed, whose `seq` has no gaps, and
 * not recorded where no webhook names it.
 */
export function recordWebhookEvent(
  tx: Db,
  userId: string,
  type: Exclude<EventType, FeedEventType>,
  session: SessionDetail
) {
  tx.beforeCommit(last => insertWebhookEvent(last, userId, type, session))
}

/** Records that processing of a session has failed, for the webhooks that name it and for the pages that wait for it. */
export function recordFailureEvent(tx: Db, userId: string, session: SessionDetail) {
  recordWebhookEvent(tx, userId, 'session.failed', session)
  tx.afterCommit('failures', userId)
}

/** Wakes the pages that wait for sessions of the user, on every server, without an event. */
export function wakePages(tx: Db, userId: string) {
  tx.beforeCommit(async last => void (await takeNumberOutsideFeed(last, userId)))
  tx.afterCommit('failures', userId)
}

async function insertWebhookEvent(
  tx: Db,
  userId: string,
  type: Exclude<EventType, FeedEventType>,
  session: SessionDetail
) {
  const { rows: hooks } = await tx.execute<{ webhook_id: string }>(sql`
    select webhook_id from webhooks where user_id = ${userId} and active and ${type} = any(events) order by webhook_id for key share`)
  // Pages that wait on other servers notice a failure by the number.
  if (hooks.length === 0 && type !== 'session.failed') return
  const { turn, at } = await takeNumberOutsideFeed(tx, userId)
  if (hooks.length === 0) return
  const [seq, eventId] = [FIRST_OUTSIDE_FEED + turn, newId('evt')]
  const { data, texts } = cutLargeTexts(session)
  const body = writeBody({ id: eventId, type, at }, data)
  const [sessionId, createdAt] = [session.id, new Date(at)]
  await tx.insert(events).values({ userId, seq, eventId, type, sessionId, createdAt, body, texts: referencesTo(texts) })
  await storeTexts(tx, userId, sessionId, texts, { lastSeq: 0, lastOutside: seq })
  const ids = hooks.map(({ webhook_id }) => webhook_id)
  await queueDeliveries(tx, userId, ids, { after: seq - 1, upTo: seq })
}

/** Takes the next number outside the feed. A cluster refuses the time in RETURNING. */
async function takeNumberOutsideFeed(tx: Db, userId: string): Promise<{ turn: number; at: string }> {
  tx.willLock('user counters')
  const { rows } = await tx.execute<{ turn: number; at: string }>(sql`
    with counter as (
      update user_counters set webhook_events = webhook_events + 1 where user_id = ${userId} returning webhook_events
    )
    select webhook_events as turn, date_trunc('milliseconds', clock_timestamp()) as at from counter`)
  if (rows[0]) return rows[0]
  await insertCounter(tx, userId)
  return await takeNumberOutsideFeed(tx, userId)
}

async function insertCounter(tx: Db, userId: string) {
  await tx.execute(sql`insert into user_counters (user_id) values (${userId}) on conflict do nothing`)
}

/** The text that webhooks send, but for what is cut out of its data. `data` is last, so that `eraseFromEvents` can replace it. */
function writeBody({ id, type, at }: { id: string; type: EventType; at: string }, data: string) {
  return `{"id":"${id}","event":"${type}","created_at":"${at}","data":${data}}`
}

interface Numbers {
  /** The numbers of the last of the events and of the last of the changed sessions. */
  lastSeq: number
  lastPosition: number
  eventBytes: number
  /** The time of the events, to the millisecond. */
  at: string
  /** The active webhooks; null without any. */
  hooks: { webhook_id: string; events: EventType[] }[] | null
}

/** Takes the next numbers of the feed and the next positions of sessions, and locks the webhooks. */
async function takeNumbers(
  tx: Db,
  userId: string,
  happened: { events: number; bytes: number; changed: readonly Changed[] }
): Promise<Numbers> {
  const position = nextPosition(happened.changed)
  tx.willLock('user counters')
  const { rows } = await tx.execute<Numbers & Record<string, unknown>>(sql`
    with counter as (
      update user_counters set last_seq = last_seq + ${happened.events}::int, event_bytes = event_bytes + ${happened.bytes}::bigint,
        change_position = greatest(change_position + ${position.by}::int, ${position.at}::bigint)
      where user_id = ${userId} returning last_seq, event_bytes, change_position
    ),
    hook as (
      select webhook_id, events from webhooks where user_id = ${userId} and active order by webhook_id for key share
    )
    select last_seq as "lastSeq", event_bytes as "eventBytes", change_position as "lastPosition",
      date_trunc('milliseconds', clock_timestamp()) as at, (select json_agg(hook) from hook) as hooks
    from counter`)
  if (rows[0]) return rows[0]
  await insertCounter(tx, userId)
  return await takeNumbers(tx, userId, happened)
}

/** Queues the events after a seq, up to another one, for the webhooks that subscribe to them. */
async function queueDeliveries(
  tx: Db,
  userId: string,
  webhookIds: string[],
  { after, upTo }: { after: number; upTo: number }
) {
  await tx.execute(sql`
    insert into webhook_deliveries (user_id, webhook_id, seq, event_id, type, attempt, attempts_before, next_at)
    select e.user_id, w.webhook_id, e.seq, e.event_id, e.type, 0, 0, e.created_at
    from events e
    join webhooks w on w.user_id = ${userId} and w.webhook_id = any(${sql.param(webhookIds)}::text[]) and e.type = any(w.events)
    where e.user_id = ${userId} and e.seq > ${after} and e.seq <= ${upTo}`)
  tx.willLock('webhook queue')
  const { rows } = await tx.execute(sql`
    insert into webhook_queue as q (user_id, webhook_id, next_due)
    select d.user_id, d.webhook_id, min(d.next_at) from webhook_deliveries d
    where d.user_id = ${userId} and d.webhook_id = any(${sql.param(webhookIds)}::text[]) and d.seq > ${after} and d.seq <= ${upTo}
    group by d.user_id, d.webhook_id order by d.webhook_id
    on conflict (user_id, webhook_id) do update
      set next_due = least(q.next_due, greatest(excluded.next_due, q.paused_until))
    returning webhook_id`)
  if (rows.length > 0) tx.afterCommit('deliveries', userId)
}

/**
 * Removes the oldest events that end within the first `upTo` recorded bytes, up to a maximum, with the texts to which no later one refers.
 * Locked events are skipped with all later ones, because their transaction may wait for the counter; so no gap remains.
 */
async function deleteOldestEvents(tx: Db, userId: string, upTo: number) {
  const oldest = sql`(select min(seq) from events where user_id = ${userId} and seq > 0)`
  await tx.execute(sql`
    with excess as materialized (
      select seq from events
      where user_id = ${userId} and seq > 0 and seq < ${oldest} + ${MAX_REMOVED} and end_bytes <= ${upTo}
      order by seq for update skip locked
    ),
    removed as (
      delete from events e using (select seq, row_number() over (order by seq) as place from excess) x
      where e.user_id = ${userId} and e.seq = x.seq and x.seq - x.place = ${oldest} - 1
      returning e.seq, e.session_id, e.texts
    ),
    unused as materialized (
      select t.session_id, t.hash from event_texts t
      where t.user_id = ${userId} and (t.session_id, t.hash) in (select session_id, unnest(texts) from removed)
        and t.last_seq <= (select max(seq) from removed) and t.last_outside = ${FIRST_OUTSIDE_FEED}
      for update of t skip locked
    )
    delete from event_texts t using unused u
    where t.user_id = ${userId} and t.session_id = u.session_id and t.hash = u.hash`)
}

/** Erases the content of a locked session from its events; ids, order, types and times stay. */
export async function eraseFromEvents(tx: Db, userId: string, session: SessionDetail) {
  await tx.execute(sql`
    with erased as (delete from event_texts where user_id = ${userId} and session_id = ${session.id})
    update events set texts = null, body = left(body, strpos(body, '"data":') + 6) || ${JSON.stringify({ session })}::text || '}'
    where user_id = ${userId} and session_id = ${session.id}`)
}

import { type Actor, requireScope, requireToken } from '../accounts/actor.ts'
import type { EventsAck, EventsAcknowledged, EventsQuery } from '../contract/event.ts'
import { invalid } from '../core/api-error.ts'
import type { Services } from '../services.ts'
import { type EventsPage, findEvents, findHead, moveCursor } from './queries.ts'

/**
 * Lists the events after the cursor, or after the position that this token acknowledged. `latest` lists none and returns the position of
 * the newest. The recorded bodies stay JSON text, because parsing and serializing them again would dominate the cost.
 */
export async function listEvents(
  { db }: Pick<Services, 'db'>,
  actor: Actor,
  { cursor, limit }: EventsQuery
): Promise<EventsPage> {
  requireScope(actor, 'events:read')
  if (cursor === 'latest') return { events: [], nextCursor: await findHead(db, actor.userId), hasMore: false }
  return await findEvents(db, actor.userId, requireToken(actor).tokenId, cursor, limit)
}

/** Moves the position of this token. A lower cursor changes nothing without `rewind`; one above the newest event is refused. */
export async function acknowledgeEvents(
  { db }: Pick<Services, 'db'>,
  actor: Actor,
  sent: EventsAck
): Promise<EventsAcknowledged> {
  requireScope(actor, 'events:read')
  const { newest, acknowledged } = await moveCursor(db, actor.userId, requireToken(actor).tokenId, sent)
  if (acknowledged !== null) return { acknowledged_cursor: acknowledged }
  throw invalid({
    field: 'cursor',
    problem: `the newest event is ${newest}`,
    expected: `a whole number from 0 to ${newest}`
  })
}

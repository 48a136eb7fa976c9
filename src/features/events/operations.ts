import type { EventsAck, EventsAcknowledged, EventsQuery } from '../../contract/event.ts'
import { invalid } from '../../platform/core/api-error.ts'
import { requireTokenId } from '../access/actor.ts'
import { operation } from '../access/operation.ts'
import type { Services } from '../services.ts'
import { type EventsPage, findEvents, findHead, moveCursor } from './queries.ts'

/**
 * Lists the events after the cursor, or after the position that this token acknowledged. `latest` lists none and returns the position of
 * the newest. If there are none, it waits for the next one up to `wait` seconds. The recorded bodies stay JSON text, because parsing and
 * serializing them again would dominate the cost.
 */
export const listEvents = operation(
  'listEvents',
  async (
    { db, arrivals }: Pick<Services, 'db' | 'arrivals'>,
    actor,
    { cursor, limit, wait }: EventsQuery,
    signal: AbortSignal
  ): Promise<EventsPage> => {
    const { userId } = actor
    if (cursor === 'latest') return { events: [], nextCursor: await findHead(db, userId), hasMore: false }
    const tokenId = requireTokenId(actor)
    if (wait === 0) return await findEvents(db, userId, tokenId, cursor, limit)
    // Read before the page: an event that is recorded in between ends the wait.
    const head = await findHead(db, userId)
    const page = await findEvents(db, userId, tokenId, cursor, limit)
    if (page.events.length > 0) return page
    await arrivals.wait(userId, head, wait * 1_000, signal)
    return await findEvents(db, userId, tokenId, cursor, limit)
  }
)

/** Moves the position of this token. A lower cursor changes nothing without `rewind`; one above the newest event is refused. */
export const acknowledgeEvents = operation(
  'acknowledgeEvents',
  async ({ db }: Pick<Services, 'db'>, actor, sent: EventsAck): Promise<EventsAcknowledged> => {
    const { newest, acknowledged } = await moveCursor(db, actor.userId, requireTokenId(actor), sent)
    if (acknowledged !== null) return { acknowledged_cursor: acknowledged }
    throw invalid({
      field: 'cursor',
      problem: `the newest event is ${newest}`,
      expected: `a whole number from 0 to ${newest}`
    })
  }
)

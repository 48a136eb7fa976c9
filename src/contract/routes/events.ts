import { EventList, EventsAck, EventsAcknowledged, EventsQuery } from '../event.ts'
import { EXAMPLES } from '../examples.ts'
import { LIMITS } from '../limits.ts'
import { OPERATIONS } from '../operations.ts'
import { REQUESTS } from '../request-examples.ts'
import type { RouteDescription } from './route.ts'

const tags = ['Events']

export const EVENT_ROUTES = {
  listEvents: {
    method: 'GET',
    url: '/events',
    config: {
      // Longer than the longest wait.
      answerTimeoutMs: (LIMITS.eventsWaitSeconds + 30) * 1_000,
      scopes: OPERATIONS.listEvents,
      headers: ['Link'],
      openapi: { example: EXAMPLES.events }
    },
    schema: {
      operationId: 'listEvents',
      tags,
      summary: 'Poll for events',
      description:
        'The events of your sessions in order, each with the session as it was then, after the last event that this token acknowledged. A new token begins with the oldest event that is kept. Poll, process the events, acknowledge `next_cursor`: events that were not acknowledged are returned again. With `wait`, a poll waits for the next event, so one request at a time is enough. Pass `cursor` to read from another position, or `cursor=latest` for the newest one. Events are kept for 30 days, up to 1 GiB per user. If the first `seq` is more than one above the cursor, older events are gone.',
      querystring: EventsQuery,
      response: { 200: EventList }
    }
  },
  acknowledgeEvents: {
    method: 'POST',
    url: '/events/ack',
    config: {
      scopes: OPERATIONS.acknowledgeEvents,
      openapi: { request: REQUESTS.acknowledge, example: EXAMPLES.acknowledged }
    },
    schema: {
      operationId: 'acknowledgeEvents',
      tags,
      summary: 'Acknowledge events',
      description:
        'Later polls of this token begin after the cursor. A lower cursor changes nothing unless `rewind` is true: then the events after it are returned again. A cursor above the newest event is refused.',
      body: EventsAck,
      response: { 200: EventsAcknowledged }
    }
  }
} satisfies Record<string, RouteDescription>

import { z } from 'zod'
import { flag, integer, pageLimit, sentOnce, timestamp, warnings, wholeNumber } from './common.ts'
import { LIMITS } from './limits.ts'
import { SessionDetail } from './session.ts'

/** The types of the feed. */
export const FEED_EVENT_TYPES = [
  'session.completed',
  'session.updated',
  'session.deleted',
  'session.action_items.updated'
] as const
export type FeedEventType = (typeof FEED_EVENT_TYPES)[number]
/** Only webhooks get the last two. */
export const EVENT_TYPES = [...FEED_EVENT_TYPES, 'session.created', 'session.failed'] as const
export type EventType = (typeof EVENT_TYPES)[number]

/** The event type that the test endpoint of a webhook sends. It is never in the feed. */
export const TEST_EVENT = 'webhook.test'

const seq = { min: 0, max: Number.MAX_SAFE_INTEGER }

const id = z
  .string()
  .meta({ description: 'Identical in every delivery of this event.', examples: ['evt_01m7x9fbe4fey9tg3s33gak8w3'] })
const data = z.object({ session: SessionDetail })

const EventEnvelope = z
  .object({
    id,
    seq: z
      .number()
      .meta({ description: 'The sequence number: 1, 2, 3 … without gaps per user. It is the cursor of the feed.' }),
    event: z.enum(FEED_EVENT_TYPES),
    created_at: timestamp,
    data
  })
  .meta({ id: 'EventEnvelope' })

/** The body of a webhook delivery: the event without its sequence number. */
export const WebhookPayload = z
  .object({ id, event: z.enum([...EVENT_TYPES, TEST_EVENT]), created_at: timestamp, data })
  .meta({ id: 'WebhookPayload' })

const positionError = `a whole number from ${seq.min} to ${seq.max}, or latest`

export const EventsQuery = z.object({
  cursor: z
    .string(sentOnce(positionError))
    .regex(/^(\d{1,16}|latest)$/, positionError)
    .transform(sent => (sent === 'latest' ? sent : Number(sent)))
    .refine(sent => sent === 'latest' || sent <= seq.max, positionError)
    .optional()
    .meta({
      type: undefined,
      pattern: undefined,
      anyOf: [
        { type: 'integer', minimum: seq.min },
        { type: 'string', const: 'latest' }
      ],
      description:
        'Returns events after this `seq`. Default: the last acknowledged one. `latest` returns no events, and the newest `seq`.'
    }),
  limit: pageLimit(LIMITS.eventsPage, 'The maximum number of events to return. A page has at most 4 MiB.'),
  wait: wholeNumber(0, LIMITS.eventsWaitSeconds).default(0).meta({
    description: 'Seconds to wait for the next event if there is none. The answer comes as soon as one is recorded.'
  })
})
export type EventsQuery = z.infer<typeof EventsQuery>

export const EventList = z
  .object({
    events: z.array(EventEnvelope),
    next_cursor: z.number().nullable().meta({
      description:
        'The `seq` of the last event on the page. Null on an empty page. With `cursor=latest`, the newest `seq`, or 0.'
    }),
    has_more: z.boolean()
  })
  .meta({ id: 'EventList' })

export const EventsAck = z
  .object(
    {
      cursor: integer(seq.min, seq.max).meta({ description: 'The `seq` of an event in the feed, or 0.' }),
      rewind: flag.optional().meta({ description: 'Whether a lower cursor moves the token back.' })
    },
    { error: 'an object with the cursor' }
  )
  .meta({ id: 'EventsAck' })
export type EventsAck = z.infer<typeof EventsAck>

export const EventsAcknowledged = z
  .object({ acknowledged_cursor: z.number().meta({ description: 'The cursor of the token.' }), warnings })
  .meta({ id: 'EventsAcknowledged' })

export type EventsAcknowledged = z.infer<typeof EventsAcknowledged>

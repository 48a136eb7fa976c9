import { z } from 'zod'
import { CURSOR_ERROR, integer, pageEnd, pageLimit, queryOneOf, sentOnce, timestamp, warnings } from './common.ts'
import { instantOrDay } from './day-or-instant.ts'
import { EVENT_TYPES, TEST_EVENT } from './event.ts'
import { LIMITS } from './limits.ts'

const [MINUTE, HOUR] = [60, 3_600]

/** The schedule of failed attempts, and the rule for turning a webhook off. */
export const DELIVERY = {
  answerSeconds: 15,
  /** The delays between the attempts of a round. */
  delaysSeconds: [5, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR],
  jitter: 0.2,
  /** A webhook with this many failures in a row, over this many days, is turned off. */
  turnOff: { failures: 20, days: 5 }
}

/** The types in the delivery log. */
const DELIVERED_TYPES = [...EVENT_TYPES, TEST_EVENT] as const

const DELIVERY_STATUS = ['pending', 'delivered', 'failed'] as const

const DeliveryAttempt = z
  .object({
    attempted_at: timestamp,
    status: z.number().nullable().meta({ description: 'The HTTP status of the response. Null without a response.' }),
    error: z
      .string()
      .nullable()
      .meta({ description: 'The error code. Null on success.', examples: ['timeout'] }),
    reason: z
      .string()
      .nullable()
      .meta({ description: 'The error as a sentence.', examples: ['The receiver did not answer in time'] }),
    duration_ms: z.number()
  })
  .meta({ id: 'DeliveryAttempt' })

export const Delivery = z
  .object({
    id: z.string().meta({
      description: 'The id of the event, as sent to the receiver.',
      examples: ['evt_01m7x9fbe4fey9tg3s33gak8w3']
    }),
    seq: z.number().nullable().meta({
      description: 'The sequence number of the event in the feed. Null if the feed has no events of its type.'
    }),
    event: z.enum(DELIVERED_TYPES),
    status: z
      .enum(DELIVERY_STATUS)
      .meta({ description: '`pending` until an attempt succeeds or the last attempt of the schedule fails.' }),
    next_attempt_at: timestamp.nullable().meta({
      description: 'The earliest time of the next attempt. Null while an attempt is in flight and after the last one.'
    }),
    attempts: z.array(DeliveryAttempt).meta({ description: 'Oldest first. Kept for 30 days.' })
  })
  .meta({ id: 'Delivery' })
export type Delivery = z.infer<typeof Delivery>

export const DeliveriesQuery = z.object({
  status: queryOneOf(DELIVERY_STATUS).optional().meta({ description: 'Returns only deliveries in this state.' }),
  event: queryOneOf(DELIVERED_TYPES).optional().meta({ description: 'Returns only deliveries of this event type.' }),
  cursor: z
    .string(sentOnce(CURSOR_ERROR))
    .regex(/^-?\d{1,16}$/, CURSOR_ERROR)
    .transform(Number)
    .refine(Number.isSafeInteger, CURSOR_ERROR)
    .optional()
    .meta({ type: 'integer', pattern: undefined, description: 'The `next_cursor` of the previous page.' }),
  limit: pageLimit(LIMITS.deliveriesPage, 'The maximum number of deliveries to return.')
})
export type DeliveriesQuery = z.infer<typeof DeliveriesQuery>

export const DeliveryList = z
  .object({
    deliveries: z.array(Delivery).meta({
      description:
        'Newest event first; after the events of the feed, the tests, and then the other events outside of it.'
    }),
    ...pageEnd(z.number())
  })
  .meta({ id: 'DeliveryList' })
export type DeliveryList = z.infer<typeof DeliveryList>

export const ReplayRequest = z
  .object(
    {
      from_seq: integer(1, Number.MAX_SAFE_INTEGER)
        .optional()
        .meta({ description: 'The sequence number of the first event to send again.' }),
      since: instantOrDay.optional().meta({ description: 'Sends events again from this instant on.' })
    },
    { error: 'an object with from_seq or since' }
  )
  .refine(({ from_seq, since }) => (from_seq === undefined) !== (since === undefined), 'either from_seq or since')
  .meta({ id: 'ReplayRequest' })
export type ReplayRequest = z.infer<typeof ReplayRequest>

export const Replayed = z
  .object({
    webhook_id: z.string(),
    queued: z.number().meta({
      description: 'The number of deliveries added to the queue. Deliveries that were already waiting do not count.'
    }),
    next_seq: z
      .number()
      .nullable()
      .meta({
        description: `Pass it as \`from_seq\` to continue: one call reads ${LIMITS.replay} events. Null when all are read.`
      }),
    warnings
  })
  .meta({ id: 'Replayed' })

export type Replayed = z.infer<typeof Replayed>

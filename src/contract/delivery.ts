import { z } from 'zod'
import { once, timestamp, wholeNumber } from './common.ts'
import { EVENT_TYPES } from './event.ts'
import { LIMITS } from './limits.ts'
import { instant } from './session.ts'

const { default: usual, max } = LIMITS.deliveriesPage
const seq = { min: 0, max: Number.MAX_SAFE_INTEGER }

export const DELIVERY_STATUS = ['pending', 'delivered', 'failed'] as const
export type DeliveryStatus = (typeof DELIVERY_STATUS)[number]

const DeliveryAttempt = z
  .object({
    attempted_at: timestamp,
    status: z.number().nullable().meta({ description: 'The HTTP status of the answer; null when there was none.' }),
    error: z
      .string()
      .nullable()
      .meta({ description: 'What went wrong, in one word; null when nothing did.', examples: ['timeout'] }),
    reason: z
      .string()
      .nullable()
      .meta({ description: 'The same as a sentence.', examples: ['The receiver did not answer in time'] }),
    duration_ms: z.number()
  })
  .meta({ id: 'DeliveryAttempt' })

export const Delivery = z
  .object({
    id: z.string().meta({ description: 'The id of the event, as the receiver sees it.', examples: ['evt_01m7x9fbe4fey9tg3s33gak8w3'] }),
    seq: z.number().meta({ description: 'The place of the event in the feed.' }),
    event: z.enum(EVENT_TYPES),
    status: z
      .enum(DELIVERY_STATUS)
      .meta({ description: '`pending` until it was delivered, or given up after the last attempt of the schedule.' }),
    next_attempt_at: timestamp
      .nullable()
      .meta({ description: 'Not before then, while it is pending; null while an attempt is under way, and at the end.' }),
    attempts: z.array(DeliveryAttempt).meta({ description: 'Oldest first; kept for 30 days.' })
  })
  .meta({ id: 'Delivery' })
export type Delivery = z.infer<typeof Delivery>

export const DeliveriesQuery = z.object({
  status: z
    .enum(DELIVERY_STATUS, once(`send one of ${DELIVERY_STATUS.join(', ')}`))
    .optional()
    .meta({ description: 'Only deliveries that stand so.' }),
  event: z
    .enum(EVENT_TYPES, once(`send one of ${EVENT_TYPES.join(', ')}`))
    .optional()
    .meta({ description: 'Only deliveries of that type of event.' }),
  cursor: wholeNumber(seq.min, seq.max)
    .optional()
    .meta({ type: 'integer', pattern: undefined, description: 'The `next_cursor` of the page before.' }),
  limit: wholeNumber(1, max)
    .default(usual)
    .meta({ type: 'integer', pattern: undefined, minimum: 1, maximum: max, description: 'How many deliveries to return.' })
})
export type DeliveriesQuery = z.infer<typeof DeliveriesQuery>

export const DeliveryList = z
  .object({
    deliveries: z.array(Delivery).meta({ description: 'Newest event first.' }),
    next_cursor: z.number().nullable().meta({ description: 'Null when there are no more.' }),
    has_more: z.boolean()
  })
  .meta({ id: 'DeliveryList' })

const fromError = `send a whole number from 1 to ${seq.max}`

export const ReplayRequest = z
  .object(
    {
      from_seq: z
        .int(fromError)
        .min(1, fromError)
        .max(seq.max, fromError)
        .optional()
        .meta({ description: 'The first event to send again.' }),
      since: instant.optional().meta({ description: 'Events from that instant on.' })
    },
    { error: 'send an object with from_seq or since' }
  )
  .refine(({ from_seq, since }) => (from_seq === undefined) !== (since === undefined), 'send either from_seq or since')
  .meta({ id: 'ReplayRequest' })

export const Replayed = z
  .object({
    webhook_id: z.string(),
    queued: z.number().meta({ description: 'How many deliveries were put in the queue; those that wait there already are not counted.' }),
    next_seq: z
      .number()
      .nullable()
      .meta({ description: `Where to go on: one call looks at ${LIMITS.replay} events. Null when it has looked at all.` })
  })
  .meta({ id: 'Replayed' })

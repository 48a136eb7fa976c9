import { z } from 'zod'
import { changeOf, flag, pathId, timestamp, warnings } from './common.ts'
import { EVENT_TYPES, TEST_EVENT } from './event.ts'
import { FIELD_LIMITS, LIMITS } from './limits.ts'
import { webhookHeaders } from './webhook-headers.ts'

/** In a path. */
export const webhookId = pathId('The id of the webhook.', 'whk_01m7x4k2p9d8ct5n1w6r0zbfyq')

const urlError = `a URL of at most ${LIMITS.webhookUrl} characters`
const eventError = `one of ${EVENT_TYPES.join(', ')}`
const eventsError = `a list of at least one of ${EVENT_TYPES.join(', ')}`

const WEBHOOK_PAYLOADS = ['full', 'thin'] as const
export type WebhookPayload = (typeof WEBHOOK_PAYLOADS)[number]

const payload = z.enum(WEBHOOK_PAYLOADS, { error: `one of ${WEBHOOK_PAYLOADS.join(', ')}` }).meta({
  description:
    'What a delivery carries: `full` has the whole session, `thin` only its id, so that your receiver fetches the rest with its own token.'
})

const fields = {
  url: z
    .string({ error: urlError })
    .max(LIMITS.webhookUrl, urlError)
    .meta({
      format: 'uri',
      description: 'An https URL of a host on the public internet.',
      examples: ['https://example.com/hooks/parlance']
    }),
  events: z
    .array(z.enum(EVENT_TYPES, { error: eventError }), { error: eventsError })
    .min(1, eventsError)
    .max(FIELD_LIMITS.listed, eventsError)
    .overwrite(events => [...new Set(events)])
    .meta({ description: 'The event types to deliver.' })
}

export const Webhook = z
  .object({
    id: z.string().meta({ examples: ['whk_01m7x4k2p9d8ct5n1w6r0zbfyq'] }),
    url: z.string(),
    events: z.array(z.enum(EVENT_TYPES)),
    payload,
    header_names: z.array(z.string()).meta({ description: 'The names of your own headers, in order of the alphabet.' }),
    active: z.boolean().meta({
      description:
        'Whether events are delivered. Turned off after days of failed attempts, or when the receiver answers 410.'
    }),
    failure_count: z.number().meta({ description: 'The number of failed attempts since the last success.' }),
    last_delivery_at: timestamp.nullable(),
    last_delivery_status: z
      .number()
      .nullable()
      .meta({ description: 'The HTTP status of the last response. Null without a response.' }),
    created_at: timestamp,
    updated_at: timestamp,
    secret: z
      .string()
      .optional()
      .meta({ description: 'The key that signs deliveries. Returned only when it is created or rotated.' }),
    warnings
  })
  .meta({ id: 'Webhook' })
export type Webhook = z.infer<typeof Webhook>

export const WebhookList = z
  .object({ webhooks: z.array(Webhook).meta({ description: 'Oldest first.' }) })
  .meta({ id: 'WebhookList' })
export type WebhookList = z.infer<typeof WebhookList>

export const WebhookCreate = z
  .object(
    { ...fields, payload: payload.default('full'), headers: webhookHeaders.optional() },
    { error: 'a JSON object with url and events' }
  )
  .meta({ id: 'WebhookCreate' })
export type WebhookCreate = z.infer<typeof WebhookCreate>

export const WebhookPatch = changeOf(
  'WebhookPatch',
  {
    ...fields,
    payload,
    headers: webhookHeaders.meta({
      description:
        'Replaces all of your own headers; `{}` removes them. Needed with a `url` of another origin if the webhook has headers.'
    }),
    active: flag.meta({ description: 'True also resets the failure count and sends waiting deliveries at once.' })
  },
  'a JSON object with the fields of the webhook',
  'at least one of url, events, payload, headers and active'
)
export type WebhookPatch = z.infer<typeof WebhookPatch>

export const WebhookDeleted = z.object({ deleted: z.boolean(), id: z.string() }).meta({ id: 'WebhookDeleted' })
export type WebhookDeleted = z.infer<typeof WebhookDeleted>

export const WebhookTested = z
  .object({
    success: z.boolean().meta({ description: 'Whether the receiver answered with 2xx in time.' }),
    event: z.literal(TEST_EVENT),
    webhook_id: z.string(),
    delivered_at: timestamp.meta({ description: 'When the attempt was made.' }),
    status: z.number().nullable().meta({ description: 'The HTTP status of the response. Null without a response.' }),
    error: z.string().nullable().meta({ description: 'The error code of the delivery log. Null on success.' }),
    reason: z.string().nullable().meta({ description: 'The error as a sentence.' }),
    duration_ms: z.number()
  })
  .meta({ id: 'WebhookTested' })

export type WebhookTested = z.infer<typeof WebhookTested>

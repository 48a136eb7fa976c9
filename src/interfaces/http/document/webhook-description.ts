import { DELIVERY } from '../../../contract/delivery.ts'
import { type EventType, TEST_EVENT, WebhookPayload } from '../../../contract/event.ts'
import { EXAMPLES } from '../../../contract/examples.ts'
import { FAILURES } from '../../../features/library/failure-reason.ts'

const { webhookPayload: payload, sessionDetail: session } = EXAMPLES
/** The fields of a deleted session that its event keeps. */
const ERASED = { title: '', language: null, summary: null, notes: null, tags: [], favorite: false, action_items: [] }
/** The fields that a session which is not completed lacks. */
const UNMADE = { language: null, summary: null, action_items: [], action_items_version: 0 }

const EVENTS: Record<EventType | typeof TEST_EVENT, { meaning: string; session?: object }> = {
  'session.completed': { meaning: 'A session has been processed: its summary, notes and tags can be read.' },
  'session.updated': { meaning: 'The title, summary, notes, tags or favorite flag of a session has changed.' },
  'session.deleted': {
    meaning:
      'A session was deleted, or moved to the trash. Its id, times, length and type remain; texts are empty or null.',
    session: ERASED
  },
  'session.action_items.updated': { meaning: 'The action items of a session were written.' },
  'session.created': {
    meaning: 'A session was imported, or a call has begun. It is not processed yet.',
    session: { ...UNMADE, status: 'processing' }
  },
  'session.failed': {
    meaning: 'Processing of a session has failed. `failure_reason` says why.',
    session: { ...UNMADE, status: 'failed', failure_reason: FAILURES.noSpeech }
  },
  [TEST_EVENT]: { meaning: 'The test endpoint of a webhook sends this event, once. It is not in the feed.' }
}

/** The schedule in words. */
export const RETRY_SCHEDULE = `${new Intl.ListFormat('en-GB').format(DELIVERY.delaysSeconds.map(toWords))}, each ± ${DELIVERY.jitter * 100} %`

function toWords(seconds: number) {
  if (seconds < 60) return `${seconds} s`
  return seconds < 3_600 ? `${seconds / 60} min` : `${seconds / 3_600} h`
}

const VERIFY = `A POST to the URL of each webhook that names the event. Verify the delivery before you read it: compute HMAC-SHA256 over
\`<X-Svc-Webhook-Id>.<X-Svc-Webhook-Timestamp>.<raw body>\`, keyed with the \`secret\` of the webhook as it is shown, and compare
the lowercase hexadecimal digest with \`X-Svc-Webhook-Signature\` in constant time. Refuse a timestamp that is more than five minutes off. The
\`webhook-*\` headers carry the same in the form of the Standard Webhooks specification, for its libraries.

Answer within ${DELIVERY.answerSeconds} seconds; the status alone counts. An event may come more than once, with the same id, and not in the order of the feed.`

const RETRIED = `The delivery has failed and is repeated after ${RETRY_SCHEDULE}. No answer within ${DELIVERY.answerSeconds} seconds, and no connection,
count the same. After ${DELIVERY.turnOff.failures} failed attempts in a row over at least ${DELIVERY.turnOff.days} days the webhook is turned off.`

const DIGITS = { type: 'string', pattern: '^[0-9]{1,15}$' }
const HEADERS = {
  'X-Svc-Webhook-Id': {
    description: 'The id of the event, the same in every delivery of it.',
    schema: { type: 'string' }
  },
  'X-Svc-Webhook-Timestamp': { description: 'When this attempt was made, in Unix seconds.', schema: DIGITS },
  'X-Svc-Webhook-Signature': {
    description: 'The HMAC-SHA256 signature, as 64 lowercase hexadecimal digits.',
    schema: { type: 'string', pattern: '^[0-9a-f]{64}$' }
  },
  'webhook-id': { description: 'The id of the event.', schema: { type: 'string' } },
  'webhook-timestamp': { description: 'When this attempt was made, in Unix seconds.', schema: DIGITS },
  'webhook-signature': {
    description:
      'Signatures of the form `v1,<base64>`, separated by spaces: one for each valid secret, so two in the 24 hours after a rotation.',
    schema: { type: 'string', pattern: '^v1,[A-Za-z0-9+/]{43}=( v1,[A-Za-z0-9+/]{43}=)?$' }
  },
  'User-Agent': { description: 'Names the sender.', schema: { type: 'string', const: 'Parlance-Webhooks/1.0' } }
}

const BUSY = {
  description: `${RETRIED} Nothing is sent to this webhook before the time of \`Retry-After\`, up to a day.`,
  headers: {
    'Retry-After': {
      description: 'Seconds, or an HTTP date, before which you want no delivery.',
      required: false,
      schema: { type: 'string' }
    }
  }
}

const RESPONSES = {
  '2XX': { description: 'The event is delivered.' },
  '3XX': { description: `Redirects are not followed. ${RETRIED}` },
  '410': { description: 'You want no more deliveries: this delivery is not repeated, and the webhook is turned off.' },
  '429': BUSY,
  '503': BUSY,
  default: { description: RETRIED }
}

/** The test event is not a delivery and changes nothing about the webhook. */
const TEST_RESPONSES = {
  '2XX': { description: 'The test has succeeded.' },
  default: { description: 'The test has failed. It is not repeated, and the webhook stays as it is.' }
}

/** The `webhooks` section of the OpenAPI document: the posted events by type, and the consequences of an answer. */
export const WEBHOOKS = Object.fromEntries(
  Object.entries(EVENTS).map(([event, { meaning, session: rest }]) => [
    event,
    { post: receiving(event, meaning, rest) }
  ])
)

function receiving(event: string, meaning: string, rest?: object) {
  return {
    operationId: `receive ${event}`.replace(/[ ._](\w)/g, (_, letter: string) => letter.toUpperCase()),
    tags: ['Webhooks'],
    summary: `Receive ${event}`,
    description: `${meaning}\n\n${VERIFY}`,
    security: [],
    parameters: Object.entries(HEADERS).map(([name, header]) => ({ name, in: 'header', required: true, ...header })),
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: {
            allOf: [
              { $ref: `#/components/schemas/${WebhookPayload.meta()?.id}` },
              { type: 'object', required: ['event'], properties: { event: { type: 'string', const: event } } }
            ]
          },
          example: { ...payload, event, data: { session: { ...session, ...rest } } }
        }
      }
    },
    responses: event === TEST_EVENT ? TEST_RESPONSES : RESPONSES
  }
}

import { type EventType, TEST_EVENT } from '../contract/event.ts'
import { EXAMPLES } from '../contract/examples.ts'

const MEANING: Record<EventType | typeof TEST_EVENT, string> = {
  'session.completed': 'A session has been processed: its summary, notes and tags can be read.',
  'session.updated': 'The title, summary, notes, tags or favorite flag of a session has changed.',
  'session.deleted': 'A session was deleted.',
  'session.action_items.updated': 'The action items of a session were written.',
  [TEST_EVENT]: 'The test endpoint of a webhook sends this event. It is not in the feed.'
}

const VERIFY = `A POST to the URL of each webhook that names the event. Verify the delivery before you read it: compute HMAC-SHA256 over
\`<X-Svc-Webhook-Id>.<X-Svc-Webhook-Timestamp>.<raw body>\`, keyed with the \`secret\` of the webhook as it is shown, and compare
the lowercase hexadecimal digest with \`X-Svc-Webhook-Signature\` in constant time. Refuse a timestamp that is more than five minutes old. The
\`webhook-*\` headers carry the same in the form of the Standard Webhooks specification, for its libraries.

Answer with a 2xx within 15 seconds. An event may come more than once, with the same id, and not in the order of the feed.`

const HEADERS = {
  'X-Svc-Webhook-Id': 'The id of the event, the same in every delivery of it.',
  'X-Svc-Webhook-Timestamp': 'When this attempt was made, in Unix seconds.',
  'X-Svc-Webhook-Signature': 'The HMAC-SHA256 signature, as 64 lowercase hexadecimal digits.',
  'webhook-id': 'The id of the event.',
  'webhook-timestamp': 'When this attempt was made, in Unix seconds.',
  'webhook-signature':
    'Signatures of the form `v1,<base64>`, separated by spaces: one for each valid secret, so two in the 24 hours after a rotation.'
}

/** The `webhooks` section of the OpenAPI document: what the server posts, by event type. */
export const WEBHOOKS = Object.fromEntries(Object.entries(MEANING).map(([event, meaning]) => [event, { post: receiving(event, meaning) }]))

function receiving(event: string, meaning: string) {
  return {
    operationId: `receive ${event}`.replace(/[ ._](\w)/g, (_, letter: string) => letter.toUpperCase()),
    tags: ['Webhooks'],
    summary: `Receive ${event}`,
    description: `${meaning}\n\n${VERIFY}`,
    security: [],
    parameters: Object.entries(HEADERS).map(([name, description]) => ({
      ...{ name, in: 'header', required: true, description },
      schema: { type: 'string' }
    })),
    requestBody: {
      required: true,
      content: {
        'application/json': { schema: { $ref: '#/components/schemas/WebhookPayload' }, example: { ...EXAMPLES.webhookPayload, event } }
      }
    },
    responses: {
      '2XX': { description: 'The delivery has arrived.' },
      '410': { description: 'You want no more deliveries: the webhook is turned off.' },
      default: { description: 'The delivery is sent again, up to nine times within three days and not before `Retry-After`.' }
    }
  }
}

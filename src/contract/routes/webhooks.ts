import { z } from 'zod'
import { pathId } from '../common.ts'
import { DeliveriesQuery, Delivery, DeliveryList, Replayed, ReplayRequest } from '../delivery.ts'
import { EXAMPLES } from '../examples.ts'
import { IdempotencyHeaders } from '../idempotency.ts'
import { LIMITS } from '../limits.ts'
import { OPERATIONS } from '../operations.ts'
import { REQUESTS } from '../request-examples.ts'
import {
  Webhook,
  WebhookCreate,
  WebhookDeleted,
  WebhookList,
  WebhookPatch,
  WebhookTested,
  webhookId
} from '../webhook.ts'
import type { RouteDescription } from './route.ts'

const tags = ['Webhooks']
const params = z.object({ id: webhookId })
const deliveryId = pathId('The id of the event.', 'evt_01m7x9h2v8e7ksp4d0f6t3yxqa')

export const WEBHOOK_ROUTES = {
  listWebhooks: {
    method: 'GET',
    url: '/webhooks',
    config: { scopes: OPERATIONS.listWebhooks, openapi: { example: EXAMPLES.webhookList } },
    schema: {
      operationId: 'listWebhooks',
      tags,
      summary: 'List webhooks',
      description: 'Your webhooks, oldest first, with the outcome of their last deliveries and without their secrets.',
      response: { 200: WebhookList }
    }
  },
  createWebhook: {
    method: 'POST',
    url: '/webhooks',
    config: {
      scopes: OPERATIONS.createWebhook,
      openapi: { request: REQUESTS.webhook, errors: ['limit_exceeded'], example: EXAMPLES.webhookMade }
    },
    schema: {
      operationId: 'createWebhook',
      tags,
      summary: 'Add a webhook',
      description: `Sends events to the URL from now on, signed with the \`secret\` of this answer. The secret is shown only here. You can have up to ${LIMITS.webhooks} webhooks.`,
      headers: IdempotencyHeaders,
      body: WebhookCreate,
      response: { 201: Webhook }
    }
  },
  updateWebhook: {
    method: 'PATCH',
    url: '/webhooks/:id',
    config: {
      scopes: OPERATIONS.updateWebhook,
      openapi: { request: REQUESTS.webhookChange, example: EXAMPLES.webhook }
    },
    schema: {
      operationId: 'updateWebhook',
      tags,
      summary: 'Change a webhook',
      description:
        'Changes the sent fields. A webhook that is turned off receives nothing; waiting deliveries are sent when it is turned on again.',
      params,
      body: WebhookPatch,
      response: { 200: Webhook }
    }
  },
  deleteWebhook: {
    method: 'DELETE',
    url: '/webhooks/:id',
    config: { scopes: OPERATIONS.deleteWebhook, openapi: { example: EXAMPLES.webhookDeleted } },
    schema: {
      operationId: 'deleteWebhook',
      tags,
      summary: 'Delete a webhook',
      description: 'Deletes the webhook and its waiting deliveries.',
      params,
      response: { 200: WebhookDeleted }
    }
  },
  rotateWebhookSecret: {
    method: 'POST',
    url: '/webhooks/:id/rotate-secret',
    config: { scopes: OPERATIONS.rotateWebhookSecret, openapi: { example: EXAMPLES.webhookMade } },
    schema: {
      operationId: 'rotateWebhookSecret',
      tags,
      summary: 'Replace the secret',
      description:
        'The new secret signs at once and is shown only here. For 24 hours `webhook-signature` carries a signature of the old one as well.',
      params,
      headers: IdempotencyHeaders,
      response: { 200: Webhook }
    }
  },
  testWebhook: {
    method: 'POST',
    url: '/webhooks/:id/test',
    config: { scopes: OPERATIONS.testWebhook, openapi: { example: EXAMPLES.webhookTested } },
    schema: {
      operationId: 'testWebhook',
      tags,
      summary: 'Send a test event',
      description:
        'Sends `webhook.test` with a sample session once, signed like any event, also to a webhook that is turned off. The answer says whether it arrived, and why not. It is in the delivery log; the feed and `failure_count` stay unchanged.',
      params,
      response: { 200: WebhookTested }
    }
  },
  listDeliveries: {
    method: 'GET',
    url: '/webhooks/:id/deliveries',
    config: { scopes: OPERATIONS.listDeliveries, headers: ['Link'], openapi: { example: EXAMPLES.deliveries } },
    schema: {
      operationId: 'listDeliveries',
      tags,
      summary: 'List deliveries',
      description:
        'The deliveries of this webhook, past and waiting, newest event first, and its tests, with every attempt of the last 30 days.',
      params,
      querystring: DeliveriesQuery,
      response: { 200: DeliveryList }
    }
  },
  retryDelivery: {
    method: 'POST',
    url: '/webhooks/:id/deliveries/:delivery_id/retry',
    config: { scopes: OPERATIONS.retryDelivery, openapi: { example: EXAMPLES.delivery } },
    schema: {
      operationId: 'retryDelivery',
      tags,
      summary: 'Retry a delivery',
      description:
        'Sends the event again at once. If that fails, the schedule of attempts starts again. A pause of the endpoint ends.',
      params: z.object({ id: webhookId, delivery_id: deliveryId }),
      headers: IdempotencyHeaders,
      response: { 200: Delivery }
    }
  },
  replayEvents: {
    method: 'POST',
    url: '/webhooks/:id/replay',
    config: { scopes: OPERATIONS.replayEvents, openapi: { request: REQUESTS.replay, example: EXAMPLES.replayed } },
    schema: {
      operationId: 'replayEvents',
      tags,
      summary: 'Replay events',
      description:
        'Sends events of the feed again, from a sequence number or an instant on. Only the types that the webhook names are sent.',
      params,
      headers: IdempotencyHeaders,
      body: ReplayRequest,
      response: { 200: Replayed }
    }
  }
} satisfies Record<string, RouteDescription>

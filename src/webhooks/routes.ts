import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { TEST_EVENT } from '../contract/event.ts'
import { EXAMPLES } from '../contract/examples.ts'
import { IdempotencyHeaders } from '../contract/idempotency.ts'
import { LIMITS } from '../contract/limits.ts'
import { REQUESTS } from '../contract/request-examples.ts'
import {
  Webhook,
  WebhookCreate,
  WebhookDeleted,
  WebhookList,
  WebhookPatch,
  WebhookTested,
  webhookId
} from '../contract/webhook.ts'
import { ApiError, invalid, type Refusal, throwNotFound } from '../core/api-error.ts'
import { newId } from '../core/ids.ts'
import type { Db } from '../db/open.ts'
import type { Services } from '../services.ts'
import { reasonOf } from './outcome.ts'
import {
  addWebhook,
  deleteWebhook,
  findWebhook,
  listWebhooks,
  lockAndCountWebhooks,
  recordTest,
  replaceSecret,
  updateWebhook
} from './queries.ts'
import { sampleSession } from './sample-session.ts'
import { newSecret } from './signature.ts'

const tags = ['Webhooks']
const scopes = ['webhooks:manage'] as const
const params = z.object({ id: webhookId })

/** The time for which the previous secret signs as well. */
const SECRET_OVERLAP_MS = 24 * 3_600_000
const TEST_TIMEOUT_MS = 10_000

export const webhookRoutes: FastifyPluginAsyncZod<Services> = async (app, { db, clock, sender }) => {
  app.get(
    '/webhooks',
    {
      config: { scopes, example: EXAMPLES.webhookList },
      schema: {
        operationId: 'listWebhooks',
        tags,
        summary: 'List webhooks',
        description:
          'Your webhooks, oldest first, with the outcome of their last deliveries and without their secrets.',
        response: { 200: WebhookList }
      }
    },
    async ({ actor }) => ({ webhooks: await listWebhooks(db, actor.userId) })
  )

  app.post(
    '/webhooks',
    {
      config: { request: REQUESTS.webhook, scopes, errors: ['limit_exceeded'], example: EXAMPLES.webhookMade },
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
    async ({ actor: { userId }, body }, reply) => {
      // The lookup precedes the transaction, and only a new request needs its result.
      const target = await sender.checkTarget(body.url)
      const id = newId('whk')
      const secret = newSecret()
      const webhook = {
        webhookId: id,
        events: body.events,
        secret: sender.encrypt(secret, userId, id),
        now: clock.now()
      }
      const create = async (tx: Db) => {
        const url = hrefOf(target)
        if ((await lockAndCountWebhooks(tx, userId)) >= LIMITS.webhooks) throw new ApiError('limit_exceeded', TOO_MANY)
        return { status: 201, body: { ...(await addWebhook(tx, userId, { ...webhook, url })), secret } }
      }
      return await reply.answerOnce(body, ({ db }) => db.transaction(create))
    }
  )

  app.patch(
    '/webhooks/:id',
    {
      config: { request: REQUESTS.webhookChange, scopes, example: EXAMPLES.webhook },
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
    async ({ actor, params: { id }, body: { url, events, active } }) => {
      const target = url === undefined ? undefined : hrefOf(await sender.checkTarget(url))
      const change = { url: target, events, active }
      return (
        (await db.transaction(tx => updateWebhook(tx, actor.userId, id, change, clock.now()))) ??
        throwNotFound('Webhook')
      )
    }
  )

  app.delete(
    '/webhooks/:id',
    {
      config: { scopes, example: EXAMPLES.webhookDeleted },
      schema: {
        operationId: 'deleteWebhook',
        tags,
        summary: 'Delete a webhook',
        description: 'Deletes the webhook and its waiting deliveries.',
        params,
        response: { 200: WebhookDeleted }
      }
    },
    async ({ actor, params: { id } }) => {
      const deleted = await db.transaction(tx => deleteWebhook(tx, actor.userId, id))
      return deleted ? { deleted, id } : throwNotFound('Webhook')
    }
  )

  app.post(
    '/webhooks/:id/rotate-secret',
    {
      config: { scopes, example: EXAMPLES.webhookMade },
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
    async ({ actor: { userId }, params: { id } }, reply) => {
      const secret = newSecret()
      const now = clock.now()
      const until = new Date(now.getTime() + SECRET_OVERLAP_MS)
      const encrypted = sender.encrypt(secret, userId, id)
      return await reply.answerOnce(undefined, async ({ db }) => {
        const rotated = await db.transaction(tx => replaceSecret(tx, userId, id, encrypted, { until, now }))
        return { status: 200, body: rotated ? { ...rotated, secret } : throwNotFound('Webhook') }
      })
    }
  )

  app.post(
    '/webhooks/:id/test',
    {
      config: { scopes, example: EXAMPLES.webhookTested },
      schema: {
        operationId: 'testWebhook',
        tags,
        summary: 'Send a test event',
        description:
          'Sends `webhook.test` with a sample session once, signed like any event, also to a webhook that is turned off. The answer says whether it arrived, and why not. The feed and `failure_count` stay unchanged.',
        params,
        response: { 200: WebhookTested }
      }
    },
    async ({ actor: { userId }, params: { id } }) => {
      const webhook = (await findWebhook(db, userId, id)) ?? throwNotFound('Webhook')
      const now = clock.now()
      const eventId = newId('evt')
      const created = now.toISOString()
      const body = JSON.stringify({
        id: eventId,
        event: TEST_EVENT,
        created_at: created,
        data: { session: sampleSession(now) }
      })
      const previous =
        webhook.previousSecretUntil !== null && webhook.previousSecretUntil > now ? webhook.previousSecret : null
      const outcome = await sender.send({ ...webhook, previousSecret: previous, eventId, body }, TEST_TIMEOUT_MS)
      await db.transaction(tx => recordTest(tx, userId, id, { eventId, at: now, ...outcome }))
      const { error, status, durationMs } = outcome
      return {
        success: error === null,
        event: TEST_EVENT,
        webhook_id: id,
        delivered_at: created,
        status,
        error,
        reason: reasonOf(error, status),
        duration_ms: durationMs
      } as const
    }
  )
}

/** Throws if the URL is not allowed for a webhook. */
function hrefOf(target: URL | Refusal) {
  if (!(target instanceof URL)) throw invalid({ field: 'url', ...target })
  return target.href
}

const TOO_MANY = `You have ${LIMITS.webhooks} webhooks, which is the limit; delete one first`

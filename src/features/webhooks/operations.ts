import { TEST_EVENT } from '../../contract/event.ts'
import { LIMITS } from '../../contract/limits.ts'
import type {
  Webhook,
  WebhookCreate,
  WebhookDeleted,
  WebhookList,
  WebhookPatch,
  WebhookTested
} from '../../contract/webhook.ts'
import { ApiError, invalid, type Refusal, throwNotFound } from '../../platform/core/api-error.ts'
import { newId } from '../../platform/core/ids.ts'
import type { Sender } from '../../platform/ports/sender.ts'
import { eraseKeyedAnswers } from '../access/idempotency-keys.ts'
import { operation } from '../access/operation.ts'
import type { Needs } from '../services.ts'
import { reasonOf } from './outcome.ts'
import {
  deleteWebhookRow,
  findWebhook,
  insertWebhook,
  lockAndCountWebhooks,
  lockWebhook,
  recordTest,
  replaceSecret,
  selectWebhooks,
  updateWebhookRow
} from './queries.ts'
import { sampleSession } from './sample-session.ts'
import { newSecret } from './signature.ts'
import { toWebhook, webhookTag } from './webhook-row.ts'

/** The time for which the previous secret signs as well. */
const SECRET_OVERLAP_MS = 24 * 3_600_000
const TEST_TIMEOUT_MS = 10_000

/** Lists the webhooks of a user, oldest first, without their secrets. */
export const listWebhooks = operation('listWebhooks', async ({ db }: Needs<'db'>, actor): Promise<WebhookList> => {
  return { webhooks: await selectWebhooks(db, actor.userId) }
})

export const getWebhook = operation(
  'getWebhook',
  async ({ db }: Needs<'db'>, actor, webhookId: string): Promise<Webhook> => {
    const row = await findWebhook(db, actor.userId, webhookId)
    return row ? toWebhook(row) : throwNotFound('Webhook')
  }
)

/** A webhook whose URL was looked up, which a transaction must not wait for. `insert` throws if the URL is refused. */
interface StagedWebhook {
  insert(services: Needs<'db'>): Promise<Webhook>
}

export const stageWebhook = operation(
  'createWebhook',
  async (
    { clock, sender }: Needs<'clock' | 'sender'>,
    actor,
    { url: sent, events, payload, headers = {} }: WebhookCreate
  ): Promise<StagedWebhook> => {
    const { userId } = actor
    const target = await sender.checkTarget(sent)
    const webhookId = newId('whk')
    const secret = newSecret()
    const stored = storedHeaders(sender, headers, userId, webhookId)
    const encrypted = sender.encrypt(secret, userId, webhookId)
    const row = { webhookId, events, payload, ...stored, secret: encrypted, now: clock.now() }
    return {
      insert: ({ db }) =>
        db.transaction(async tx => {
          const url = hrefOf(target)
          if ((await lockAndCountWebhooks(tx, userId)) >= LIMITS.webhooks)
            throw new ApiError('limit_exceeded', TOO_MANY)
          return { ...(await insertWebhook(tx, userId, { ...row, url })), secret }
        })
    }
  }
)

const TOO_MANY = `You have ${LIMITS.webhooks} webhooks, which is the limit; delete one first`

/** Adds a webhook. Its secret is in this answer only. */
export const createWebhook = operation(
  'createWebhook',
  async (services: Needs<'db' | 'clock' | 'sender'>, actor, webhook: WebhookCreate): Promise<Webhook> => {
    const staged = await stageWebhook(services, actor, webhook)
    return await staged.insert(services)
  }
)

/** Changes the sent fields. With `seen`, the tag of the webhook that the caller has read, throws precondition_failed if the webhook has changed since. */
export const updateWebhook = operation(
  'updateWebhook',
  async (
    services: Needs<'db' | 'clock' | 'sender'>,
    actor,
    webhookId: string,
    { url: sent, events, payload, headers, active }: WebhookPatch,
    { seen }: { seen?: string } = {}
  ): Promise<Webhook> => {
    const { userId } = actor
    const url = sent === undefined ? undefined : hrefOf(await services.sender.checkTarget(sent))
    const now = services.clock.now()
    const stored = headers && storedHeaders(services.sender, headers, userId, webhookId)
    return await services.db.transaction(async tx => {
      const before = (await lockWebhook(tx, userId, webhookId)) ?? throwNotFound('Webhook')
      if (seen !== undefined && seen !== webhookTag(toWebhook(before)))
        throw new ApiError('precondition_failed', 'the webhook has changed since; read it again')
      const isElsewhere = url !== undefined && new URL(url).origin !== new URL(before.url).origin
      // Otherwise whoever may change the webhook could have the stored headers sent to themselves.
      if (isElsewhere && before.headers !== null && !stored) throw invalid(HEADERS_ELSEWHERE)
      const changed = await updateWebhookRow(tx, userId, webhookId, { url, events, payload, active, ...stored }, now)
      return changed ?? throwNotFound('Webhook')
    })
  }
)

const HEADERS_ELSEWHERE = {
  field: 'headers',
  problem: 'the url has another origin',
  expected: 'the headers again, or {} to remove them'
}

function storedHeaders(sender: Sender, headers: Record<string, string>, userId: string, webhookId: string) {
  const headerNames = Object.keys(headers).sort()
  return { headers: headerNames.length > 0 ? sender.encryptHeaders(headers, userId, webhookId) : null, headerNames }
}

/** Deletes a webhook with its waiting deliveries. */
export const deleteWebhook = operation(
  'deleteWebhook',
  async ({ db }: Needs<'db'>, actor, webhookId: string): Promise<WebhookDeleted> => {
    await db.transaction(async tx => {
      if (!(await deleteWebhookRow(tx, actor.userId, webhookId))) throwNotFound('Webhook')
      await eraseKeyedAnswers(tx, actor.userId, webhookId)
    })
    return { deleted: true, id: webhookId }
  }
)

/** Replaces the secret, which is in this answer only. The old one also signs for a day. */
export const rotateWebhookSecret = operation(
  'rotateWebhookSecret',
  async ({ db, clock, sender }: Needs<'db' | 'clock' | 'sender'>, actor, webhookId: string): Promise<Webhook> => {
    const secret = newSecret()
    const encrypted = sender.encrypt(secret, actor.userId, webhookId)
    const now = clock.now()
    const until = new Date(now.getTime() + SECRET_OVERLAP_MS)
    const rotated = await db.transaction(async tx => {
      // An earlier answer has the secret that is replaced.
      await eraseKeyedAnswers(tx, actor.userId, webhookId)
      return await replaceSecret(tx, actor.userId, webhookId, encrypted, { until, now })
    })
    return rotated ? { ...rotated, secret } : throwNotFound('Webhook')
  }
)

/** Sends a sample event once, also to a webhook that is turned off. The feed and `failure_count` stay unchanged. */
export const testWebhook = operation(
  'testWebhook',
  async ({ db, clock, sender }: Needs<'db' | 'clock' | 'sender'>, actor, webhookId: string): Promise<WebhookTested> => {
    const webhook = (await findWebhook(db, actor.userId, webhookId)) ?? throwNotFound('Webhook')
    const now = clock.now()
    const eventId = newId('evt')
    const sentAt = now.toISOString()
    const sample = sampleSession(now)
    const data = { session: webhook.payload === 'thin' ? { id: sample.id } : sample }
    const body = JSON.stringify({ id: eventId, event: TEST_EVENT, created_at: sentAt, data })
    const previousSecret = (webhook.previousSecretUntil ?? now) > now ? webhook.previousSecret : null
    const outcome = await sender.send({ ...webhook, previousSecret, eventId, body }, TEST_TIMEOUT_MS)
    await db.transaction(tx => recordTest(tx, actor.userId, webhookId, { eventId, at: now, ...outcome }))
    const { error, status, durationMs } = outcome
    return {
      success: error === null,
      event: TEST_EVENT,
      webhook_id: webhookId,
      delivered_at: sentAt,
      status,
      error,
      reason: reasonOf(error, status),
      duration_ms: durationMs
    }
  }
)

/** Throws if the URL is not allowed for a webhook. */
function hrefOf(target: URL | Refusal) {
  if (!(target instanceof URL)) throw invalid({ field: 'url', ...target })
  return target.href
}

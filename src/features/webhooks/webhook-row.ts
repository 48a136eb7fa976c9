import { hash } from 'node:crypto'
import type { Webhook } from '../../contract/webhook.ts'
import type { webhooks } from '../../platform/db/schema/index.ts'

export type WebhookRow = typeof webhooks.$inferSelect

export function toWebhook(row: WebhookRow): Webhook {
  return {
    id: row.webhookId,
    url: row.url,
    events: row.events,
    payload: row.payload,
    header_names: row.headerNames,
    active: row.active,
    failure_count: row.failureCount,
    last_delivery_at: row.lastDeliveryAt?.toISOString() ?? null,
    last_delivery_status: row.lastDeliveryStatus,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString()
  }
}

/** Identifies what the owner may change of a webhook. */
export function webhookTag({ url, events, payload, header_names: names, active, updated_at: at }: Webhook) {
  return hash('sha1', JSON.stringify([url, events, payload, names, active, at]), 'base64url')
}

import { z } from 'zod'
import { throwNotFound } from '../core/api-error.ts'

export const WEBHOOKS_PATH = '/settings/webhooks'

const webhookId = z.string().regex(/^whk_[0-9a-z]{26}$/)

/** The path of a webhook's page. Anything but an id as this server makes them is an unknown page. */
export const WebhookParams = z.object({ id: webhookId }).catch(() => throwNotFound('Page'))

export const DeliveryParams = z
  .object({ id: webhookId, delivery_id: z.string().regex(/^evt_[0-9a-z]{26}$/) })
  .catch(() => throwNotFound('Page'))

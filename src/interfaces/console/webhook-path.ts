import { pathId, pathParams } from './path-params.ts'

export const WEBHOOKS_PATH = '/settings/webhooks'

/** The path of a webhook's page. */
export const WebhookParams = pathParams({ id: pathId('whk') })

export const DeliveryParams = pathParams({ id: pathId('whk'), delivery_id: pathId('evt') })

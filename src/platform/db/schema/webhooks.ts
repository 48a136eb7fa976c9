import type { EventType } from '../../../contract/event.ts'
import type { WebhookPayload } from '../../../contract/webhook.ts'
import { boolean, integer, pgTable, primaryKey, sql, text } from '../drizzle.ts'
import { instant, ofUser } from './users.ts'

export const webhooks = pgTable(
  'webhooks',
  {
    userId: text().notNull(),
    webhookId: text().notNull(),
    url: text().notNull(),
    events: text().array().$type<EventType[]>().notNull(),
    payload: text().$type<WebhookPayload>().notNull().default('full'),
    active: boolean().notNull(),
    /** Encrypted and not hashed, because an HMAC needs the secret itself. */
    secret: text().notNull(),
    /** The previous secret, encrypted. It signs as well until the time below. */
    previousSecret: text(),
    previousSecretUntil: instant(),
    /** The owner's headers as JSON, encrypted. Null if there are none. */
    headers: text(),
    headerNames: text().array().notNull().default(sql`'{}'`),
    /** The number of failed attempts since the last success, and the time of the first one. */
    failureCount: integer().notNull(),
    failingSince: instant(),
    lastDeliveryAt: instant(),
    /** The HTTP status of the answer. Null without an answer. */
    lastDeliveryStatus: integer(),
    createdAt: instant().notNull(),
    updatedAt: instant().notNull()
  },
  table => [primaryKey({ columns: [table.userId, table.webhookId] }), ofUser('webhooks_user_fk', table)]
)

import type { EventType } from '../../contract/event.ts'
import { boolean, integer, pgTable, primaryKey, text } from '../drizzle.ts'
import { instant, ofUser } from './users.ts'

export const webhooks = pgTable(
  'webhooks',
  {
    userId: text().notNull(),
    webhookId: text().notNull(),
    url: text().notNull(),
    events: text().array().$type<EventType[]>().notNull(),
    active: boolean().notNull(),
    /** Encrypted, for an HMAC needs the secret itself. */
    secret: text().notNull(),
    /** The one before, encrypted, which signs beside it until then. */
    previousSecret: text(),
    previousSecretUntil: instant(),
    /** Failed attempts since the last that succeeded, and when the first of them was. */
    failureCount: integer().notNull(),
    failingSince: instant(),
    lastDeliveryAt: instant(),
    /** The answer's HTTP status; null when there was none. */
    lastDeliveryStatus: integer(),
    createdAt: instant().notNull(),
    updatedAt: instant().notNull()
  },
  table => [primaryKey({ columns: [table.userId, table.webhookId] }), ofUser('webhooks_user_fk', table)]
)

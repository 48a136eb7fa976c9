import type { EventType } from '../../contract/event.ts'
import { bigint, index, pgTable, primaryKey, text, uniqueIndex } from '../drizzle.ts'
import { instant, ofToken, ofUser } from './users.ts'

export const events = pgTable(
  'events',
  {
    userId: text().notNull(),
    /** 1, 2, 3 … for each user, without a gap, in the order of commit. Below 0, and rising, of an event for webhooks alone. */
    seq: bigint({ mode: 'number' }).notNull(),
    eventId: text().notNull(),
    type: text().$type<EventType>().notNull(),
    sessionId: text().notNull(),
    createdAt: instant().notNull(),
    /** The JSON a webhook delivers, byte for byte, frozen when the event was recorded. */
    body: text().notNull(),
    /** How many bytes of the user's events were recorded up to the end of this one; null of one that an earlier version recorded. */
    endBytes: bigint({ mode: 'number' })
  },
  table => [
    primaryKey({ columns: [table.userId, table.seq] }),
    uniqueIndex('events_event_id').on(table.userId, table.eventId),
    // A deleted session is taken out of its events.
    index('events_by_session').on(table.userId, table.sessionId),
    ofUser('events_user_fk', table)
  ]
)

/** How far the reader with a token has acknowledged the feed. */
export const tokenCursors = pgTable(
  'token_cursors',
  {
    userId: text().notNull(),
    tokenId: text().notNull(),
    /** Of the newest event that it needs no more. */
    seq: bigint({ mode: 'number' }).notNull()
  },
  table => [primaryKey({ columns: [table.userId, table.tokenId] }), ofToken('token_cursors_token_fk', table)]
)

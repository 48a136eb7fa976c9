import type { EventType } from '../../../contract/event.ts'
import { bigint, index, pgTable, primaryKey, text, uniqueIndex } from '../drizzle.ts'
import { instant, ofToken, ofUser, sessionKey } from './users.ts'

/** Events outside the feed are numbered from the next one on. */
export const FIRST_OUTSIDE_FEED = Number.MIN_SAFE_INTEGER

export const events = pgTable(
  'events',
  {
    userId: text().notNull(),
    /** 1, 2, 3 … for each user, without a gap, in the order of commits. Events for webhooks only have rising numbers below 0. */
    seq: bigint({ mode: 'number' }).notNull(),
    eventId: text().notNull(),
    type: text().$type<EventType>().notNull(),
    sessionId: text().notNull(),
    createdAt: instant().notNull(),
    /** The JSON that webhooks deliver, byte for byte, as it was when the event was recorded. U+001F stands for each of `texts`. */
    body: text().notNull(),
    /** The hashes of the large texts in the body, in order. Null without any. */
    texts: text().array(),
    /** The bytes of the user's events as they are sent, up to the end of this one. Null outside the feed. */
    endBytes: bigint({ mode: 'number' })
  },
  table => [
    primaryKey({ columns: [table.userId, table.seq] }),
    uniqueIndex('events_event_id').on(table.userId, table.eventId),
    // The erasure of a deleted session finds its events by this index.
    index('events_by_session').on(table.userId, table.sessionId),
    ofUser('events_user_fk', table)
  ]
)

/** The large texts in events, each once for a session. They are gone with the last event that refers to them. */
export const eventTexts = pgTable(
  'event_texts',
  {
    ...sessionKey(),
    /** The SHA-256 of the text. */
    hash: text().notNull(),
    /** A field of the session, as JSON. */
    json: text().notNull(),
    /** The numbers of the newest events that refer to it, in the feed and outside. Without any, one before all of them. */
    lastSeq: bigint({ mode: 'number' }).notNull(),
    lastOutside: bigint({ mode: 'number' }).notNull()
  },
  table => [primaryKey({ columns: [table.userId, table.sessionId, table.hash] }), ofUser('event_texts_user_fk', table)]
)

/** The acknowledged position of each token in the feed. */
export const tokenCursors = pgTable(
  'token_cursors',
  {
    userId: text().notNull(),
    tokenId: text().notNull(),
    /** The number of the newest acknowledged event. */
    seq: bigint({ mode: 'number' }).notNull()
  },
  table => [primaryKey({ columns: [table.userId, table.tokenId] }), ofToken('token_cursors_token_fk', table)]
)

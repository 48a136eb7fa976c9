import { DEFAULT_EVENT_TYPES, type EventType } from '../../contract/event.ts'
import { bigint, foreignKey, index, pgTable, primaryKey, sql, text, uniqueIndex } from '../drizzle.ts'
import { instant, tokens, users } from './users.ts'

/** The condition of an event that every reader of the feed gets, as text: a statement uses the index only with its very predicate. */
export const IS_DEFAULT_TYPE = `type in (${DEFAULT_EVENT_TYPES.map(type => `'${type}'`).join(', ')})`

export const events = pgTable(
  'events',
  {
    userId: text().notNull(),
    /** 1, 2, 3 … for each user, without a gap, in the order of commit. */
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
    // Pages of the feed do not read the events that they leave out.
    index('events_of_default_types').on(table.userId, table.seq).where(sql.raw(IS_DEFAULT_TYPE)),
    index('events_by_type').on(table.userId, table.type, table.seq),
    foreignKey({ name: 'events_user_fk', columns: [table.userId], foreignColumns: [users.userId] }).onDelete('cascade')
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
  table => [
    primaryKey({ columns: [table.userId, table.tokenId] }),
    foreignKey({
      name: 'token_cursors_token_fk',
      columns: [table.userId, table.tokenId],
      foreignColumns: [tokens.userId, tokens.tokenId]
    }).onDelete('cascade')
  ]
)

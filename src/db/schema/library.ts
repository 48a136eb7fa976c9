import type { SessionType } from '../../contract/session.ts'
import { bigint, date, index, integer, numeric, pgTable, primaryKey, text } from '../drizzle.ts'
import { ofSession, position } from './sessions.ts'
import { instant, ofUser } from './users.ts'

/** The tags of each session once more, for reading the sessions of a tag in order; sessions.tags has them as they were sent. */
export const sessionTags = pgTable(
  'session_tags',
  {
    userId: text().notNull(),
    sessionId: text().notNull(),
    tag: text().notNull(),
    /** Of the session, whose `movePosition` changes them together. */
    sortAt: position().notNull(),
    type: text().$type<SessionType>().notNull()
  },
  table => [
    primaryKey({ columns: [table.userId, table.sessionId, table.tag] }),
    index('session_tags_listed').on(table.userId, table.tag, table.sortAt, table.type, table.sessionId),
    ofSession('session_tags_session_fk', table)
  ]
)

/** How many sessions a user's list shows of each UTC day, and how long they are. */
export const sessionDays = pgTable(
  'session_days',
  {
    userId: text().notNull(),
    /** Of the session's position. */
    day: date({ mode: 'string' }).notNull(),
    type: text().$type<SessionType>().notNull(),
    /** `unknown` where the session names none. */
    platform: text().notNull(),
    sessions: integer().notNull(),
    /** Exact: what is added and taken away again must leave nothing. */
    seconds: numeric().notNull()
  },
  table => [primaryKey({ columns: [table.userId, table.day, table.type, table.platform] }), ofUser('session_days_user_fk', table)]
)

/** Recordings kept by this server, one of each kind for a session. The bytes are in the media store. */
export const media = pgTable(
  'media',
  {
    userId: text().notNull(),
    sessionId: text().notNull(),
    kind: text().$type<'audio' | 'video'>().notNull(),
    /** Where the store has it. */
    key: text().notNull(),
    contentType: text().notNull(),
    bytes: bigint({ mode: 'number' }).notNull(),
    createdAt: instant().notNull()
  },
  table => [primaryKey({ columns: [table.userId, table.sessionId, table.kind] }), ofSession('media_session_fk', table)]
)

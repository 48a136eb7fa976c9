import type { SessionType } from '../../../contract/session.ts'
import { bigint, date, index, integer, numeric, pgTable, primaryKey, text } from '../drizzle.ts'
import { ofSession, position } from './sessions.ts'
import { instant, ofUser, sessionKey } from './users.ts'

/** A copy of each session's tags, by which the sessions of a tag are read in order. sessions.tags has them in the sent order. */
export const sessionTags = pgTable(
  'session_tags',
  {
    ...sessionKey(),
    tag: text().notNull(),
    /** The position of the session, which `movePosition` keeps equal. */
    sortAt: position().notNull(),
    type: text().$type<SessionType>().notNull()
  },
  table => [
    primaryKey({ columns: [table.userId, table.sessionId, table.tag] }),
    index('session_tags_listed').on(table.userId, table.tag, table.sortAt, table.type, table.sessionId),
    ofSession('session_tags_session_fk', table)
  ]
)

/** The number and duration of a user's listed sessions for each UTC day. */
export const sessionDays = pgTable(
  'session_days',
  {
    userId: text().notNull(),
    /** The day of the session's position. */
    day: date({ mode: 'string' }).notNull(),
    type: text().$type<SessionType>().notNull(),
    /** `unknown` for a session without a platform. */
    platform: text().notNull(),
    sessions: integer().notNull(),
    /** Exact, because adding and subtracting the same sessions must leave zero. */
    seconds: numeric().notNull()
  },
  table => [
    primaryKey({ columns: [table.userId, table.day, table.type, table.platform] }),
    ofUser('session_days_user_fk', table)
  ]
)

/** Recordings of this server, one of each kind for a session. The media store has their bytes. */
export const media = pgTable(
  'media',
  {
    ...sessionKey(),
    kind: text().$type<'audio' | 'video'>().notNull(),
    /** The key in the media store. */
    key: text().notNull(),
    contentType: text().notNull(),
    bytes: bigint({ mode: 'number' }).notNull(),
    createdAt: instant().notNull()
  },
  table => [
    primaryKey({ columns: [table.userId, table.sessionId, table.kind] }),
    index('media_aging').on(table.userId, table.createdAt, table.sessionId),
    ofSession('media_session_fk', table)
  ]
)

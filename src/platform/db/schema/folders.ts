import type { SessionType } from '../../../contract/session.ts'
import {
  bigint,
  boolean,
  type Column,
  index,
  integer,
  pgTable,
  primaryKey,
  sql,
  text,
  uniqueIndex
} from '../drizzle.ts'
import { ofSession, position } from './sessions.ts'
import { instant, ofUser, partOf, sessionKey } from './users.ts'

/** A place after every `order` that a client can set. */
export const LAST_ORDER = 2 ** 53

/**
 * The order of the list: pinned folders first, then those with an `order`, then by name. Names sort by code point, so that every database has the
 * same order.
 */
export function folderOrder(table: { pinned: Column; order: Column; nameKey: Column }) {
  return [
    sql`(${table.pinned} is not true)`,
    sql`(coalesce(${table.order}, ${sql.raw(String(LAST_ORDER))}))`,
    sql`${table.nameKey} collate "C"`
  ]
}

export const folders = pgTable(
  'folders',
  {
    userId: text().notNull(),
    folderId: text().notNull(),
    name: text().notNull(),
    /** `folderKey` of the name. An owner has one folder with each key. */
    nameKey: text().notNull(),
    color: text(),
    pinned: boolean(),
    sortOrder: text().$type<'newest' | 'oldest' | 'title'>(),
    order: bigint({ mode: 'number' }),
    /** The number of its listed sessions. */
    sessionCount: integer().notNull().default(0),
    createdAt: instant(),
    updatedAt: instant(),
    lastOpenedAt: instant(),
    keep: boolean()
  },
  table => [
    primaryKey({ columns: [table.userId, table.folderId] }),
    ofUser('folders_user_fk', table),
    // In the order of the list, all ascending, so that one comparison of rows continues it.
    index('folders_listed').on(table.userId, ...folderOrder(table)),
    uniqueIndex('folders_name_key').on(table.userId, table.nameKey)
  ]
)

export const folderSessions = pgTable(
  'folder_sessions',
  {
    ...sessionKey(),
    folderId: text().notNull(),
    /** The position of the session, which `movePosition` keeps equal, so that an index reads a folder in order. */
    sortAt: position().notNull(),
    type: text().$type<SessionType>().notNull()
  },
  table => [
    primaryKey({ columns: [table.userId, table.sessionId, table.folderId] }),
    index('folder_sessions_listed').on(table.userId, table.folderId, table.sortAt, table.type, table.sessionId),
    ofSession('folder_sessions_session_fk', table),
    partOf('folder_sessions_folder_fk', [table.userId, table.folderId], [folders.userId, folders.folderId])
  ]
)

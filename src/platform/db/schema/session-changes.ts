import { bigint, index, pgTable, primaryKey, sql, uniqueIndex } from '../drizzle.ts'
import { instant, ofUser, sessionKey } from './users.ts'

/**
 * The last change of each session, for clients that keep a copy. No foreign key to the session: the row of a deleted one stays for some days,
 * as its tombstone.
 */
export const sessionChanges = pgTable(
  'session_changes',
  {
    ...sessionKey(),
    /** In the order of commits: the microseconds of `updated_at` since 1970, or one after the user's last position if that is later. */
    position: bigint({ mode: 'number' }).notNull(),
    /** Null unless the session is deleted. */
    deletedAt: instant()
  },
  table => [
    primaryKey({ columns: [table.userId, table.sessionId] }),
    uniqueIndex('session_changes_position').on(table.userId, table.position),
    // Without deletions a sync never reads the tombstones, of which a library may have as many as sessions.
    index('session_changes_present').on(table.userId, table.position).where(sql`deleted_at is null`),
    index('session_changes_deleted').on(table.userId, table.deletedAt).where(sql`deleted_at is not null`),
    ofUser('session_changes_user_fk', table)
  ]
)

import { index, pgTable, primaryKey, text } from '../drizzle.ts'
import { instant } from './users.ts'

/** The deleted thing: a session with its content, its recording alone, or a user with all their data. */
export type Deleted = 'session' | 'recording' | 'user'

export const DELETERS = ['user', 'operator', 'retention'] as const
export type Deleter = (typeof DELETERS)[number]

/**
 * Deleted sessions, recordings and users, as ids, times and who did it. A file outside the database has the same rows, so that a
 * restored backup does not bring them back. No foreign key, because the row outlives the deleted data.
 */
export const deletions = pgTable(
  'deletions',
  {
    userId: text().notNull(),
    /** Empty for the deletion of a user. */
    sessionId: text().notNull(),
    what: text().$type<Deleted>().notNull(),
    deletedAt: instant().notNull(),
    /** Null for a line of an older ledger. */
    by: text().$type<Deleter>()
  },
  table => [
    primaryKey({ columns: [table.userId, table.sessionId, table.what] }),
    index('deletions_deleted_at').on(table.deletedAt)
  ]
)

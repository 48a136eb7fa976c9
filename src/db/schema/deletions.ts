import { index, pgTable, primaryKey, text } from '../drizzle.ts'
import { instant } from './users.ts'

/** The deleted thing: a session with its content, its recording alone, or a user with all their data. */
export type Deleted = 'session' | 'recording' | 'user'

/**
 * Deleted sessions, recordings and users, as ids and times only. A file outside the database has the same rows, so that a
 * restored backup does not bring them back. No foreign key, because the row outlives the deleted data.
 */
export const deletions = pgTable(
  'deletions',
  {
    userId: text().notNull(),
    /** Empty for the deletion of a user. */
    sessionId: text().notNull(),
    what: text().$type<Deleted>().notNull(),
    deletedAt: instant().notNull()
  },
  table => [
    primaryKey({ columns: [table.userId, table.sessionId, table.what] }),
    index('deletions_deleted_at').on(table.deletedAt)
  ]
)

import { index, pgTable, primaryKey, text } from '../drizzle.ts'
import { instant } from './users.ts'

/** What was deleted: a session with all that is in it, its recording alone, or a user with all they have. */
export type Deleted = 'session' | 'recording' | 'user'

/**
 * Which sessions, recordings and users were deleted: ids and times, nothing else. A file outside the database has the same, so
 * that a restored backup does not bring them back. No foreign key: a row outlives what it is about.
 */
export const deletions = pgTable(
  'deletions',
  {
    userId: text().notNull(),
    /** Empty where it is about a user. */
    sessionId: text().notNull(),
    what: text().$type<Deleted>().notNull(),
    deletedAt: instant().notNull()
  },
  table => [primaryKey({ columns: [table.userId, table.sessionId, table.what] }), index('deletions_deleted_at').on(table.deletedAt)]
)

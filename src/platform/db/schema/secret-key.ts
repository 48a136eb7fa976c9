import { pgTable, text } from '../drizzle.ts'
import { instant } from './users.ts'

/** One row, encrypted with the SECRET_KEY of this database, so that a server notices another key. */
export const secretKeyChecks = pgTable('secret_key_checks', {
  name: text().primaryKey(),
  encrypted: text().notNull(),
  createdAt: instant().notNull()
})

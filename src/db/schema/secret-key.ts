import { pgTable, text } from '../drizzle.ts'
import { instant } from './users.ts'

/** One row, encrypted with the SECRET_KEY that this database is used with, by which another one is noticed. */
export const secretKeyChecks = pgTable('secret_key_checks', {
  name: text().primaryKey(),
  encrypted: text().notNull(),
  createdAt: instant().notNull()
})

import { pgTable, text } from '../drizzle.ts'
import { instant } from './users.ts'

/** One row, by which a job that deletes by age notices that the clock has stepped. */
export const clockReadings = pgTable('clock_readings', {
  name: text().primaryKey(),
  readAt: instant().notNull(),
  /** The first reading after the last step. */
  steadySince: instant().notNull()
})

import type { ExportFormat, ExportPart } from '../../../contract/export.ts'
import { bigint, boolean, index, integer, pgTable, primaryKey, text } from '../drizzle.ts'
import { instant, ofUser } from './users.ts'

/** Exports of libraries until they expire. The folder of exports has their files. */
export const exports = pgTable(
  'exports',
  {
    userId: text().notNull(),
    exportId: text().notNull(),
    status: text().$type<'running' | 'completed' | 'failed'>().notNull(),
    format: text().$type<ExportFormat>().notNull(),
    parts: text().array().$type<ExportPart[]>().notNull(),
    /** Sessions that have changed before are left out. Null for all. */
    since: instant(),
    recordings: boolean().notNull(),
    /** The newest session at the start. Later ones are for the next export. */
    lastSession: text().notNull(),
    sessionsTotal: integer().notNull(),
    sessionsDone: integer().notNull().default(0),
    /** The bytes of the file. Null until it is complete. */
    bytes: bigint({ mode: 'number' }),
    /** Why it failed, for its owner. */
    error: text(),
    createdAt: instant().notNull(),
    finishedAt: instant(),
    expiresAt: instant().notNull()
  },
  table => [
    primaryKey({ columns: [table.userId, table.exportId] }),
    index('exports_age').on(table.expiresAt),
    ofUser('exports_user_fk', table)
  ]
)

import { bigint, boolean, index, pgTable, primaryKey, sql, text } from '../drizzle.ts'
import { ofSession } from './sessions.ts'
import { instant, ofUser } from './users.ts'

/** Files that arrive in parts. The folder of parts has their bytes, whose number is the offset of the upload. */
export const uploads = pgTable(
  'uploads',
  {
    userId: text().notNull(),
    uploadId: text().notNull(),
    /** The name of the file. */
    name: text().notNull(),
    /** The header Upload-Metadata, which the client gets back. */
    metadata: text().notNull(),
    /** The bytes of the whole file, or the room that it has taken so far. Until a session has it, they count as stored. */
    bytes: bigint({ mode: 'number' }).notNull(),
    /** True until the client says how long the file is. */
    isDeferred: boolean().notNull().default(false),
    /** The session that was made of it, with which the upload is deleted. */
    sessionId: text(),
    createdAt: instant().notNull(),
    expiresAt: instant().notNull(),
    /** The lease of the request that writes to the file. It ends at `leasedUntil` of the database's clock unless it is renewed. */
    lease: text(),
    leasedUntil: instant(),
    /** True if another request waits for the lease. */
    isWanted: boolean().notNull().default(false)
  },
  table => [
    primaryKey({ columns: [table.userId, table.uploadId] }),
    index('uploads_age').using('brin', table.expiresAt),
    index('uploads_by_session').on(table.userId, table.sessionId).where(sql`session_id is not null`),
    ofUser('uploads_user_fk', table),
    ofSession('uploads_session_fk', table)
  ]
)

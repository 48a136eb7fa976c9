import {
  bigint,
  boolean,
  customType,
  doublePrecision,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  timestamp
} from 'drizzle-orm/pg-core'

/** The columns that the idiomatic stack reads and writes, of the tables that the benchmark has filled. */

const bytes = customType<{ data: Buffer }>({ dataType: () => 'bytea' })
const instant = () => timestamp({ withTimezone: true, mode: 'date' })
const sessionKey = () => ({ userId: text().notNull(), sessionId: text().notNull() })

export const tokenOwners = pgTable('token_owners', {
  hash: bytes().primaryKey(),
  userId: text().notNull(),
  tokenId: text().notNull()
})

export const tokens = pgTable('tokens', {
  userId: text().notNull(),
  tokenId: text().notNull(),
  scopes: text().array().notNull(),
  expiresAt: instant().notNull(),
  revokedAt: instant()
})

export const sessions = pgTable(
  'sessions',
  {
    ...sessionKey(),
    state: text().notNull(),
    title: text().notNull(),
    timestamp: instant(),
    sortAt: instant().notNull(),
    durationSeconds: doublePrecision().notNull(),
    type: text().notNull(),
    platform: text(),
    language: text(),
    summary: text(),
    notes: text(),
    tags: text().array().notNull(),
    favorite: boolean().notNull(),
    actionItems: jsonb().$type<Record<string, unknown>[]>(),
    actionItemsVersion: integer().notNull(),
    phone: jsonb().$type<Record<string, unknown>>(),
    audioDeletedAt: instant(),
    updatedAt: instant().notNull()
  },
  table => [primaryKey({ columns: [table.userId, table.sessionId] })]
)

export const folderSessions = pgTable('folder_sessions', { ...sessionKey(), folderId: text().notNull() })

export const transcripts = pgTable('transcripts', {
  ...sessionKey(),
  segments: jsonb().$type<{ speaker: string; start: number; end: number; text: string }[]>().notNull()
})

export const userCounters = pgTable('user_counters', {
  userId: text().primaryKey(),
  lastSeq: bigint({ mode: 'number' }).notNull()
})

export const events = pgTable('events', {
  userId: text().notNull(),
  seq: bigint({ mode: 'number' }).notNull(),
  eventId: text().notNull(),
  type: text().notNull(),
  sessionId: text().notNull(),
  createdAt: instant().notNull(),
  body: text().notNull()
})

export const webhooks = pgTable('webhooks', {
  userId: text().notNull(),
  webhookId: text().notNull(),
  events: text().array().notNull(),
  active: boolean().notNull()
})

export const webhookDeliveries = pgTable('webhook_deliveries', {
  userId: text().notNull(),
  webhookId: text().notNull(),
  seq: bigint({ mode: 'number' }).notNull(),
  eventId: text().notNull(),
  type: text().notNull(),
  attempt: integer().notNull(),
  attemptsBefore: integer().notNull(),
  nextAt: instant().notNull()
})

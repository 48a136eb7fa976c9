import type { Audience } from '../../../contract/oauth.ts'
import type { Quotas } from '../../../contract/quotas.ts'
import type { Scope } from '../../../contract/scopes.ts'
import {
  bigint,
  boolean,
  type Column,
  customType,
  date,
  foreignKey,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  sql,
  text,
  timestamp
} from '../drizzle.ts'

/** Instants keep milliseconds, as JavaScript and the API do. */
export const instant = () => timestamp({ withTimezone: true, precision: 3, mode: 'date' })

/** The columns that name a session and its owner. */
export const sessionKey = () => ({ userId: text().notNull(), sessionId: text().notNull() })

export const bytes = customType<{ data: Buffer }>({ dataType: () => 'bytea' })

export const users = pgTable(
  'users',
  {
    userId: text().primaryKey(),
    name: text(),
    email: text(),
    emailVerifiedAt: instant(),
    /** IANA name of the zone whose calendar due dates in words use. */
    timeZone: text().notNull().default('UTC'),
    subscriptionActive: boolean().notNull().default(true),
    /** The number that receives the user's inbound calls, in E.164. The app that sets it has verified it. */
    verifiedCallerId: text(),
    /** The limits of the user's own; the server's defaults apply to the other quotas. */
    quotas: jsonb().$type<Partial<Quotas>>().notNull().default({}),
    /** The user's own periods of retention in days. Null is that of the server. */
    retentionAudioDays: integer(),
    retentionSessionDays: integer(),
    /** True for a mailbox that accepted an invite and has not signed in by mail: its user reads what is shared with it, and nothing else. */
    guest: boolean().notNull().default(false),
    /** The time at which nothing was found to be shared with a guest any more. */
    unsharedSince: instant(),
    /** True for a user who sees the pages for operators. Only the command and the admin API set it. */
    operator: boolean().notNull().default(false),
    createdAt: instant().notNull(),
    /** The time of the user's deletion. A job erases their data, this row last. */
    deletedAt: instant()
  },
  table => [index('users_guests').on(table.userId).where(sql`guest`)]
)

type Columns = [Column, ...Column[]]

/** A foreign key to the row of another table. The deletion of that row deletes the rows of this one. */
export function partOf(name: string, columns: Columns, foreignColumns: Columns) {
  return foreignKey({ name, columns, foreignColumns }).onDelete('cascade')
}

export function ofUser(name: string, table: { userId: Column }) {
  return partOf(name, [table.userId], [users.userId])
}

/** The user of an e-mail address. Look-ups have no owner, so it is a table of its own. */
export const userEmails = pgTable('user_emails', {
  /** Trimmed and in lower case. */
  email: text().primaryKey(),
  userId: text().notNull()
})

/** Counters that change with a user's data. Each row is locked for a short time. */
export const userCounters = pgTable('user_counters', {
  userId: text().primaryKey(),
  /** The number of the newest event. */
  lastSeq: bigint({ mode: 'number' }).notNull().default(0),
  /** The number of events recorded outside the feed. */
  webhookEvents: bigint({ mode: 'number' }).notNull().default(0),
  /** The bytes of all events ever recorded, removed ones included. */
  eventBytes: bigint({ mode: 'number' }).notNull().default(0),
  /** The number of sessions in the sessions list. */
  sessionCount: integer().notNull().default(0),
  /** The position of the newest change of a session. */
  changePosition: bigint({ mode: 'number' }).notNull().default(0),
  /** The position of the newest removed tombstone. */
  forgottenPosition: bigint({ mode: 'number' }).notNull().default(0),
  /** The counts of the quotas: bytes of recordings, folders, and people who are neither merged nor deleted. */
  bytesStored: bigint({ mode: 'number' }).notNull().default(0),
  folderCount: integer().notNull().default(0),
  personCount: integer().notNull().default(0),
  /** The turn of the newest session to process, see `platform/jobs/turns.ts`. */
  lastTurn: integer().notNull().default(0),
  /** The UTC day of the newest session, and the number of sessions created on it. */
  sessionsDay: date({ mode: 'string' }),
  sessionsOnDay: integer().notNull().default(0)
})

export const tokens = pgTable(
  'tokens',
  {
    userId: text().notNull(),
    tokenId: text().notNull(),
    name: text().notNull(),
    scopes: text().array().$type<Scope[]>().notNull(),
    /** The first characters of the token, by which its owner recognises it. */
    hint: text().notNull(),
    createdAt: instant().notNull(),
    expiresAt: instant().notNull(),
    revokedAt: instant(),
    /** The number of days before the expiry for which the last mail was sent. Null before the first one. */
    noticedDays: integer(),
    /** The audience of an agent's token. Null for a token that its owner or the operator made. */
    audience: text().$type<Audience>()
  },
  table => [primaryKey({ columns: [table.userId, table.tokenId] }), ofUser('tokens_user_fk', table)]
)

export function ofToken(name: string, table: { userId: Column; tokenId: Column }) {
  return partOf(name, [table.userId, table.tokenId], [tokens.userId, tokens.tokenId])
}

/** Answers to requests with an Idempotency-Key. The transaction of the operation writes the row. */
export const idempotencyKeys = pgTable(
  'idempotency_keys',
  {
    userId: text().notNull(),
    /** The id of the token, or the door of an actor without one. Actors do not share keys. */
    actor: text().notNull(),
    key: text().notNull(),
    /** SHA-256 of route and parameters. */
    requestHash: bytes().notNull(),
    /** Encrypted JSON: some answers hold secrets. */
    answer: text().notNull(),
    /** The id of the object that the answer describes; its deletion empties the answer. */
    about: text(),
    createdAt: instant().notNull()
  },
  table => [
    primaryKey({ columns: [table.userId, table.actor, table.key] }),
    index('idempotency_keys_age').using('brin', table.createdAt),
    ofUser('idempotency_keys_user_fk', table)
  ]
)

/** The token of a hash. Requests arrive without an owner; this table names it. */
export const tokenOwners = pgTable('token_owners', {
  /** SHA-256 of the token. */
  hash: bytes().primaryKey(),
  userId: text().notNull(),
  tokenId: text().notNull(),
  /** The end of an access token. Null for a token that lives as long as its row in `tokens`. */
  expiresAt: instant(),
  /** The scopes of an access token that asked for fewer than its agent has. */
  scopes: text().array().$type<Scope[]>()
})

/**
 * The requests of each token in the current minute and day. UNLOGGED, as the migration says: every request writes it, and a
 * crash of the database may lose the minute's count.
 */
export const rateCounters = pgTable('rate_counters', {
  tokenId: text().primaryKey(),
  minute: timestamp({ withTimezone: true, precision: 0 }).notNull(),
  minuteCount: integer().notNull(),
  day: date().notNull(),
  dayCount: integer().notNull(),
  /** The number of admitted requests in the newest batch. RETURNING does not know the count before the statement. */
  admitted: integer().notNull()
})

/** The day's counts as last saved. Counting continues from them after a crash. */
export const rateDays = pgTable('rate_days', {
  tokenId: text().primaryKey(),
  day: date().notNull(),
  dayCount: integer().notNull()
})

import {
  bigint,
  boolean,
  type Column,
  customType,
  date,
  foreignKey,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  timestamp
} from '../drizzle.ts'

/** Instants keep milliseconds, as JavaScript and the API do. */
export const instant = () => timestamp({ withTimezone: true, precision: 3, mode: 'date' })

export const bytes = customType<{ data: Buffer }>({ dataType: () => 'bytea' })

export const users = pgTable('users', {
  userId: text().primaryKey(),
  name: text(),
  email: text(),
  emailVerifiedAt: instant(),
  /** IANA name: the calendar on which due dates in words are read. */
  timeZone: text().notNull().default('UTC'),
  subscriptionActive: boolean().notNull().default(true),
  /** The number under which the user's inbound calls arrive, in E.164; whoever sets it has made sure that it is theirs. */
  verifiedCallerId: text(),
  createdAt: instant().notNull(),
  /** When the user was deleted; what there is of them goes in the background, this row last. */
  deletedAt: instant()
})

/** A foreign key to the user. Their deletion deletes the rows of the table. */
export function ofUser(name: string, table: { userId: Column }) {
  return foreignKey({ name, columns: [table.userId], foreignColumns: [users.userId] }).onDelete('cascade')
}

/** Which user has an e-mail address. Looked up without an owner, so it is a table of its own. */
export const userEmails = pgTable('user_emails', {
  /** Trimmed and in lower case. */
  email: text().primaryKey(),
  userId: text().notNull()
})

/** What is counted for a user while changes are written; one short-held row lock each. */
export const userCounters = pgTable('user_counters', {
  userId: text().primaryKey(),
  /** The number of the newest event. */
  lastSeq: bigint({ mode: 'number' }).notNull().default(0),
  /** How many events outside the feed were recorded. */
  webhookEvents: bigint({ mode: 'number' }).notNull().default(0),
  /** How many bytes of events were recorded, those that are gone included. */
  eventBytes: bigint({ mode: 'number' }).notNull().default(0),
  /** The number of sessions in the sessions list. */
  sessionCount: integer().notNull().default(0),
  /** The position of the newest change of a session. */
  changePosition: bigint({ mode: 'number' }).notNull().default(0),
  /** The position of the newest tombstone that is gone. */
  forgottenPosition: bigint({ mode: 'number' }).notNull().default(0)
})

export const tokens = pgTable(
  'tokens',
  {
    userId: text().notNull(),
    tokenId: text().notNull(),
    name: text().notNull(),
    scopes: text().array().notNull(),
    /** The first characters of the token, for its owner to tell it from others. */
    hint: text().notNull(),
    createdAt: instant().notNull(),
    expiresAt: instant().notNull(),
    revokedAt: instant()
  },
  table => [primaryKey({ columns: [table.userId, table.tokenId] }), ofUser('tokens_user_fk', table)]
)

/** A foreign key to the token. */
export function ofToken(name: string, table: { userId: Column; tokenId: Column }) {
  return foreignKey({ name, columns: [table.userId, table.tokenId], foreignColumns: [tokens.userId, tokens.tokenId] }).onDelete('cascade')
}

/** The answers to requests with an Idempotency-Key, for the repetition of the request. A row is written in the transaction of its operation. */
export const idempotencyKeys = pgTable(
  'idempotency_keys',
  {
    userId: text().notNull(),
    tokenId: text().notNull(),
    key: text().notNull(),
    /** SHA-256 of route and parameters. */
    requestHash: bytes().notNull(),
    /** Encrypted JSON: some answers hold secrets. */
    answer: text().notNull(),
    createdAt: instant().notNull()
  },
  table => [
    primaryKey({ columns: [table.userId, table.tokenId, table.key] }),
    index('idempotency_keys_age').using('brin', table.createdAt),
    ofToken('idempotency_keys_token_fk', table)
  ]
)

/** Which token a hash belongs to. A request arrives without an owner; this names it. */
export const tokenOwners = pgTable('token_owners', {
  /** SHA-256 of the token. */
  hash: bytes().primaryKey(),
  userId: text().notNull(),
  tokenId: text().notNull()
})

/**
 * How many requests each token has made in the current minute and day. UNLOGGED (the migration says so): it is written
 * on every request, and a crash of the database may cost the minute's count.
 */
export const rateCounters = pgTable('rate_counters', {
  tokenId: text().primaryKey(),
  minute: timestamp({ withTimezone: true, precision: 0 }).notNull(),
  minuteCount: integer().notNull(),
  day: date().notNull(),
  dayCount: integer().notNull(),
  /** How many of the newest batch were let in; RETURNING cannot tell the count from before it. */
  admitted: integer().notNull()
})

/** The day's counts as last saved, from which they go on after a crash. */
export const rateDays = pgTable('rate_days', {
  tokenId: text().primaryKey(),
  day: date().notNull(),
  dayCount: integer().notNull()
})

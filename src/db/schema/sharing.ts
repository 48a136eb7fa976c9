import { boolean, type Column, date, foreignKey, index, integer, pgTable, primaryKey, text, timestamp, uniqueIndex } from '../drizzle.ts'
import { ofSession } from './sessions.ts'
import { bytes, instant, ofUser } from './users.ts'

export type ShareSource = 'link' | 'invite'

/**
 * The parts of a session that recipients may see. Every change of access locks this row first, so a claim and a reset of a
 * link take turns.
 */
export const sessionShares = pgTable(
  'session_shares',
  {
    userId: text().notNull(),
    sessionId: text().notNull(),
    summary: boolean().notNull().default(true),
    transcript: boolean().notNull().default(true),
    audio: boolean().notNull().default(true),
    actionItems: boolean().notNull().default(true),
    /** Increases with every removal, so that earlier links and invites give a removed recipient no access. */
    removals: integer().notNull().default(0)
  },
  table => [primaryKey({ columns: [table.userId, table.sessionId] }), ofSession('session_shares_session_fk', table)]
)

function ofShare(name: string, table: { userId: Column; sessionId: Column }) {
  return foreignKey({
    name,
    columns: [table.userId, table.sessionId],
    foreignColumns: [sessionShares.userId, sessionShares.sessionId]
  }).onDelete('cascade')
}

/** Access to a session, active or ended, by its owner. */
export const shareGrants = pgTable(
  'share_grants',
  {
    userId: text().notNull(),
    sessionId: text().notNull(),
    recipientId: text().notNull(),
    /** How the recipient got access. */
    sources: text().array().$type<ShareSource[]>().notNull(),
    sharedAt: instant().notNull(),
    active: boolean().notNull(),
    /** The number of the removal that ended the access. Null while it is active. */
    removal: integer()
  },
  table => [primaryKey({ columns: [table.userId, table.sessionId, table.recipientId] }), ofShare('share_grants_share_fk', table)]
)

/** A copy of the active grants by recipient. The recipient is another owner, so there is no foreign key to the grants. */
export const sharedWith = pgTable(
  'shared_with',
  {
    recipientId: text().notNull(),
    sessionId: text().notNull(),
    ownerId: text().notNull(),
    sharedAt: instant().notNull()
  },
  table => [
    primaryKey({ columns: [table.recipientId, table.sessionId, table.ownerId] }),
    index('shared_with_listed').on(table.recipientId, table.sharedAt, table.ownerId, table.sessionId)
  ]
)

export const shareLinks = pgTable(
  'share_links',
  {
    userId: text().notNull(),
    sessionId: text().notNull(),
    /** SHA-256 of the secret in its URL. */
    hash: bytes().notNull(),
    /** The removals of the session when the secret was issued. */
    removals: integer().notNull(),
    createdAt: instant().notNull(),
    expiresAt: instant().notNull()
  },
  table => [
    primaryKey({ columns: [table.userId, table.sessionId, table.hash] }),
    index('share_links_age').on(table.expiresAt),
    ofShare('share_links_share_fk', table)
  ]
)

export const shareInvites = pgTable(
  'share_invites',
  {
    userId: text().notNull(),
    sessionId: text().notNull(),
    /** Trimmed and in lower case. */
    email: text().notNull(),
    inviteId: text().notNull(),
    /** SHA-256 of the secret in its URL. */
    hash: bytes().notNull(),
    message: text().notNull(),
    /** The removals of the session when the secret was issued. */
    removals: integer().notNull(),
    sentAt: instant().notNull(),
    lastSentAt: instant().notNull(),
    sendCount: integer().notNull(),
    expiresAt: instant().notNull(),
    /** The user who claimed the invite. Null while it is pending. */
    claimedBy: text()
  },
  table => [
    primaryKey({ columns: [table.userId, table.sessionId, table.email] }),
    uniqueIndex('share_invites_invite_id').on(table.userId, table.inviteId),
    index('share_invites_age').on(table.expiresAt),
    ofShare('share_invites_share_fk', table)
  ]
)

/** The session of a link or an invite. Requests bring the secret without an owner; this table names it. */
export const shareSecrets = pgTable(
  'share_secrets',
  {
    hash: bytes().primaryKey(),
    userId: text().notNull(),
    sessionId: text().notNull(),
    kind: text().$type<ShareSource>().notNull()
  },
  table => [index('share_secrets_session').on(table.userId, table.sessionId)]
)

/** The sharing changes and invites of a user in the current minute and day. */
export const shareCounters = pgTable(
  'share_counters',
  {
    userId: text().primaryKey(),
    minute: timestamp({ withTimezone: true, precision: 0 }).notNull(),
    writes: integer().notNull(),
    day: date().notNull(),
    invites: integer().notNull()
  },
  table => [ofUser('share_counters_user_fk', table)]
)

import { boolean, type Column, date, foreignKey, index, integer, pgTable, primaryKey, text, timestamp, uniqueIndex } from '../drizzle.ts'
import { ofSession } from './sessions.ts'
import { bytes, instant, ofUser } from './users.ts'

export type ShareSource = 'link' | 'invite'

/**
 * What a session's recipients may see of it. Whoever changes who has access locks this row first, so a link that is being
 * claimed and one that is being reset take turns.
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
    /** Goes up when somebody is removed, so that what was handed out before lets them in no more. */
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

/** Who has, or had, access to a session, seen from its owner. */
export const shareGrants = pgTable(
  'share_grants',
  {
    userId: text().notNull(),
    sessionId: text().notNull(),
    recipientId: text().notNull(),
    /** How they came by it. */
    sources: text().array().$type<ShareSource[]>().notNull(),
    sharedAt: instant().notNull(),
    active: boolean().notNull(),
    /** Of the session's removals, the one that took it away; null of an active one. */
    removal: integer()
  },
  table => [primaryKey({ columns: [table.userId, table.sessionId, table.recipientId] }), ofShare('share_grants_share_fk', table)]
)

/** The active grants once more, seen from the recipient: another owner, so no foreign key leads there. */
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
    /** How many removals there had been. */
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
    /** How many removals there had been. */
    removals: integer().notNull(),
    sentAt: instant().notNull(),
    lastSentAt: instant().notNull(),
    sendCount: integer().notNull(),
    expiresAt: instant().notNull(),
    /** Who has taken it up; it is pending before, and nobody else's after. */
    claimedBy: text()
  },
  table => [
    primaryKey({ columns: [table.userId, table.sessionId, table.email] }),
    uniqueIndex('share_invites_invite_id').on(table.userId, table.inviteId),
    index('share_invites_age').on(table.expiresAt),
    ofShare('share_invites_share_fk', table)
  ]
)

/** Which session a link or invite belongs to. Its secret arrives without an owner; this names it. */
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

/** How much a user has shared in the current minute and invited in the current day. */
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

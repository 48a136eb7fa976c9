import {
  boolean,
  type Column,
  date,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uniqueIndex
} from '../drizzle.ts'
import { ofSession } from './sessions.ts'
import { bytes, instant, ofUser, partOf, sessionKey } from './users.ts'

export type ShareSource = 'link' | 'invite'

/** The shared parts of a session. Every change of access locks this row first, which orders claims and resets of links. */
export const sessionShares = pgTable(
  'session_shares',
  {
    ...sessionKey(),
    summary: boolean().notNull().default(true),
    transcript: boolean().notNull().default(true),
    audio: boolean().notNull().default(true),
    actionItems: boolean().notNull().default(true),
    /** Counts removals of recipients. A secret from before a removal gives the removed recipient no access. */
    removals: integer().notNull().default(0)
  },
  table => [primaryKey({ columns: [table.userId, table.sessionId] }), ofSession('session_shares_session_fk', table)]
)

function ofShare(name: string, table: { userId: Column; sessionId: Column }) {
  return partOf(name, [table.userId, table.sessionId], [sessionShares.userId, sessionShares.sessionId])
}

/** The recipients of a session, former ones too, by owner. */
export const shareGrants = pgTable(
  'share_grants',
  {
    ...sessionKey(),
    recipientId: text().notNull(),
    /** The ways in which the recipient got access. */
    sources: text().array().$type<ShareSource[]>().notNull(),
    sharedAt: instant().notNull(),
    active: boolean().notNull(),
    /** The number of the removal that ended the access. Null while it is active. */
    removal: integer()
  },
  table => [
    primaryKey({ columns: [table.userId, table.sessionId, table.recipientId] }),
    ofShare('share_grants_share_fk', table)
  ]
)

/** A copy of the active grants, by recipient. It has no foreign key, because the recipient is another user than the owner. */
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
    ...sessionKey(),
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
    ...sessionKey(),
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

/** The owner and session of each secret, because a secret arrives without its owner. */
export const shareSecrets = pgTable(
  'share_secrets',
  {
    hash: bytes().primaryKey(),
    ...sessionKey(),
    kind: text().$type<ShareSource>().notNull()
  },
  table => [index('share_secrets_session').on(table.userId, table.sessionId)]
)

/** The sharing changes of each user in the current minute, and the invites in the current day. */
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

import { boolean, index, integer, pgTable, primaryKey, text, uniqueIndex } from '../drizzle.ts'
import { bytes, instant, ofUser } from './users.ts'

/**
 * The links that sign a browser in, by the id in their URL. The rest of the URL is derived from the id and the server's key, so the table holds
 * nothing that signs in.
 */
export const signInLinks = pgTable(
  'sign_in_links',
  {
    linkId: text().primaryKey(),
    /** The mailbox that proves itself. Null for the operator's link, which names a user, and for a sign-in at a provider, which is used already. */
    email: text(),
    forUser: text(),
    /** SHA-256 of the cookie of the browser that asked for it. Null for a link that opens in any browser. */
    browser: bytes(),
    /** A keyed digest of the network or the browser by which the links of a mailbox are counted. Null for a link that the operator made. */
    sender: bytes(),
    createdAt: instant().notNull(),
    expiresAt: instant().notNull(),
    usedAt: instant(),
    /** How often a code was tried for it. */
    codeTries: integer().notNull().default(0)
  },
  table => [
    index('sign_in_links_email').on(table.email, table.createdAt),
    index('sign_in_links_age').on(table.createdAt)
  ]
)

/** The browsers that are signed in to the console. The cookie names the user, so that a look-up goes to one node. */
export const consoleSessions = pgTable(
  'console_sessions',
  {
    userId: text().notNull(),
    /** SHA-256 of the secret in the cookie. */
    hash: bytes().notNull(),
    /** True if the browser proved itself by an invite, not by a sign-in. */
    guest: boolean().notNull(),
    createdAt: instant().notNull(),
    expiresAt: instant().notNull()
  },
  table => [
    primaryKey({ columns: [table.userId, table.hash] }),
    index('console_sessions_age').on(table.expiresAt),
    ofUser('console_sessions_user_fk', table)
  ]
)

/**
 * The people of providers, by what names them there for ever, with the user that each signs in as. Look-ups have no owner, so it is a table of its own.
 */
export const userIdentities = pgTable(
  'user_identities',
  {
    issuer: text().notNull(),
    subject: text().notNull(),
    userId: text().notNull(),
    createdAt: instant().notNull()
  },
  table => [
    primaryKey({ columns: [table.issuer, table.subject] }),
    uniqueIndex('user_identities_user').on(table.userId, table.issuer)
  ]
)

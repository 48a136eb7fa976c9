import type { Audience } from '../../../contract/oauth.ts'
import type { Scope } from '../../../contract/scopes.ts'
import { boolean, index, pgTable, primaryKey, text } from '../drizzle.ts'
import { bytes, instant, ofUser, partOf } from './users.ts'

/**
 * The programs that may ask users for access: those that registered themselves, copies of the documents that others publish at their id, and those
 * that the operator created.
 */
export const oauthClients = pgTable(
  'oauth_clients',
  {
    clientId: text().primaryKey(),
    kind: text().$type<'registered' | 'document' | 'operator'>().notNull(),
    /** Written by the client, except for one of the operator. */
    name: text(),
    redirectUris: text().array().notNull(),
    /** SHA-256 of the secret. Null for a client that cannot keep one. */
    secretHash: bytes(),
    createdAt: instant().notNull(),
    /** The time at which a document was last read. Null for a copy that comes with the product. */
    readAt: instant(),
    /** The time of the last attempt to read a document, even a failed one. */
    triedAt: instant(),
    /** The address of the keys by which the assertions of a document's client are verified. */
    jwksUri: text(),
    /** True for a document whose client authenticates by assertions only. */
    needsAssertion: boolean().notNull().default(false),
    /** The last day on which a user or an agent used it. Null until a user connects it. */
    usedAt: instant(),
    /** A keyed digest of the address or the user that a client came from. Null once a user has connected it, and for those of the operator. */
    sender: bytes()
  },
  table => [
    index('oauth_clients_age').on(table.kind, table.usedAt, table.createdAt),
    index('oauth_clients_sender').on(table.sender, table.createdAt, table.clientId)
  ]
)

/** A user's permission for a client. Its row in `tokens` has the same id, and exists once the client has exchanged the code. */
export const oauthGrants = pgTable(
  'oauth_grants',
  {
    userId: text().notNull(),
    tokenId: text().notNull(),
    clientId: text().notNull(),
    clientName: text().notNull(),
    redirectUri: text().notNull(),
    /** The PKCE challenge, which is a SHA-256. */
    challenge: text().notNull(),
    audience: text().$type<Audience>().notNull(),
    scopes: text().array().$type<Scope[]>().notNull(),
    createdAt: instant().notNull()
  },
  table => [primaryKey({ columns: [table.userId, table.tokenId] }), ofUser('oauth_grants_user_fk', table)]
)

/** The codes and refresh tokens of grants. Used ones stay, so that a second use is noticed. */
export const oauthSecrets = pgTable(
  'oauth_secrets',
  {
    userId: text().notNull(),
    /** SHA-256 of the code or the refresh token. */
    hash: bytes().notNull(),
    tokenId: text().notNull(),
    expiresAt: instant().notNull(),
    usedAt: instant()
  },
  table => [
    primaryKey({ columns: [table.userId, table.hash] }),
    index('oauth_secrets_token').on(table.userId, table.tokenId),
    index('oauth_secrets_age').on(table.expiresAt),
    partOf('oauth_secrets_grant_fk', [table.userId, table.tokenId], [oauthGrants.userId, oauthGrants.tokenId])
  ]
)

/** The assertions that clients have used, so that each works once. They belong to no user. */
export const oauthAssertions = pgTable(
  'oauth_assertions',
  {
    /** SHA-256 of the client and the `jti`. */
    hash: bytes().primaryKey(),
    /** The assertion is refused by its own age from then on. */
    expiresAt: instant().notNull()
  },
  table => [index('oauth_assertions_age').on(table.expiresAt)]
)

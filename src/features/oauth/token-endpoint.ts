import { hash, timingSafeEqual } from 'node:crypto'
import { LIMITS } from '../../contract/limits.ts'
import { verifier } from '../../contract/oauth.ts'
import { isScope, type Scope } from '../../contract/scopes.ts'
import type { Db } from '../../platform/db/open.ts'
import { makeToken } from '../access/token-format.ts'
import { findToken } from '../access/tokens.ts'
import type { Needs } from '../services.ts'
import { isResource } from './authorization.ts'
import { verifyAssertion } from './client-assertion.ts'
import type { ClientKeys } from './client-keys.ts'
import { findClient, isSecretOf, noteUse, type OAuthClient } from './clients.ts'
import {
  endGrant,
  extendAgentToken,
  findAccessToken,
  findGrant,
  findSecret,
  type Grant,
  idleEnd,
  insertAccessToken,
  insertAgentToken,
  insertSecret,
  lockGrantOf,
  markUsed
} from './grants.ts'
import { OAuthRefusal } from './refusal.ts'
import { hashSecret, makeSecret, readSecret, tokensAfter } from './secrets.ts'

/** How a client says who it is. */
export interface ClientCredentials {
  clientId: string
  secret: string | undefined
  /** A JWT that is signed by a key of the client. */
  assertion: string | undefined
}

/** The answer of the token endpoint. */
interface IssuedTokens {
  access_token: string
  token_type: 'Bearer'
  expires_in: number
  refresh_token: string
  scope: string
}

type Issuing = Needs<'db' | 'clock' | 'publicUrl' | 'secretKey'>
type Outcome = IssuedTokens | OAuthRefusal

/** Returns the client. Throws invalid_client for an unknown one, and for a wrong secret or assertion. */
export async function authenticateClient(
  services: Needs<'db' | 'clock' | 'publicUrl'>,
  keys: ClientKeys,
  { clientId, secret, assertion }: ClientCredentials
): Promise<OAuthClient> {
  const client = await findClient(services.db, clientId)
  if (client && assertion !== undefined && secret === undefined) {
    await verifyAssertion(services, keys, client, assertion)
    return client
  }
  if (client?.needsAssertion) throw new OAuthRefusal('invalid_client', 'Send client_assertion, as the document says')
  if (client && isSecretOf(client, secret)) return client
  throw new OAuthRefusal('invalid_client', 'The client is unknown, or its secret is wrong')
}

interface CodeExchange {
  code: string
  redirectUri: string
  verifier: string
  resource: string | undefined
}

/**
 * Exchanges a code for tokens. A code is used up by the first attempt, also by a wrong one: whoever makes that attempt has a code that is not theirs.
 * A second attempt ends the connection that the first has made.
 */
export async function exchangeCode(services: Issuing, client: OAuthClient, sent: CodeExchange): Promise<IssuedTokens> {
  const read = readSecret(sent.code) ?? throwNoGrant('code')
  const now = services.clock.now()
  const outcome = await services.db.transaction(async (tx): Promise<Outcome> => {
    const { userId, hash } = read
    const found = await lockGrantOf(tx, userId, hash)
    if (!found || !sent.code.startsWith('prc_')) return noGrant('code')
    const { grant, secret } = found
    if (secret.usedAt) {
      await endGrant(tx, userId, grant.tokenId, now)
      return noGrant('code')
    }
    await markUsed(tx, userId, hash, now)
    if (secret.expiresAt <= now || !isExchangeOf(services, grant, client, sent)) return noGrant('code')
    const issued = { accessToken: makeToken(), refreshToken: makeSecret('refresh', userId) }
    await insertAgentToken(tx, userId, grant, { now, hint: issued.accessToken.slice(0, 8) })
    return await issue(tx, userId, grant, { ...issued, scopes: null, now })
  })
  return await settle(services, client, outcome)
}

function isExchangeOf(
  { publicUrl }: Pick<Issuing, 'publicUrl'>,
  { clientId, redirectUri, challenge, audience }: Grant,
  client: OAuthClient,
  sent: CodeExchange
) {
  const computed = Buffer.from(hash('sha256', sent.verifier, 'base64url'))
  return (
    verifier.safeParse(sent.verifier).success &&
    timingSafeEqual(computed, Buffer.from(challenge)) &&
    clientId === client.clientId &&
    redirectUri === sent.redirectUri &&
    (sent.resource === undefined || isResource(publicUrl, sent.resource, audience))
  )
}

interface Refresh {
  refreshToken: string
  scope: string | undefined
  resource: string | undefined
}

/**
 * Exchanges a refresh token for the next tokens. The same tokens are the answer to a repetition within a minute, as long as the client has not used
 * them: its first answer may be lost, and two of its processes may refresh at once. Any other use of a used token ends the connection, because one of
 * the two who have it is a thief.
 */
export async function refreshTokens(services: Issuing, client: OAuthClient, sent: Refresh): Promise<IssuedTokens> {
  const read = readSecret(sent.refreshToken) ?? throwNoGrant('refresh token')
  const outcome = await services.db.transaction(async (tx): Promise<Outcome> => {
    const { userId, hash } = read
    const now = services.clock.now()
    const found = await lockGrantOf(tx, userId, hash)
    if (!found || !sent.refreshToken.startsWith('prr_') || found.grant.clientId !== client.clientId)
      return noGrant('refresh token')
    const { grant, secret } = found
    const scopes = narrow(grant.scopes, sent.scope)
    if (scopes instanceof OAuthRefusal) return scopes
    if (sent.resource !== undefined && !isResource(services.publicUrl, sent.resource, grant.audience))
      return new OAuthRefusal('invalid_target', 'The tokens of this connection are for another resource')
    const next = tokensAfter(services.secretKey, userId, sent.refreshToken)
    if (secret.usedAt)
      return (await repeat(tx, userId, grant, { ...next, usedAt: secret.usedAt, now })) ?? noGrant('refresh token')
    if (secret.expiresAt <= now) return noGrant('refresh token')
    if (!(await extendAgentToken(tx, userId, grant.tokenId, { now, hint: next.accessToken.slice(0, 8) })))
      return noGrant('refresh token')
    await markUsed(tx, userId, hash, now)
    return await issue(tx, userId, grant, { ...next, scopes, now })
  })
  return await settle(services, client, outcome)
}

/**
 * Returns the scopes that a refresh asks for, null for all of the grant. They are never wider: a client may repeat the list of its first request, of which
 * the user has allowed a part.
 */
function narrow(granted: Scope[], scope: string | undefined): Scope[] | OAuthRefusal | null {
  const asked = (scope ?? '').split(' ').filter(isScope)
  if (asked.length === 0) return null
  const scopes = granted.filter(one => asked.includes(one))
  return scopes.length > 0 ? scopes : new OAuthRefusal('invalid_scope', 'The user did not allow these scopes')
}

interface Next {
  accessToken: string
  refreshToken: string
  now: Date
}

async function issue(
  tx: Db,
  userId: string,
  grant: Grant,
  { accessToken, refreshToken, scopes, now }: Next & { scopes: Scope[] | null }
): Promise<IssuedTokens> {
  const { tokenId } = grant
  await insertAccessToken(tx, userId, accessToken, { tokenId, scopes, now })
  await insertSecret(tx, userId, refreshToken, { tokenId, expiresAt: idleEnd(now) })
  return toAnswer(accessToken, refreshToken, scopes ?? grant.scopes, LIMITS.oauth.accessSeconds)
}

/** The tokens that were issued for a used refresh token, if this may be the same client again. Otherwise ends the connection. */
async function repeat(
  tx: Db,
  userId: string,
  grant: Grant,
  { accessToken, refreshToken, usedAt, now }: Next & { usedAt: Date }
) {
  const following = await findSecret(tx, userId, hashSecret(refreshToken))
  const access = await findAccessToken(tx, accessToken)
  const isRecent = now.getTime() - usedAt.getTime() <= LIMITS.oauth.repeatSeconds * 1_000
  const token = await findToken(tx, userId, grant.tokenId)
  if (isRecent && following && !following.usedAt && access?.expiresAt && token && !token.revokedAt) {
    const seconds = Math.max(1, Math.floor((access.expiresAt.getTime() - now.getTime()) / 1_000))
    return toAnswer(accessToken, refreshToken, access.scopes ?? grant.scopes, seconds)
  }
  await endGrant(tx, userId, grant.tokenId, now)
  return undefined
}

function toAnswer(access_token: string, refresh_token: string, scopes: Scope[], expires_in: number): IssuedTokens {
  return { access_token, token_type: 'Bearer', expires_in, refresh_token, scope: scopes.join(' ') }
}

async function settle({ db, clock }: Issuing, client: OAuthClient, outcome: Outcome) {
  // A refusal is thrown here, because what led to it must be committed.
  if (outcome instanceof OAuthRefusal) throw outcome
  await noteUse(db, client.clientId, clock.now())
  return outcome
}

function noGrant(what: string) {
  return new OAuthRefusal(
    'invalid_grant',
    `The ${what} is unknown, used, expired or revoked, or was made for another request`
  )
}

function throwNoGrant(what: string): never {
  throw noGrant(what)
}

/** Ends the connection of an access or refresh token (RFC 7009). An unknown token is no error; one of another client is refused. */
export async function revokeTokens(
  { db, clock }: Needs<'db' | 'clock'>,
  client: OAuthClient,
  token: string
): Promise<void> {
  const place = await findPlace(db, token)
  if (!place) return
  const { userId, tokenId } = place
  if ((await findGrant(db, userId, tokenId))?.clientId !== client.clientId)
    throw new OAuthRefusal('invalid_grant', 'The token was not issued to this client')
  await db.transaction(async tx => void (await endGrant(tx, userId, tokenId, clock.now())))
}

async function findPlace(db: Db, token: string) {
  const read = readSecret(token)
  return read ? await findSecret(db, read.userId, read.hash) : await findAccessToken(db, token)
}

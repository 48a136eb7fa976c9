import { LIMITS } from '../../contract/limits.ts'
import {
  AUDIENCE_SCOPES,
  type Audience,
  challenge as challengeShape,
  DEFAULT_SCOPES,
  isDocumentUrl,
  redirectUri as redirectUriShape,
  resourceOf
} from '../../contract/oauth.ts'
import { isScope, type Scope } from '../../contract/scopes.ts'
import { invalid } from '../../platform/core/api-error.ts'
import { newId } from '../../platform/core/ids.ts'
import { operation } from '../access/operation.ts'
import type { Needs } from '../services.ts'
import { findDocumentClient } from './client-document.ts'
import { findClient, hasRedirectUri, noteUse, type OAuthClient } from './clients.ts'
import { insertGrant, insertSecret } from './grants.ts'
import { lanProblem } from './lan-redirects.ts'
import { OAuthRefusal } from './refusal.ts'
import { makeSecret } from './secrets.ts'

/** The parameters of a request for authorization. One that was sent several times is a list. */
type AuthorizationQuery = Record<string, unknown>

/** A request that is valid, for the user to decide on. */
export interface Authorization {
  client: Pick<OAuthClient, 'clientId' | 'kind' | 'name'>
  redirectUri: string
  state: string | undefined
  challenge: string
  audience: Audience
  /** The scopes that the client asks for, as far as its tokens may have them. */
  scopes: Scope[]
}

/** A request with an error. `answer` is the address at which the client learns of it. */
export interface RefusedAuthorization extends Pick<Authorization, 'client' | 'redirectUri'> {
  answer: string
  problem: string
}

type Reading = Needs<'db' | 'clock' | 'fetcher' | 'publicUrl' | 'secretKey' | 'oauth'>

/**
 * Reads a request of a client. Returns what the user decides on, or the error of the request. Throws an
 * ApiError where there is no address to trust, which must be shown and never redirected.
 */
export const readAuthorization = operation(
  'readAuthorization',
  async (services: Reading, actor, query: AuthorizationQuery): Promise<Authorization | RefusedAuthorization> => {
    const { client_id: clientId, redirect_uri: redirectUri, state } = query
    if (typeof clientId !== 'string') throw invalid({ field: 'client_id', expected: 'the id of the client, once' })
    const client = await requireClient(services, actor.userId, clientId)
    if (
      typeof redirectUri !== 'string' ||
      !redirectUriShape.safeParse(redirectUri).success ||
      !hasRedirectUri(client, redirectUri)
    )
      throw invalid({ field: 'redirect_uri', problem: 'it is not one that the client has registered' })
    // The operator may have ended this since the client registered, and documents are not checked for it.
    const problem = lanProblem(services, redirectUri)
    if (problem !== undefined) throw invalid({ field: 'redirect_uri', problem })
    const sender = { redirectUri, state: typeof state === 'string' ? state : undefined }
    try {
      return { client, ...sender, ...readRest(services, query) }
    } catch (error) {
      if (!(error instanceof OAuthRefusal)) throw error
      const answer = toAnswer(services, sender, { error: error.code, error_description: error.message })
      return { client, redirectUri, answer, problem: error.message }
    }
  }
)

async function requireClient(services: Reading, userId: string, clientId: string) {
  if (isDocumentUrl(clientId)) return await findDocumentClient(services, userId, clientId)
  const client = await findClient(services.db, clientId)
  if (client) return client
  throw invalid({
    field: 'client_id',
    problem: 'no client has this id; connect again, so that the client registers again'
  })
}

function readRest({ publicUrl }: Needs<'publicUrl'>, query: AuthorizationQuery) {
  const repeated = Object.keys(query).find(name => typeof query[name] !== 'string' && name !== 'resource')
  if (repeated !== undefined) throw new OAuthRefusal('invalid_request', 'A parameter is repeated')
  if (String(query.state ?? '').length > LIMITS.oauth.state)
    throw new OAuthRefusal('invalid_request', 'state is too long')
  if (query.request !== undefined || query.request_uri !== undefined)
    throw new OAuthRefusal('request_not_supported', 'Send the parameters in the query')
  if (query.response_type !== 'code') throw new OAuthRefusal('unsupported_response_type', 'Send response_type=code')
  if ((query.response_mode ?? 'query') !== 'query') throw new OAuthRefusal('invalid_request', 'Leave response_mode out')
  const { data: challenge } = challengeShape.safeParse(query.code_challenge)
  if (query.code_challenge_method !== 'S256' || challenge === undefined)
    throw new OAuthRefusal('invalid_request', 'PKCE is required: send code_challenge with code_challenge_method=S256')
  const audience = readAudience(publicUrl, query.resource)
  return { challenge, audience, scopes: readScopes(query.scope, audience) }
}

/** Returns what a resource means. A client that names none gets a token for the MCP server, which may do least. */
function readAudience(publicUrl: string, resource: unknown): Audience {
  if (resource === undefined) return 'mcp'
  const audience = (['mcp', 'server'] as const).find(one => isResource(publicUrl, resource, one))
  if (audience) return audience
  const known = `${resourceOf(publicUrl, 'mcp')} or ${resourceOf(publicUrl, 'server')}`
  throw new OAuthRefusal('invalid_target', `resource must be ${known}`)
}

/** Returns whether a resource, as a client sent it, names the audience. A slash at its end means nothing. */
export function isResource(publicUrl: string, resource: unknown, audience: Audience) {
  const uri = resourceOf(publicUrl, audience)
  return resource === uri || resource === `${uri}/`
}

/**
 * Scopes that the token could not have are left out, as RFC 6749 allows; the answer names those that it has. Clients add those of other servers, such as
 * `openid` and `offline_access`, so a list of nothing else is like none.
 */
function readScopes(scope: unknown, audience: Audience): Scope[] {
  const scopes = String(scope ?? '')
    .split(' ')
    .filter(isScope)
  if (scopes.length === 0) return [...DEFAULT_SCOPES]
  const possible = AUDIENCE_SCOPES[audience].filter(one => scopes.includes(one))
  if (possible.length === 0) throw new OAuthRefusal('invalid_scope', 'No scope is one of this resource')
  return possible
}

/** Lets the client have these scopes, or those of them that it asked for. Returns the address that brings it a code, which it can exchange once. */
export const allowClient = operation(
  'allowClient',
  async (
    services: Needs<'db' | 'clock' | 'publicUrl'>,
    actor,
    authorization: Authorization,
    chosen: readonly string[]
  ): Promise<string> => {
    const { userId } = actor
    const { client, redirectUri, challenge, audience } = authorization
    const scopes = authorization.scopes.filter(scope => chosen.includes(scope))
    if (scopes.length === 0) throw invalid({ problem: 'Choose at least one thing that the agent may do' })
    const now = services.clock.now()
    const code = makeSecret('code', userId)
    const tokenId = newId('tok')
    const clientName = nameOf(client)
    await services.db.transaction(async tx => {
      await insertGrant(tx, userId, {
        tokenId,
        clientId: client.clientId,
        clientName,
        redirectUri,
        challenge,
        audience,
        scopes,
        createdAt: now
      })
      await insertSecret(tx, userId, code, {
        tokenId,
        expiresAt: new Date(now.getTime() + LIMITS.oauth.codeSeconds * 1_000)
      })
    })
    await noteUse(services.db, client.clientId, now)
    return toAnswer(services, authorization, { code })
  }
)

/** Returns the address that brings the client the user's no. */
export const denyClient = operation(
  'denyClient',
  async (services: Needs<'publicUrl'>, _actor, authorization: Authorization): Promise<string> => {
    return toAnswer(services, authorization, { error: 'access_denied', error_description: 'The user did not allow it' })
  }
)

/** The client's name for itself, or the host of its document if it has none. */
export function nameOf({ clientId, kind, name }: Authorization['client']) {
  return name ?? (kind === 'document' ? new URL(clientId).host : 'An agent without a name')
}

/** `iss` names this server (RFC 9207), so that a client of several servers takes the answer of none for that of another. */
function toAnswer(
  { publicUrl }: Needs<'publicUrl'>,
  { redirectUri, state }: Pick<Authorization, 'redirectUri' | 'state'>,
  fields: Record<string, string>
) {
  const answer = new URLSearchParams({ ...fields, ...(state !== undefined && { state }), iss: publicUrl })
  return `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${answer}`
}

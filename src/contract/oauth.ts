import { z } from 'zod'
import { LIMITS } from './limits.ts'
import { ALL_SCOPES, type Scope } from './scopes.ts'
import { isBlank, oneLine } from './text.ts'

/** The part of this server that an agent's token is for: the MCP server alone, or everything. */
export type Audience = 'mcp' | 'server'

/** The scopes of the MCP server's tools. None of them shares, sends anything out, or deletes. */
const MCP_SCOPES: readonly Scope[] = [
  'sessions:read',
  'sessions:search',
  'transcripts:read',
  'folders:read',
  'account:read',
  'sessions:write',
  'transcripts:write',
  'folders:write'
]

/** The scopes that a token for each audience may have. */
export const AUDIENCE_SCOPES: Record<Audience, readonly Scope[]> = { mcp: MCP_SCOPES, server: ALL_SCOPES }

/** The scopes of a client that names none. They only read. */
export const DEFAULT_SCOPES: readonly Scope[] = ['sessions:read', 'sessions:search', 'transcripts:read', 'folders:read']

/** The URI of an audience, as clients name it in `resource`. */
export function resourceOf(publicUrl: string, audience: Audience) {
  return audience === 'mcp' ? `${publicUrl}/mcp` : publicUrl
}

/** A client's name for itself: untrusted text, on one line and without characters that turn the text around them. */
const clientName = z
  .string()
  .transform(name => oneLine(name.replace(/[\p{Cf}\p{Cs}\p{Co}\p{Cn}]/gu, '')).slice(0, LIMITS.oauth.name))
  .transform(name => (isBlank(name) ? null : name))

/** The address to which a client gets its answers. */
export const redirectUri = z
  .string()
  .max(LIMITS.oauth.uri)
  .refine(
    isRedirectUri,
    'a URI with https, with http of this machine or of a local network, or with a scheme of an app, and without a fragment'
  )

/** Schemes that lead to no app, or that run or read what their address says. */
const REFUSED_SCHEMES = /^(?:javascript|vbscript|data|file|filesystem|blob|about|ftp|ws|wss|mailto|tel|view-source):/i

function isRedirectUri(text: string) {
  if (!/^[a-z][a-z0-9+.-]*:[\x21-\x7e]+$/i.test(text) || /[#\\]/.test(text) || !URL.canParse(text)) return false
  const { protocol, username, password, host } = new URL(text)
  if (username !== '' || password !== '') return false
  if (protocol === 'http:') return isLoopback(text) || isLanRedirect(text)
  return protocol === 'https:' ? host !== '' : !REFUSED_SCHEMES.test(text)
}

/** Returns whether a redirect leads to a program on the user's own machine. */
export function isLoopback(uri: string) {
  return LOOPBACK.test(uri)
}

const LOOPBACK = /^http:\/\/(?:127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?(?=[/?]|$)/i

/** The private networks of RFC 1918 and unique local addresses of IPv6, as the parser of URLs writes them. */
const LAN_ADDRESS =
  /^(?:10(?:\.\d+){3}|172\.(?:1[6-9]|2\d|3[01])(?:\.\d+){2}|192\.168(?:\.\d+){2}|\[f[cd][\da-f]{2}:[\da-f:]*\])$/

/** Names that public DNS doesn't have, or that routers give: a single word, or one that ends so. */
const LAN_NAME = /^(?!localhost$)(?:[a-z\d_-]+|[a-z\d_.-]+\.(?:local|lan|internal|home\.arpa))$/

/** Returns whether a redirect leads over http to another machine of a local network. Only the operator may allow this. */
export function isLanRedirect(uri: string) {
  if (!/^http:/i.test(uri) || !URL.canParse(uri)) return false
  const { hostname } = new URL(uri)
  return LAN_ADDRESS.test(hostname) || LAN_NAME.test(hostname)
}

/** Returns whether a client may have this id: printable ASCII without spaces. */
export function isClientId(text: string) {
  return text.length <= LIMITS.oauth.uri && /^[\x21-\x7e]+$/.test(text)
}

/** Returns whether the id of a client is the URL of its document: https, with a path, without a fragment, a user name or parts such as `..`. */
export function isDocumentUrl(clientId: string) {
  if (!isClientId(clientId) || !clientId.startsWith('https://') || !URL.canParse(clientId)) return false
  const url = new URL(clientId)
  // The parser resolves parts such as `..` and drops what is empty, so a URL that has them differs from what it is read as.
  return url.href === clientId && url.pathname !== '/' && !/[#@]/.test(clientId)
}

/**
 * Returns whether a redirect URI is the registered one, character by character. A program on the user's machine may listen on any port, so the port of
 * a loopback address does not count.
 */
export function isRegistered(registered: string, sent: string) {
  if (registered === sent) return true
  return isLoopback(registered) && isLoopback(sent) && withoutPort(registered) === withoutPort(sent)
}

/** The URI without the port of a program on this machine, which chooses another one each time. */
export function withoutPort(uri: string) {
  return uri.replace(/^(http:\/\/(?:127\.0\.0\.1|localhost|\[::1\])):\d{1,5}/i, '$1')
}

/** A PKCE challenge of the method S256, and the verifier that it is made of. */
export const challenge = z.string().regex(/^[A-Za-z0-9_-]{43}$/)
export const verifier = z.string().regex(/^[A-Za-z0-9._~-]{43,128}$/)

const words = z.array(z.string().max(LIMITS.oauth.name)).max(20).nullish()

/** The fields of both kinds of self-description; others are ignored. */
const described = {
  client_name: clientName.nullish(),
  redirect_uris: z.array(redirectUri).min(1).max(LIMITS.oauth.redirectUris),
  grant_types: words.refine(types => !types || types.includes('authorization_code'), 'a list with authorization_code'),
  response_types: words.refine(types => !types || types.includes('code'), 'a list with code')
}

/** The request of a client that registers itself (RFC 7591). Every method of authentication becomes `none`. */
export const ClientRegistration = z.object(described)
export type ClientRegistration = z.output<typeof ClientRegistration>

/** The address of a client's keys. */
const jwksUri = z
  .string()
  .max(LIMITS.oauth.uri)
  .refine(uri => /^https:/i.test(uri) && URL.canParse(uri), 'an https URL')

/**
 * The document that a client publishes at its id. It is public, so a client that authenticates by a secret cannot use it. A client that prefers
 * assertions may leave them out if its list has `none`, and needs keys if it has not.
 */
export const ClientDocument = z
  .object({
    ...described,
    client_id: z.string(),
    jwks_uri: jwksUri.nullish(),
    token_endpoint_auth_method: z.string().max(LIMITS.oauth.name).nullish(),
    token_endpoint_auth_methods_supported: words
  })
  .refine(document => canBePublic(document) || methodsOf(document).includes('private_key_jwt'), {
    path: ['token_endpoint_auth_method'],
    error: 'none or private_key_jwt, or token_endpoint_auth_methods_supported with one of them'
  })
  .refine(document => canBePublic(document) || document.jwks_uri != null, {
    path: ['jwks_uri'],
    error: 'the https URL of its keys, which private_key_jwt needs'
  })
export type ClientDocument = z.output<typeof ClientDocument>

interface AuthenticationMethods {
  token_endpoint_auth_method?: string | null | undefined
  token_endpoint_auth_methods_supported?: readonly string[] | null | undefined
}

function methodsOf({
  token_endpoint_auth_method: method,
  token_endpoint_auth_methods_supported: list
}: AuthenticationMethods) {
  return [method ?? 'none', ...(list ?? [])]
}

/** Returns whether the client of a document may do without an assertion. */
export function canBePublic(document: AuthenticationMethods) {
  return methodsOf(document).includes('none')
}

/** The type of an assertion in the form of a client (RFC 7523). */
export const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

/** The algorithms by which a client may sign an assertion. None of them needs a secret on this server. */
export const ASSERTION_ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA'
]

import { ASSERTION_ALGORITHMS, AUDIENCE_SCOPES, type Audience, resourceOf } from '../../contract/oauth.ts'
import { ALL_SCOPES } from '../../contract/scopes.ts'
import type { Services } from '../../features/services.ts'

const AUTHENTICATION = ['none', 'client_secret_post', 'client_secret_basic', 'private_key_jwt']

/** Describes this authorization server to clients (RFC 8414). */
export function serverMetadata({ publicUrl, oauth }: Pick<Services, 'publicUrl' | 'oauth'>) {
  return {
    issuer: publicUrl,
    authorization_endpoint: `${publicUrl}/oauth/authorize`,
    token_endpoint: `${publicUrl}/oauth/token`,
    registration_endpoint: `${publicUrl}/oauth/register`,
    revocation_endpoint: `${publicUrl}/oauth/revoke`,
    // OpenID Connect's name for refresh tokens, which every client gets. Some clients refresh only if it is listed.
    scopes_supported: [...ALL_SCOPES, 'offline_access'],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: AUTHENTICATION,
    token_endpoint_auth_signing_alg_values_supported: ASSERTION_ALGORITHMS,
    revocation_endpoint_auth_methods_supported: AUTHENTICATION,
    revocation_endpoint_auth_signing_alg_values_supported: ASSERTION_ALGORITHMS,
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: oauth.advertisesDocuments,
    service_documentation: `${publicUrl}/docs/api/oauth`
  }
}

/** Describes a resource of this server to clients (RFC 9728). */
export function resourceMetadata(publicUrl: string, audience: Audience) {
  return {
    resource: resourceOf(publicUrl, audience),
    authorization_servers: [publicUrl],
    scopes_supported: AUDIENCE_SCOPES[audience],
    bearer_methods_supported: ['header'],
    resource_name: audience === 'mcp' ? 'Parlance MCP server' : 'Parlance',
    resource_documentation: `${publicUrl}/docs/api/oauth`
  }
}

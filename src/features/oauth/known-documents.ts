import type { ClientDocument } from '../../contract/oauth.ts'

type KnownDocument = Pick<
  ClientDocument,
  'client_name' | 'redirect_uris' | 'jwks_uri' | 'token_endpoint_auth_method' | 'token_endpoint_auth_methods_supported'
>

/** The parts of ChatGPT's document that each of its documents has. */
const CHATGPT = {
  client_name: 'ChatGPT',
  token_endpoint_auth_method: 'private_key_jwt',
  token_endpoint_auth_methods_supported: ['none', 'private_key_jwt'],
  jwks_uri: 'https://chatgpt.com/oauth/jwks.json'
}

const PUBLIC = { token_endpoint_auth_method: 'none' }

/** The documents that makers of assistants publish, as of September 2026, for servers that cannot read them. */
export const KNOWN_DOCUMENTS: Readonly<Record<string, KnownDocument>> = {
  'https://chatgpt.com/oauth/client.json': {
    ...CHATGPT,
    redirect_uris: ['https://chatgpt.com/connector_platform_oauth_redirect']
  },
  'https://claude.ai/oauth/mcp-oauth-client-metadata': {
    ...PUBLIC,
    client_name: 'Claude',
    redirect_uris: ['https://claude.ai/api/mcp/auth_callback']
  },
  'https://claude.ai/oauth/claude-code-client-metadata': {
    ...PUBLIC,
    client_name: 'Claude Code',
    redirect_uris: ['http://localhost/callback', 'http://127.0.0.1/callback']
  },
  'https://vscode.dev/oauth/client-metadata.json': {
    ...PUBLIC,
    client_name: 'Visual Studio Code',
    redirect_uris: ['http://127.0.0.1:33418/', 'https://vscode.dev/redirect']
  },
  'https://chatgpt.com/oauth/codex/client.json': {
    ...PUBLIC,
    client_name: 'Codex',
    redirect_uris: ['http://127.0.0.1/callback', 'http://localhost/callback']
  },
  'https://zed.dev/oauth/client-metadata.json': {
    ...PUBLIC,
    client_name: 'Zed',
    redirect_uris: ['http://127.0.0.1/callback']
  }
}

/** ChatGPT and Codex publish one document for each server as well, whose redirect URI ends in the same id. */
const PER_SERVER = /^https:\/\/chatgpt\.com\/oauth\/(codex\/)?([\w-]{1,64})\/client\.json$/

/** Returns the document of a well-known client, as it comes with the product. */
export function findKnownDocument(clientId: string): KnownDocument | undefined {
  if (Object.hasOwn(KNOWN_DOCUMENTS, clientId)) return KNOWN_DOCUMENTS[clientId]
  const [, codex, id] = PER_SERVER.exec(clientId) ?? []
  if (id === undefined) return undefined
  if (codex === undefined) return { ...CHATGPT, redirect_uris: [`https://chatgpt.com/connector/oauth/${id}`] }
  const local = ['127.0.0.1', 'localhost'].map(host => `http://${host}/callback/${id}`)
  return { ...PUBLIC, client_name: 'Codex', redirect_uris: local }
}

import type { FastifyInstance, FastifyRequest } from 'fastify'
import { LIMITS } from '../../contract/limits.ts'
import { findProfile } from '../../features/accounts/profile.ts'
import type { Services } from '../../features/services.ts'
import { ApiError, invalid } from '../../platform/core/api-error.ts'
import { lazy } from '../../platform/core/lazy.ts'
import { acceptsType } from '../../platform/net/accept.ts'
import { bareName, isPrivateName } from '../../platform/net/host-name.ts'
import { resourceMetadataUrl } from '../../platform/net/links.ts'
import type { openMcp } from './server.ts'
import { AGENT_SCOPES } from './tools/tools.ts'

type Mcp = ReturnType<typeof openMcp>

interface McpOptions {
  services: Services
  /** The origins whose pages may call the server from a browser. */
  origins: readonly string[]
}

/** The Model Context Protocol at `/mcp`, for tokens, with a minute limit of its own. */
export async function mcpPlugin(app: FastifyInstance, { services, origins }: McpOptions) {
  const { publicUrl } = services
  let mcp: Mcp | undefined
  // The library of the protocol is loaded with the first message, because many servers get none and it takes memory.
  const open = lazy(async () => (mcp = (await import('./server.ts')).openMcp(publicUrl)))
  app.addHook('onClose', async () => await mcp?.close())
  app.route({
    method: 'POST',
    url: '/mcp',
    bodyLimit: LIMITS.agents.requestBytes,
    config: {
      scopes: AGENT_SCOPES,
      audience: 'mcp',
      resourceMetadata: resourceMetadataUrl(publicUrl),
      answersLimit: true,
      crossOrigin: 'local'
    },
    schema: { hide: true },
    onRequest: async request => refuseRebinding(request, publicUrl, origins),
    handler: async (request, reply) => {
      const failures: unknown[] = []
      const { actor, log, limited } = request
      const user = lazy(async () => await findProfile(services, actor))
      const call = { services, actor, log, user, limited, fail: (error: unknown) => void failures.push(error) }
      const message = readMessage(request)
      const { status, headers, text } = await (await open()).answer(message, call)
      if (failures.length > 0) throw failures[0]
      return await reply.code(status).headers(headers).send(text)
    }
  })
}

/** The headers that the protocol reads. */
const HEADERS = ['content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name']

/** The protocol has clients take streams as well, and its library refuses those that do not. As nothing is streamed, they need not. */
const ACCEPT = 'application/json, text/event-stream'

/** One message: a list of them would count as one request. */
function readMessage({ body, headers }: FastifyRequest) {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw invalid({ field: 'body', expected: 'one JSON-RPC message' })
  if (!acceptsType(headers.accept, 'application/json'))
    throw new ApiError('invalid_request', 'Answers are application/json; take that type', { status: 406 })
  const read: Record<string, string> = { accept: ACCEPT }
  for (const name of HEADERS) {
    const value = headers[name]
    if (typeof value === 'string') read[name] = value
  }
  return { body, headers: read }
}

/**
 * Refuses what a page of a stranger sends by a name that it made lead here: an `Origin` that is not one of ours, or a `Host` that public DNS can lead
 * elsewhere. Programs send no `Origin`.
 */
function refuseRebinding(
  { hostname, headers: { origin } }: Pick<FastifyRequest, 'hostname' | 'headers'>,
  publicUrl: string,
  origins: readonly string[]
) {
  const own = new URL(publicUrl).hostname
  if (bareName(hostname) !== bareName(own) && !isPrivateName(hostname))
    throw new ApiError('no_access', `This server is not known by this Host; use its address ${publicUrl}`)
  if (origin === undefined || origins.includes(origin)) return
  if (!URL.canParse(origin) || !(isLocal(new URL(origin).hostname) || new URL(origin).hostname === own))
    throw new ApiError('no_access', 'Pages of this Origin may not use the server')
}

function isLocal(hostname: string) {
  return ['localhost', '127.0.0.1', '::1'].includes(bareName(hostname))
}

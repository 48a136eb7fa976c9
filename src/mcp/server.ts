import {
  createMcpHandler,
  isLegacyRequest,
  McpServer,
  WebStandardStreamableHTTPServerTransport
} from '@modelcontextprotocol/server'
import packageJson from '../../package.json' with { type: 'json' }
import { addPrompts } from './prompts.ts'
import { NOTICE } from './quote.ts'
import { addResources } from './resources.ts'
import { type Call, callTool } from './tool.ts'
import { TOOLS } from './tools/tools.ts'

const INFO = { name: 'parlance', title: 'Parlance', version: packageJson.version }

const INSTRUCTIONS = `Recorded conversations of the user: summaries, action items and transcripts. Find with search_sessions, then read around
the moment with get_transcript. Cite what you use with its link. ${NOTICE}`

/** A message of the protocol, and the headers that belong to it. */
export interface Message {
  body: object
  headers: Headers
}

/**
 * Answers messages of every version of the protocol. Each gets a server of its own, so that processes share nothing. Nothing is streamed:
 * an answer is complete when it begins, and its status is that of the operation.
 */
export function openMcp(publicUrl: string) {
  const calls = new WeakMap<Request, Asked>()
  const serverOf = (request: Request | undefined) => {
    const asked = request && calls.get(request)
    if (!asked) throw new Error('A request without its call')
    return buildServer(asked)
  }
  const current = createMcpHandler(({ requestInfo }) => serverOf(requestInfo), {
    legacy: 'reject',
    maxSubscriptions: 0
  })

  async function answerOlder(request: Request, parsedBody: object) {
    const server = serverOf(request)
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
    await server.connect(transport)
    try {
      return await transport.handleRequest(request, { parsedBody })
    } finally {
      await server.close()
    }
  }

  return {
    async answer({ body, headers }: Message, call: Call) {
      const request = new Request(`${publicUrl}/mcp`, { method: 'POST', headers })
      calls.set(request, { call, ...readAsked(body) })
      if (await isLegacyRequest(request, body)) return await answerOlder(request, body)
      return await current.fetch(request, { parsedBody: body })
    },
    close: () => current.close()
  }
}

/** A request, with the parts of its message by which a server is built for it. */
interface Asked {
  call: Call
  method: string
  name: unknown
}

function readAsked(body: object) {
  const { method, params } = Object(body)
  return { method: String(method), name: Object(params).name }
}

const FIXED = { listChanged: false }

/**
 * A server with what the message is about, as far as the token may use it. What is called is there whatever the token, because the operation checks
 * the scope: a client then learns which one it lacks.
 */
function buildServer({ call, method, name: asked }: Asked) {
  const capabilities = { tools: FIXED, resources: FIXED, prompts: FIXED }
  const server = new McpServer(INFO, { capabilities, instructions: INSTRUCTIONS })
  const { scopes } = call.actor
  for (const tool of method.startsWith('tools/') ? TOOLS : []) {
    const isOffered = method === 'tools/call' ? tool.name === asked : tool.scopes.some(scope => scopes.has(scope))
    if (isOffered) server.registerTool(tool.name, tool.config, (input: unknown) => callTool(tool, call, input))
  }
  if (method.startsWith('resources/')) addResources(server, call, method === 'resources/read')
  if (method.startsWith('prompts/')) addPrompts(server, call.actor)
  return server
}

import {
  createMcpHandler,
  isLegacyRequest,
  McpServer,
  WebStandardStreamableHTTPServerTransport
} from '@modelcontextprotocol/server'
import packageJson from '../../package.json' with { type: 'json' }
import { NOTICE } from './quote.ts'
import type { Call } from './tool.ts'
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
  const calls = new WeakMap<Request, Call & { asked: string }>()
  const serverOf = (request: Request | undefined) => {
    const call = request && calls.get(request)
    if (!call) throw new Error('A request without its call')
    return buildServer(call)
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
      calls.set(request, { ...call, asked: askedTool(body) })
      if (await isLegacyRequest(request, body)) return await answerOlder(request, body)
      return await current.fetch(request, { parsedBody: body })
    },
    close: () => current.close()
  }
}

/** The name of the tool that a message calls. */
function askedTool(body: object) {
  const { method, params } = Object(body)
  return method === 'tools/call' ? String(Object(params).name) : ''
}

/** A server with the tools that the token lists. One that is called is there for every token, because its operation checks the scope. */
function buildServer(call: Call & { asked: string }) {
  const options = { capabilities: { tools: { listChanged: false } }, instructions: INSTRUCTIONS }
  const server = new McpServer(INFO, options)
  const { asked, actor } = call
  for (const { name, scopes, config, run } of TOOLS) {
    const isOffered = asked === '' ? scopes.some(scope => actor.scopes.has(scope)) : name === asked
    if (isOffered) server.registerTool(name, config, (input: unknown) => run(call, input))
  }
  return server
}

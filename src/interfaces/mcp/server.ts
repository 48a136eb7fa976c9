import {
  classifyInboundRequest,
  createMcpHandler,
  isJSONRPCRequest,
  isJsonContentType,
  isLegacyRequest,
  type JSONRPCMessage,
  type JSONRPCRequest,
  McpServer,
  type RequestId,
  type ServerContext,
  type ServerOptions,
  SUPPORTED_PROTOCOL_VERSIONS,
  type Transport,
  WebStandardStreamableHTTPServerTransport
} from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import packageJson from '../../../package.json' with { type: 'json' }
import { localDay } from '../../platform/text/calendar-day.ts'
import { NOTICE, quote } from './answer-text.ts'
import { askFor, consentOf } from './consent.ts'
import { addPrompts } from './prompts.ts'
import { addResources } from './resources.ts'
import { type Call, callTool, type Tool } from './tool.ts'
import { TOOLS } from './tools/tools.ts'

const INFO = { name: 'parlance', title: 'Parlance', version: packageJson.version }

const FIXED = { listChanged: false }

const OPTIONS = {
  capabilities: { tools: FIXED, resources: FIXED, prompts: FIXED, completions: {} },
  instructions: `Recorded conversations of the user: summaries, action items and transcripts. Find with search_sessions, then read around
the moment with get_transcript. Cite what you use with its link. ${NOTICE}`
} satisfies ServerOptions

/** A message of the protocol, and the headers that belong to it. */
interface Message {
  body: object
  headers: Record<string, string>
}

/** The response over HTTP. */
interface Answer {
  status: number
  headers: Record<string, string>
  text: string
}

/**
 * Answers messages of every version of the protocol, without memory of earlier ones, so that processes share nothing. Nothing is streamed: an answer
 * is complete when it begins, and its status is that of the operation. A call of a tool goes to a server that stays. Every other message, and a call
 * that is not as the protocol has it, gets a server of its own.
 */
export function openMcp(publicUrl: string) {
  const calls = new WeakMap<Request, Asked>()
  const serverOf = (request: Request | undefined) => {
    const asked = request && calls.get(request)
    if (!asked) throw new Error('A request without its call')
    return buildServer(asked)
  }
  const toolServers = { older: openToolServer(INFO, OPTIONS), current: openToolServer(INFO, OPTIONS) }
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

  async function answerAny({ body, headers }: Message, call: Call) {
    const request = new Request(`${publicUrl}/mcp`, { method: 'POST', headers })
    const about = readAsked(body)
    calls.set(request, { call, ...about, options: await optionsFor(call, about.method) })
    if (await isLegacyRequest(request, body)) return await answerOlder(request, body)
    return await current.fetch(request, { parsedBody: body })
  }

  return {
    async answer(message: Message, call: Call): Promise<Answer> {
      const right = readToolCall(message)
      if (right) {
        const answer = await toolServers[right.protocol].ask(right.request, call)
        return { status: 200, headers: { 'content-type': 'application/json' }, text: JSON.stringify(answer) }
      }
      if (call.limited) throw call.limited
      const response = await answerAny(message, call)
      const { status, headers } = response
      return { status, headers: Object.fromEntries(headers), text: await response.text() }
    },
    close: () => current.close()
  }
}

const CALL = 'tools/call'

/** Reads the call of a tool. Returns undefined for what the protocol refuses, because its library knows the answer. */
function readToolCall({ body, headers }: Message) {
  if (!isJSONRPCRequest(body) || body.method !== CALL || !isJsonContentType(headers['content-type'] ?? null)) return
  const name = body.params?.name
  if (!TOOLS.some(tool => tool.name === name)) return
  const { 'mcp-protocol-version': version, 'mcp-method': method, 'mcp-name': named } = headers
  const read = classifyInboundRequest({
    httpMethod: 'POST',
    body,
    ...(version !== undefined && { protocolVersionHeader: version }),
    ...(method !== undefined && { mcpMethodHeader: method })
  })
  if (read.kind === 'legacy' && isOlder(version)) return { protocol: 'older' as const, request: body }
  if (read.kind === 'modern' && version !== undefined && method === CALL && named === name)
    return { protocol: 'current' as const, request: body }
}

/** A client of an older version may leave it out. */
function isOlder(version: string | undefined) {
  return version === undefined || SUPPORTED_PROTOCOL_VERSIONS.includes(version)
}

/** A request, with the parts of its message by which a server is built for it. */
interface Asked {
  call: Call
  options: ServerOptions
  method: string
  name: unknown
}

function readAsked(body: object) {
  const { method, params } = Object(body)
  return { method: String(method), name: Object(params).name }
}

/** A client that introduces itself learns whose conversations these are, and the day and the time zone of the user. */
async function optionsFor(call: Call, method: string): Promise<ServerOptions> {
  if (method !== 'initialize' && method !== 'server/discover') return OPTIONS
  const { name, timeZone } = await call.user()
  const user = name ? `The user is ${quote(name)}. ` : ''
  const today = `Today is ${localDay(call.services.clock.now(), timeZone)} in the time zone ${timeZone} of the user`
  return { ...OPTIONS, instructions: `${OPTIONS.instructions}\n${user}${today}, whose days all tools mean.` }
}

/**
 * A server with what the message is about, as far as the token may use it. What is called is there whatever the token, because the operation checks
 * the scope: a client then learns which one it lacks.
 */
function buildServer({ call, options, method, name: asked }: Asked) {
  const server = new McpServer(INFO, options)
  const { scopes } = call.actor
  for (const tool of method.startsWith('tools/') ? TOOLS : []) {
    const isOffered = method === 'tools/call' ? tool.name === asked : tool.scopes.some(scope => scopes.has(scope))
    if (isOffered) registerTool(server, tool, () => call)
  }
  if (method.startsWith('resources/')) addResources(server, call, method === 'resources/read')
  if (method.startsWith('prompts/') || method === 'completion/complete') addPrompts(server, call)
  return server
}

function registerTool(server: McpServer, tool: Tool, callOf: (id: RequestId) => Call) {
  server.registerTool(tool.name, tool.config, async (input: unknown, { mcpReq }: ServerContext) => {
    const { question, result } = await callTool(tool, callOf(mcpReq.id), input, consentOf(mcpReq))
    return result ?? askFor(question)
  })
}

type About = ConstructorParameters<typeof McpServer>

interface Waiting {
  call: Call
  answer(message: JSONRPCMessage): void
}

/**
 * A server that stays connected, for the calls of all clients: building one for each would cost more than most operations. It has all tools
 * whatever the token, because the operation checks the scope. A call gets an id of its own here, because those of clients repeat.
 */
function openToolServer(...about: About) {
  const open = new Map<RequestId, Waiting>()
  let last = 0
  const transport: Transport = {
    start: async () => {},
    close: async () => {},
    async send(sent) {
      if (!('id' in sent) || sent.id === undefined) return
      open.get(sent.id)?.answer(sent)
      open.delete(sent.id)
    }
  }
  function callOf(id: RequestId) {
    const asked = open.get(id)
    if (!asked) throw new Error('A request without its call')
    return asked.call
  }
  // The first message decides which version of the protocol it serves.
  serveStdio(() => buildToolServer(about, callOf), { transport })

  return {
    async ask(request: JSONRPCRequest, call: Call): Promise<JSONRPCMessage> {
      const id = ++last
      const message = await new Promise<JSONRPCMessage>(answer => {
        open.set(id, { call, answer })
        transport.onmessage?.({ ...request, id })
      })
      return { ...message, id: request.id }
    }
  }
}

function buildToolServer(about: About, callOf: (id: RequestId) => Call) {
  const server = new McpServer(...about)
  for (const tool of TOOLS) registerTool(server, tool, callOf)
  return server
}

import {
  type JSONRPCMessage,
  type JSONRPCRequest,
  McpServer,
  type RequestId,
  type Transport
} from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { type Call, callTool } from './tool.ts'
import { TOOLS } from './tools/tools.ts'

type About = ConstructorParameters<typeof McpServer>

interface Asked {
  call: Call
  answer(message: JSONRPCMessage): void
}

/**
 * A server that stays connected, for the calls of all clients: building one for each would cost more than most operations. It has all tools
 * whatever the token, because the operation checks the scope. A call gets an id of its own here, because those of clients repeat.
 */
export function openToolServer(...about: About) {
  const open = new Map<RequestId, Asked>()
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
  serveStdio(() => buildServer(about, callOf), { transport })

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

function buildServer(about: About, callOf: (id: RequestId) => Call) {
  const server = new McpServer(...about)
  for (const tool of TOOLS)
    server.registerTool(tool.name, tool.config, (input: unknown, { mcpReq }) =>
      callTool(tool, callOf(mcpReq.id), input)
    )
  return server
}

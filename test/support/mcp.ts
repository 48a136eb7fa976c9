import { expect } from 'vitest'
import type { newUser } from './server.ts'

type Asking = Pick<Awaited<ReturnType<typeof newUser>>, 'ask'>

/** The versions of the protocol that tests speak. The last one has its version in each message, the others in a header. */
export const VERSIONS = ['2025-06-18', '2025-11-25', '2026-07-28'] as const
export type Version = (typeof VERSIONS)[number]

const CURRENT = '2026-07-28'

/** A message as a client of that version sends it, with its headers. */
export function messageOf(method: string, params: object = {}, version: Version = CURRENT) {
  const named = Object(params)
  const name: unknown = named.name ?? named.uri
  const meta = {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': {}
  }
  const isCurrent = version === CURRENT
  return {
    body: { jsonrpc: '2.0', id: 1, method, params: isCurrent ? { ...params, _meta: meta } : params },
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': version,
      ...(isCurrent && { 'mcp-method': method, ...(typeof name === 'string' && { 'mcp-name': name }) })
    }
  }
}

/** Sends one message and returns the whole answer. */
export async function sendMessage(user: Asking, method: string, params: object = {}, version: Version = CURRENT) {
  return await user.ask('POST', '/mcp', messageOf(method, params, version))
}

/** Sends one message and returns its result. */
export async function ask(user: Asking, method: string, params: object = {}, version: Version = CURRENT) {
  const { status, body } = await sendMessage(user, method, params, version)
  expect({ status, error: body.error }).toEqual({ status: 200, error: undefined })
  return body.result
}

/** Calls a tool. Returns its text, what it has as an object, and whether it is an error. */
export async function callTool(user: Asking, name: string, args: object = {}, version: Version = CURRENT) {
  const {
    content,
    structuredContent: object,
    isError = false
  } = await ask(user, 'tools/call', { name, arguments: args }, version)
  return { text: content.map(({ text }: { text: string }) => text).join('\n') as string, object, isError }
}

/** The names of the tools that the token lists. */
export async function listTools(user: Asking, version: Version = CURRENT): Promise<string[]> {
  const { tools } = await ask(user, 'tools/list', {}, version)
  return tools.map(({ name }: { name: string }) => name)
}

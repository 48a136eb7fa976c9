import { createInterface } from 'node:readline'
import { type Command, Option } from 'commander'
import { z } from 'zod'
import { readConfig } from '../platform/config/config.ts'
import { httpUrl } from '../platform/config/settings.ts'
import { parseJson } from '../platform/text/parse-json.ts'
import { publicUrlOf } from '../server/compose.ts'
import { optionOf } from './options.ts'
import { UsedWrongly } from './output.ts'

interface McpOptions {
  url?: string
  token?: string
}

export function addMcp(program: Command) {
  program
    .command('mcp')
    .description('serve an assistant over standard input and output, through the server at --url')
    .option(
      '--url <url>',
      'URL of the server (default: PUBLIC_URL, or the configured port of this machine)',
      optionOf(httpUrl)
    )
    .addOption(new Option('--token <token>', 'token whose scopes the assistant has').env('PARLANCE_TOKEN'))
    .action(serveAssistant)
}

/** The parts of a message that its headers repeat. */
const Message = z.object({
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string().optional(),
  params: z
    .object({
      name: z.string().optional(),
      uri: z.string().optional(),
      _meta: z.looseObject({ 'io.modelcontextprotocol/protocolVersion': z.string().optional() }).optional()
    })
    .optional()
})
type Message = z.infer<typeof Message>

const Initialized = z.object({ result: z.object({ protocolVersion: z.string() }) })
const Refusal = z.object({ error: z.object({ message: z.string() }) })

/** Sends each line of standard input to the server, and prints its answer. All that an assistant can do is decided there. */
async function serveAssistant({ url, token }: McpOptions) {
  if (!token) throw new UsedWrongly('Name the token with --token, or in the environment as PARLANCE_TOKEN')
  const address = `${url ?? publicUrlOf(readConfig())}/mcp`
  let version: string | undefined
  const open = new Set<Promise<void>>()
  for await (const line of createInterface({ input: process.stdin })) {
    if (line.trim() === '') continue
    const message = readMessage(line)
    const answered = forward(line, message).then(answer => {
      if (answer === undefined) return
      if (message.method === 'initialize')
        version = Initialized.safeParse(parseJson(answer)).data?.result.protocolVersion
      process.stdout.write(`${answer}\n`)
    })
    open.add(answered)
    void answered.finally(() => open.delete(answered))
    // The version that later messages name is in this answer.
    if (message.method === 'initialize') await answered
  }
  await Promise.all(open)

  async function forward(body: string, message: Message) {
    const headers = { authorization: `Bearer ${token}`, ...headersOf(message, version) }
    const answer = await send(address, headers, body)
    if ('text' in answer) return answer.text
    return message.id === undefined ? undefined : errorOf(message.id, answer.problem)
  }
}

function readMessage(line: string): Message {
  return Message.safeParse(parseJson(line)).data ?? {}
}

/** An error of the protocol, for a message that the server did not answer as one. */
function errorOf(id: string | number, message: string) {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32_000, message } })
}

async function send(address: string, headers: Record<string, string>, body: string) {
  try {
    const response = await fetch(address, { method: 'POST', headers, body })
    const text = await response.text()
    if (response.status === 202) return { text: undefined }
    const refusal = Refusal.safeParse(parseJson(text)).data
    if (!text.includes('"jsonrpc"'))
      return { problem: refusal?.error.message ?? `${address} answered ${response.status}` }
    return { text }
  } catch (error) {
    return {
      problem: `The server at ${address} does not answer (${String(Object(Object(error).cause).code ?? error)})`
    }
  }
}

/** The headers of a message, which name the version: that of the message itself, or the one that the server chose at the start. */
function headersOf({ method, params }: Message, chosen: string | undefined) {
  const own = params?._meta?.['io.modelcontextprotocol/protocolVersion']
  const version = own ?? chosen
  const name = params?.name ?? params?.uri
  return {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...(version !== undefined && { 'mcp-protocol-version': version }),
    ...(own !== undefined && method !== undefined && { 'mcp-method': method }),
    ...(own !== undefined && name !== undefined && { 'mcp-name': toHeader(name) })
  }
}

/** The protocol's own way to put a name that no header may have into one. */
function toHeader(name: string) {
  return /^[!-~]+(?: [!-~]+)*$/.test(name) ? name : `=?base64?${Buffer.from(name).toString('base64')}?=`
}

// @module-tag embedded
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { LIMITS } from '../../src/contract/limits.ts'
import { UNLIMITED } from '../faults/load.ts'
import { CONTAINER_BYTES, CONTAINER_HEAP } from '../support/container.ts'
import { messageOf } from '../support/mcp.ts'
import { migratedDatabase, newOwner, type Running, serve, until } from '../support/process.ts'

const MEBIBYTE = 1024 * 1024
/** The bodies take about 100 ms each on an idle machine. On a busy one the same work takes several times as long, and other work of the server falls into it. */
const MAX_CPU_MS = 500
const room = LIMITS.patchBytes - 200
const tiny = (bytes: number, value: string) =>
  `{"query":"x","z":[${value},${`${value},`.repeat(bytes / (value.length + 1) - 20)}${value}]}`
const long = (bytes: number, piece: string) => `{"notes":"${piece.repeat(bytes / Buffer.byteLength(piece) - 1)}"}`

test.runIf(existsSync('/proc/self/clear_refs'))(
  'no body, accepted or refused, holds the server for long or takes much memory',
  { timeout: 300_000 },
  async () => {
    const place = await migratedDatabase()
    const { token } = await newOwner(place)
    const server = await serve({ environment: { ...place.environment, ...UNLIMITED, ...CONTAINER_HEAP } })
    const post = async (method: string, path: string, body: string) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      return await fetch(`${server.url}${path}`, { method, headers, body })
    }
    const change = async (body: string) => (await post('PATCH', '/v1/sessions/ses_none', body)).status
    const search = async (body: string) => (await post('POST', '/v1/sessions/search', body)).status
    // What the program compiles and keeps for good at its first large body is no cost of the body.
    await change(long(room, 'a'))
    // Nor is the embedding model, which is loaded while the first searches go by words.
    await until('the model is loaded', async () => {
      const { status, headers } = await post('POST', '/v1/sessions/search', '{"query":"x"}')
      return status === 200 && !headers.has('x-search-mode')
    })

    const bodies: [string, number, () => Promise<number>][] = [
      ['a search with too many values', 413, () => search(tiny(LIMITS.searchBytes, '{}'))],
      ['a search over its limit', 413, () => search(tiny(4 * MEBIBYTE, '{}'))],
      ['objects', 413, () => change(tiny(room, '{}'))],
      ['lists', 413, () => change(tiny(room, '[]'))],
      ['numbers', 413, () => change(tiny(room, '1'))],
      ['as many values as are allowed', 400, () => change(`{"z":[${'{},'.repeat(LIMITS.bodyValues - 10)}{}]}`)],
      [
        'as many items as are allowed values',
        400,
        () => change(`{"action_items":[${'{},'.repeat(LIMITS.bodyValues - 10)}{}]}`)
      ],
      ['nested lists', 413, () => change('['.repeat(room))],
      ['keys', 413, () => change(`{${'"":1,'.repeat(room / 5 - 1)}"":1}`)],
      ['escapes', 400, () => change(long(room, '\\u0041'))],
      ['escaped backslashes', 400, () => change(long(room, '\\\\'))],
      ['half pairs', 400, () => change(long(room, '\\ud800'))],
      ['pairs', 400, () => change(long(room, '\\ud83d\\ude00'))],
      ['Chinese', 400, () => change(long(room, '中'))],
      ['line breaks', 400, () => change('\n'.repeat(room))],
      ['a number of millions of digits', 404, () => change(`{"title":"x","z":${'9'.repeat(room - 20)}}`)],
      ['a key of megabytes', 400, () => change(`{"${'a'.repeat(room - 20)}\\u0000":1}`)]
    ]
    await checkCosts(server, bodies)
  }
)

const mcpRoom = LIMITS.agents.requestBytes - 200
const formRoom = LIMITS.bodyBytes - 10
const messageWith = (more: string) => `{"jsonrpc":"2.0","id":1,"method":"tools/call",${more}}`
const callWith = (args: string) => messageWith(`"params":{"name":"search_sessions","arguments":${args}}`)
const META = JSON.stringify(Object(messageOf('ping').body.params)._meta)

test.runIf(existsSync('/proc/self/clear_refs'))(
  'no message of an assistant and no request of an OAuth client holds the server for long or takes much memory',
  { timeout: 300_000 },
  async () => {
    const place = await migratedDatabase()
    const { token } = await newOwner(place)
    const settings = { ...UNLIMITED, ...CONTAINER_HEAP, TRUST_PROXY: '127.0.0.1' }
    const server = await serve({ environment: { ...place.environment, ...settings } })
    let number = 0
    const send =
      (path: string, type: string, more: Record<string, string> = {}) =>
      async (body: string) => {
        // Each request has an address of its own, because limits count by it.
        const address = { 'x-forwarded-for': `10.0.0.${++number % 250}` }
        const authorization = path === '/mcp' && { authorization: `Bearer ${token}` }
        const headers = { ...authorization, ...address, 'content-type': type, ...more }
        return (await fetch(`${server.url}${path}`, { method: 'POST', headers, body })).status
      }
    const { headers: older } = messageOf('tools/call', {}, '2025-11-25')
    const call = send('/mcp', 'application/json', older)
    const current = send('/mcp', 'application/json', messageOf('tools/call', { name: 'list_folders' }).headers)
    const register = send('/oauth/register', 'application/json')
    const form = (path: string) => send(path, 'application/x-www-form-urlencoded')
    const [exchange, revoke] = [form('/oauth/token'), form('/oauth/revoke')]
    // The library of the protocol is loaded with the first message.
    await call(callWith('{}'))
    await current(messageWith(`"params":{"name":"list_folders","arguments":{},"_meta":${META}}`))
    await register('{}')

    const listed = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
    const bodies: [string, number, () => Promise<number>][] = [
      ['a list of messages', 400, () => call(`[${`${listed},`.repeat(2_000)}${listed}]`)],
      ['a message over its limit', 413, () => call(callWith(`{"query":"${'x'.repeat(mcpRoom + 400)}"}`))],
      [
        'a method as long as the message',
        200,
        () => call(`{"jsonrpc":"2.0","id":1,"method":"${'x'.repeat(mcpRoom)}"}`)
      ],
      ['a tool with a long name', 200, () => call(messageWith(`"params":{"name":"${'x'.repeat(mcpRoom)}"}`))],
      [
        'an id as long as the message',
        200,
        () => call(`{"jsonrpc":"2.0","method":"tools/list","id":"${'x'.repeat(mcpRoom)}"}`)
      ],
      ['a long query', 200, () => call(callWith(`{"query":"${'x'.repeat(mcpRoom)}"}`))],
      ['a query of many words', 200, () => call(callWith(`{"query":"${'x '.repeat(mcpRoom / 2)}"}`))],
      ['a query of escapes', 200, () => call(callWith(`{"query":"${'\\u0041'.repeat(mcpRoom / 6)}"}`))],
      ['an argument with a long name', 200, () => call(callWith(`{"${'x'.repeat(mcpRoom)}":1}`))],
      [
        'as many arguments as are allowed',
        200,
        () => call(callWith(`{${many(LIMITS.bodyValues - 20, n => `"${n}":1`)}}`))
      ],
      ['too many arguments', 413, () => call(callWith(`{${many(LIMITS.bodyValues + 1, n => `"${n}":1`)}}`))],
      ['nested arguments', 413, () => call(callWith(nested(mcpRoom / 2)))],
      ['arguments as deep as is allowed', 200, () => call(callWith(`{"query":${nested(90)}}`))],
      ['many tags', 200, () => call(callWith(`{"query":"x","tags":[${many(9_000, n => `"t${n}"`)}]}`))],
      [
        'a current message with nested metadata',
        400,
        () => current(messageWith(`"params":{"_meta":{"x":${nested(90)}}}`))
      ],
      [
        'a current message with much metadata',
        200,
        () =>
          current(
            messageWith(
              `"params":{"name":"list_folders","arguments":{},"_meta":${META.slice(0, -1)},${many(9_000, n => `"k${n}":1`)}}}`
            )
          )
      ],
      [
        'a first message with a long name of the client',
        200,
        () =>
          call(
            `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"${'x'.repeat(mcpRoom)}","version":"1"}}}`
          )
      ],
      [
        'a first message with a long version',
        200,
        () =>
          call(
            `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"${'x'.repeat(mcpRoom)}","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`
          )
      ],
      [
        'a resource with a long address',
        200,
        () =>
          call(
            `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"session://${'%41'.repeat(mcpRoom / 3)}"}}`
          )
      ],
      [
        'a prompt about a long name',
        200,
        () =>
          call(
            `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"prepare_meeting","arguments":{"person":"${'x'.repeat(mcpRoom)}"}}}`
          )
      ],
      ['a client with many addresses', 400, () => register(`{"redirect_uris":[${many(5_000, () => '"a://b"')}]}`)],
      [
        'a client with a long address',
        400,
        () => register(`{"redirect_uris":["https://x/${'%41'.repeat(formRoom / 3 - 20)}"]}`)
      ],
      [
        'a client with a name of marks',
        201,
        () => register(`{"redirect_uris":["a://b"],"client_name":"${'\\u202e'.repeat(formRoom / 6 - 20)}"}`)
      ],
      ['a client with nested metadata', 413, () => register(`{"redirect_uris":${nested(formRoom / 2 - 20)}}`)],
      ['a form of many names', 400, () => exchange(many(formRoom / 7, n => `${n}=a`, '&'))],
      ['a form of one name', 400, () => exchange('a=b&'.repeat(formRoom / 4))],
      ['a form of escapes', 401, () => exchange(`client_id=${'%41'.repeat(formRoom / 3 - 20)}`)],
      ['a form of broken escapes', 400, () => exchange('%'.repeat(formRoom))],
      ['a form without a value', 400, () => exchange('&'.repeat(formRoom))],
      [
        'a long code',
        401,
        () => exchange(`grant_type=authorization_code&client_id=x&code=${'x'.repeat(formRoom - 100)}`)
      ],
      [
        'many scopes',
        401,
        () => exchange(`grant_type=refresh_token&client_id=x&refresh_token=x&scope=${'a+'.repeat(formRoom / 2 - 100)}`)
      ],
      ['a long token to revoke', 401, () => revoke(`client_id=x&token=prr_${'x'.repeat(formRoom - 100)}`)],
      ['a form over its limit', 413, () => revoke('x'.repeat(LIMITS.bodyBytes + 1))]
    ]
    await checkCosts(server, bodies)
  }
)

/** Joins as many parts as told. */
function many(count: number, part: (n: number) => string, separator = ',') {
  return Array.from({ length: Math.floor(count) }, (_, n) => part(n)).join(separator)
}

function nested(depth: number) {
  return `${'['.repeat(depth)}${']'.repeat(depth)}`
}

/** Sends each body, and compares its status and its cost. */
async function checkCosts(server: Running, bodies: [string, number, () => Promise<number>][]) {
  for (const [name, status, send] of bodies) {
    const times: number[] = []
    for (let sent = 0; sent < 3; sent++) {
      const before = costOf(server)
      const answered = await send()
      const after = costOf(server)
      times.push(after.cpuMs - before.cpuMs)
      expect({ name, answered }).toEqual({ name, answered: status })
      expect({ name, bytes: after.peak - before.resident }).toEqual({
        name,
        bytes: expect.toSatisfy(bytes => bytes < 50 * MEBIBYTE)
      })
      expect(after.peak).toBeLessThan(CONTAINER_BYTES)
    }
    // The least of three is what the body costs.
    expect({ name, cpuMs: Math.min(...times) }).toEqual({ name, cpuMs: expect.toSatisfy(ms => ms < MAX_CPU_MS) })
  }
}

/** What the process has used up to now, and its greatest size since this was last asked. */
function costOf({ pid }: Running) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const kib = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1])
  const [user = 0, system = 0] = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .split(') ')[1]!
    .split(' ')
    .slice(11, 13)
    .map(Number)
  writeFileSync(`/proc/${pid}/clear_refs`, '5')
  return { cpuMs: (user + system) * 10, peak: kib('VmHWM') * 1024, resident: kib('VmRSS') * 1024 }
}

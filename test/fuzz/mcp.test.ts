import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LIMITS } from '../../src/contract/limits.ts'
import { ask, messageOf, VERSIONS } from '../support/mcp.ts'
import { SEED } from '../support/seed.ts'
import { newUserOf, testServer } from '../support/server.ts'
import { INNARDS, LIBRARY_WORDS } from './checks.ts'
import type { Schema } from './document.ts'
import { fillPlaces } from './requests.ts'
import { MCP_CASES } from './run.ts'
import { sendWithin } from './send.ts'
import { hostileText, type Known, valuesOf } from './values.ts'
import { furnished, idsIn } from './world.ts'

interface Tool {
  name: string
  inputSchema: Schema
}

interface Message {
  tool?: string
  method: string
  params: unknown
}

/** A message as it is sent, with places of ids that are known by then. */
interface Case {
  /** The tool that it calls, if it does so rightly or nearly. */
  tool?: string
  payload: string
  headers: Record<string, string>
}

/** A place of an id that exists: the n-th of its kind. */
const places = (kind: string) => fc.nat({ max: 40 }).map(n => `\u2983${kind}${n}\u2984`)

/** After so many, another user begins anew. */
const EACH_USER = 50
/** The calls that a tool gets beyond its share until it answers one well. */
const MORE_EACH = 300
const SHOWN = 10

/** What an argument takes that made-up values would hardly hit upon. That of `id` depends on the tool. */
function knownOf(tool: string): Known {
  const ids: Record<string, fc.Arbitrary<string>> = {
    complete_action_item: places('ai'),
    update_action_item: places('ai'),
    create_action_item: places('ses'),
    fetch: fc.oneof(
      places('ses'),
      places('ses').map(id => `${id}#1`)
    )
  }
  return {
    ids: places(''),
    named: {
      id: ids[tool] ?? places('ses'),
      session_id: places('ses'),
      folder_id: places('fld'),
      folder: places('fld'),
      person: fc.oneof(places('per'), fc.constant('me')),
      ids: fc.array(places('ses'), { minLength: 1, maxLength: 3 }),
      // The first version of a transcript and of action items. The other tools need none.
      if_version: fc.constantFrom(1, '"1"'),
      segments: fc.record({ index: fc.constantFrom(0, '0'), text: fc.constant('Hello.') }).map(line => [line])
    }
  }
}

function callsOf({ name, inputSchema }: Tool): fc.Arbitrary<Message> {
  const resolve = (schema: Schema) => schema
  return valuesOf(inputSchema, resolve, knownOf(name)).map(args => ({
    tool: name,
    method: 'tools/call',
    params: { name, arguments: args }
  }))
}

const wrong = fc.constantFrom<unknown[]>(null, true, 0, -1, 1.5, 2 ** 53, '', [], {}, [[]], 'x'.repeat(3_000))

/** Requests of the protocol other than calls, with what they name or with anything. */
const others: fc.Arbitrary<Message> = fc.oneof(
  fc.record({
    method: fc.constantFrom('tools/list', 'resources/list', 'resources/templates/list', 'prompts/list', 'ping'),
    params: fc.oneof(fc.constant({}), fc.record({ cursor: hostileText }))
  }),
  fc.record({
    method: fc.constant('resources/read'),
    params: fc.record({
      uri: fc.oneof(
        places('ses').map(id => `session://${id}`),
        places('ses').map(id => `transcript://${id}`),
        hostileText
      )
    })
  }),
  fc.record({
    method: fc.constant('prompts/get'),
    params: fc.record({
      name: fc.oneof(fc.constantFrom('prepare_meeting', 'find_decision', 'review_week'), hostileText),
      arguments: fc.oneof(fc.record({ person: hostileText }), fc.record({ topic: hostileText }), wrong.map(Object))
    })
  }),
  fc.record({
    method: fc.constant('completion/complete'),
    params: fc.record({
      ref: fc.oneof(
        fc.record({
          type: fc.constant('ref/prompt'),
          name: fc.oneof(fc.constantFrom('prepare_meeting', 'find_decision'), hostileText)
        }),
        wrong
      ),
      argument: fc.oneof(fc.record({ name: fc.constantFrom('person', 'topic'), value: hostileText }), wrong)
    })
  }),
  fc.record({
    method: fc.constant('initialize'),
    params: fc.record({
      protocolVersion: fc.oneof(fc.constantFrom<string>(...VERSIONS), hostileText, wrong),
      capabilities: fc.oneof(fc.constant({}), wrong),
      clientInfo: fc.oneof(fc.constant({ name: 'x', version: '1' }), wrong)
    })
  }),
  fc.record({
    method: fc.oneof(
      fc.constantFrom(
        'server/discover',
        'subscriptions/listen',
        'notifications/cancelled',
        'notifications/initialized',
        'completion/complete',
        'logging/setLevel',
        'tasks/get',
        '__proto__'
      ),
      hostileText
    ),
    params: fc.oneof(fc.constant({}), wrong, fc.record({ requestId: fc.constantFrom(0, 1, '1') }))
  }),
  fc.record({
    method: fc.constant('tools/call'),
    params: fc.oneof(wrong, fc.record({ name: fc.oneof(hostileText, wrong), arguments: wrong }))
  })
)

const versions = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom<string>(...VERSIONS) },
  { weight: 1, arbitrary: fc.oneof(hostileText, fc.constantFrom('2024-11-05', '2099-01-01', '1')) }
)

/** What is not as the protocol has it, of a message or the headers of one. */
const spoiled = fc.oneof(
  fc.record({ id: fc.oneof(wrong, hostileText) }),
  fc.record({ jsonrpc: fc.oneof(wrong, hostileText) }),
  fc.record({ method: fc.oneof(wrong, hostileText) }),
  fc.record({ params: wrong }),
  fc.record({ result: wrong }),
  fc.record({ _meta: wrong })
)

const headerValue = hostileText.map(text => text.replace(/[^\x20-\x7e\x80-\xff]/g, '?'))
const spoiledHeaders = fc.dictionary(
  fc.constantFrom(
    'accept',
    'content-type',
    'mcp-protocol-version',
    'mcp-method',
    'mcp-name',
    'mcp-session-id',
    'origin'
  ),
  fc.oneof(headerValue, fc.constantFrom('text/plain', 'application/json; charset=utf-16', 'application/jsonl', '*/*')),
  { minKeys: 1, maxKeys: 2 }
)

const nested = (depth: number) =>
  `{"jsonrpc":"2.0","id":1,"method":"ping","params":${'['.repeat(depth)}${']'.repeat(depth)}}`

/** Bodies that are no single message. */
const shapes = (text: string) =>
  fc.constantFrom(
    `[${text},${text}]`,
    `[${text}]`,
    '[]',
    text.slice(0, -2),
    `${text}${text}`,
    JSON.stringify(text),
    nested(100),
    nested(20_000),
    ''
  )

function casesOf(tools: Tool[]): fc.Arbitrary<Case> {
  const calls = fc.oneof(...tools.map(callsOf))
  const messages = fc.oneof({ weight: 4, arbitrary: calls }, { weight: 2, arbitrary: others })
  const chance = fc.nat({ max: 19 })
  return fc
    .tuple(messages, versions, chance, spoiled, spoiledHeaders)
    .map(([{ tool, method, params }, version, luck, spoil, headers]) => {
      const sent = messageOf(method, Object(params), version as (typeof VERSIONS)[number])
      const body = { ...sent.body, ...(params !== Object(params) && { params }), ...(luck === 0 && spoil) }
      const text = JSON.stringify(body)
      return {
        ...(tool !== undefined && { tool }),
        payload: text,
        headers: { ...readable(sent.headers), ...(luck === 1 && headers) },
        luck
      }
    })
    .chain(({ luck, ...one }) =>
      luck === 2 ? shapes(one.payload).map(payload => ({ ...one, payload })) : fc.constant(one)
    )
}

/** Headers can't carry everything; the rest is as a client could send it. */
function readable(headers: Record<string, unknown>) {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, String(value).replace(/[^\x20-\x7e\x80-\xff]/g, '?')])
  )
}

/** What is wrong with an answer; an empty list if nothing is. */
function faultsOf({ payload }: Case, status: number, text: string): string[] {
  if (status >= 500) return [`answers with ${status}`]
  if (INNARDS.test(text)) return ['tells of the inside']
  if (text === '') return status === 202 ? [] : [`${status} has no body`]
  const answer = JSON.parse(text)
  if (answer.jsonrpc === undefined) return status >= 400 ? [] : ['is no answer of the protocol']
  const sent = parsed(payload)
  if ('result' in answer && answer.id !== sent.id) return [`answers ${JSON.stringify(answer.id)}`]
  const shown: string[] = (answer.result?.content ?? []).map(({ text: one }: { text: string }) => one)
  const faults = shown.filter(one => one.length > LIMITS.agents.answer).map(one => `has ${one.length} characters`)
  if (answer.result?.isError && LIBRARY_WORDS.test(text)) faults.push('its error is in the words of a library')
  return faults
}

function parsed(text: string) {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}

test(`whatever is sent to the MCP server, its answer is one of the protocol, and small (seed ${SEED})`, {
  timeout: 900_000
}, async () => {
  const served = await testServer()
  const openUser = async () => {
    const [user, stranger] = [await newUserOf(served), await newUserOf(served)]
    const known = [...(await furnished(served, user, stranger)), ...(await furnished(served, stranger, user))]
    const items = (await user.get('/v1/action-items')).body
    return { user, known: [...known, ...idsIn(items), ...idsIn((await user.get('/v1/sessions')).body)] }
  }
  let now = await openUser()
  // A tool that is added later is in this list, so that no test has to name it.
  const { tools }: { tools: Tool[] } = await ask(now.user, 'tools/list')
  const answered = new Set<string>()
  const failures: string[] = []
  let number = 0

  async function send(one: Case) {
    if (++number % EACH_USER === 0) now = await openUser()
    const { payload, headers } = fillPlaces({ payload: one.payload, headers: one.headers }, now.known)
    const reply = await sendWithin(served.app, {
      method: 'POST',
      url: '/mcp',
      headers: { ...headers, authorization: `Bearer ${now.user.token}` },
      ...(payload !== '' && { payload })
    })
    const text = reply.body
    const faults = faultsOf({ payload, headers }, reply.statusCode, text)
    if (
      one.tool !== undefined &&
      reply.statusCode === 200 &&
      text.includes('"result"') &&
      !text.includes('"isError":true')
    )
      answered.add(one.tool)
    if (faults.length > 0)
      failures.push(
        `case ${number}: ${payload.slice(0, 1_000)} ${JSON.stringify(headers)}\n  ${faults.join('\n  ')}\n  ${text.slice(0, 300)}`
      )
  }

  for (const one of fc.sample(casesOf(tools), { seed: SEED, numRuns: MCP_CASES })) await send(one)
  for (const tool of tools) {
    for (const one of fc.sample(casesOf([tool]), { seed: SEED, numRuns: MORE_EACH })) {
      if (answered.has(tool.name)) break
      await send(one)
    }
  }

  expect(failures.slice(0, SHOWN).join('\n\n')).toBe('')
  // Only refusals would prove little.
  expect(tools.map(({ name }) => name).filter(name => !answered.has(name))).toEqual([])
})

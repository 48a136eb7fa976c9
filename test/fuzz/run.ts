import fc from 'fast-check'
import { expect } from 'vitest'
import { SEED } from '../support/seed.ts'
import { checksOf } from './checks.ts'
import { type Document, type Operation, operationsOf, resolverOf } from './document.ts'
import { type Case, casesOf } from './requests.ts'
import type { Sent, World } from './world.ts'

const DEFAULT_CASES = 1_500
/** FUZZ_CASES asks for more. */
const CASES = Number(process.env.FUZZ_CASES ?? DEFAULT_CASES)
/** Of all, how many each API gets. The admin API has fewer routes, and those of a part of the parameters. */
export const PUBLIC_CASES = Math.ceil(CASES * 0.75)
export const ADMIN_CASES = Math.ceil(CASES * 0.25)
/** Requests below `/actions`, whose answers are cut into pages. */
export const ACTIONS_CASES = Math.ceil(CASES * 0.2)
/** Messages to the tools of assistants, and requests to the endpoints of OAuth. */
export const MCP_CASES = Math.ceil(CASES * 0.4)
export const OAUTH_CASES = Math.ceil(CASES * 0.3)
export const DEFAULT_PUMP_CASES = 15
/** The number of generated pumped texts for each function. PUMP_CASES=50 takes minutes. */
export const PUMP_CASES = Number(process.env.PUMP_CASES ?? DEFAULT_PUMP_CASES)
/** After so many, another user begins anew. */
const EACH_WORLD = 50
/** The cases that a route gets beyond its share until it answers one well. By chance nearly every route does. */
const MORE_EACH = 200
const SHOWN = 10

export interface Fuzzed {
  document: Document
  cases: number
  /** How many routes may have been asked well by no case. */
  mostRefused: number
  openWorld(): Promise<World>
  /** Whether what this deletes is meant to be there afterwards. */
  stays(sent: Sent): boolean
}

/** Sends so many made-up requests, and fails with those that are not answered as the document describes. */
export async function fuzz({ document, cases, mostRefused, openWorld, stays }: Fuzzed) {
  const operations = operationsOf(document)
  const faultsOf = checksOf(document)
  const answered = new Map<string, Set<number>>(operations.map(({ name }) => [name, new Set()]))
  const failures: string[] = []

  const draw = (some: Operation[], numRuns: number) =>
    fc.sample(casesOf(some, resolverOf(document)), { seed: SEED, numRuns })
  /** The routes that have answered no case well so far. */
  const unanswered = () =>
    operations.filter(({ name }) => ![...(answered.get(name) ?? [])].some(status => status < 300))

  let number = 0
  let world = await openWorld()
  async function ask(one: Case) {
    if (number++ % EACH_WORLD === 0) world = await openWorld()
    const sent = world.filled(one)
    const answer = await world.send(sent)
    answered.get(sent.operation.name)?.add(answer.status)
    const faults = faultsOf(sent, answer)
    for (const after of [
      ...madeBy(sent, answer.status, answer.text, operations),
      ...(stays(sent) ? [] : goneBy(sent, answer.status, operations))
    ]) {
      const { status } = await world.send(after.sent)
      if (!after.right(status))
        faults.push(`afterwards ${after.sent.operation.method} ${after.sent.url} answers with ${status}`)
    }
    if (faults.length > 0)
      failures.push(`case ${number}: ${described(sent)}\n  ${faults.join('\n  ')}\n  ${answer.text.slice(0, 300)}`)
  }

  for (const one of draw(operations, cases)) await ask(one)
  for (const operation of unanswered()) {
    for (const one of draw([operation], MORE_EACH)) {
      if (!unanswered().includes(operation)) break
      await ask(one)
    }
  }

  expect(failures.slice(0, SHOWN).join('\n\n')).toBe('')
  // Only refusals would prove little. Which of the routes that ask for much are never asked well is chance.
  const refused = unanswered().map(({ name }) => name)
  expect(refused.slice(mostRefused)).toEqual([])
}

interface After {
  sent: Sent
  right(status: number): boolean
}

function asked(operation: Operation, url: string): Sent {
  return { operation, url, query: [], headers: {}, body: undefined, file: undefined, impostor: 0 }
}

/** What was made is there: the request that reads it. */
function madeBy({ operation, url }: Sent, status: number, text: string, operations: Operation[]): After[] {
  if (operation.method !== 'POST' || status !== 201) return []
  const reads = operations.filter(
    ({ method, path }) => method === 'GET' && path.replace(/\/\{\w+\}$/, '') === operation.path && path.endsWith('}')
  )
  const { id } = JSON.parse(text)
  return reads.map(read => ({ sent: asked(read, `${url.split('?')[0]}/${id}`), right: answer => answer === 200 }))
}

/** What was deleted is gone: the requests that would use it. */
function goneBy({ operation, url }: Sent, status: number, operations: Operation[]): After[] {
  const { method, path } = operation
  if (method !== 'DELETE' || status >= 300 || !path.endsWith('}')) return []
  // Making the same thing again is another matter.
  const uses = operations.filter(other =>
    other.path === path ? other.method !== 'POST' : other.path.startsWith(`${path}/`)
  )
  return uses.map(use => {
    const rest = use.path.slice(path.length).replace(/\{\w+\}/g, 'x')
    return { sent: asked(use, url.split('?')[0] + rest), right: answer => answer >= 400 && answer < 500 }
  })
}

function described({ operation, url, headers, body, file }: Sent) {
  return `${operation.method} ${url.slice(0, 500)} ${JSON.stringify({ headers, body, file })?.slice(0, 1_000)}`
}

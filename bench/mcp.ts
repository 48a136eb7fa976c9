import { cheapest, costOf, latencyOf } from './compare.ts'
import { bodyOf, type Shot } from './load.ts'
import { measure, type Plan, type Round, type Target } from './measure.ts'
import { type Bound, type Figure, type Outcome, ratioFigure } from './result.ts'
import { queryOf } from './search-latency.ts'
import { seedDatabase } from './seed.ts'
import type { Ask } from './seed-sessions.ts'
import { readAsks } from './seed-tokens.ts'
import { startProduct } from './server.ts'
import { rounded } from './table.ts'

/** The version of the protocol that most clients speak, and the current one. */
const VERSIONS = ['2025-11-25', '2026-07-28'] as const
type Version = (typeof VERSIONS)[number]

const BOUND: Bound = { atMost: 1.5 }

interface Compared {
  asks: 'readers' | 'pollers' | 'searchers'
  /** Arguments of the tool. They are made anew for each call if they have to differ. */
  args: (ask: Ask) => () => object
  /** The request to `/v1` that runs the same operation. */
  same: (ask: Ask) => Omit<Shot, 'headers'>
  connections?: number
  /** How many times longer its rounds are, because fewer calls fit into one. */
  longer?: number
}

const COMPARED: Record<string, Compared> = {
  get_session: {
    asks: 'readers',
    args: ({ sessionId: id }) => always({ id }),
    same: ({ sessionId }) => ({ path: `/v1/sessions/${sessionId}` })
  },
  list_sessions: { asks: 'readers', args: () => always({}), same: () => ({ path: '/v1/sessions' }) },
  get_transcript: {
    asks: 'pollers',
    args: ({ sessionId: id }) => always({ id }),
    same: ({ sessionId }) => ({ path: `/v1/sessions/${sessionId}/transcript` })
  },
  search_sessions: {
    asks: 'searchers',
    args: () => nextQuery,
    same: () => ({
      method: 'POST',
      path: '/v1/sessions/search',
      body: () => JSON.stringify({ ...nextQuery(), include_passages: true })
    }),
    // More at once would wait for the embedding model, and then be answered without it.
    connections: 2,
    longer: 2
  }
}

function always(args: object) {
  return () => args
}

let queries = 0
/** No query repeats, because its embedding would be cached. */
function nextQuery() {
  return { query: queryOf(queries++) }
}

interface McpOptions extends Plan {
  reseed: boolean
  /** The folder for a CPU profile of the server. */
  profileDir?: string | undefined
}

/** Compares calls of tools with the same operations over `/v1`, on one server and in turns. */
export async function measureTools({ reseed, profileDir, ...plan }: McpOptions): Promise<Outcome> {
  const databaseUrl = await seedDatabase({ again: reseed })
  const server = await startProduct({ DATABASE_URL: databaseUrl }, { profileDir })
  try {
    const outcome: Outcome = { tables: [], figures: [] }
    for (const [tool, { asks: kind, args, same, connections = 16, longer = 1 }] of Object.entries(COMPARED)) {
      const asks = await readAsks(databaseUrl, kind)
      const target = (name: string, shots: Shot[]): Target => ({
        name,
        applicationName: 'parlance serve',
        server,
        shots,
        connections
      })
      const targets = [
        target(
          '/v1',
          asks.map(ask => withToken(ask, same(ask)))
        ),
        ...VERSIONS.map(version =>
          target(
            version,
            asks.map(ask => callOf(ask, tool, args(ask), version))
          )
        )
      ]
      for (const { shots } of targets) await checkAnswer(server.url, shots[0]!)
      const [rest = [], ...others] = await measure(databaseUrl, targets, { ...plan, seconds: plan.seconds * longer })
      const measured = VERSIONS.map((version, index) => ({ version, rounds: others[index] ?? [] }))
      if ([rest, ...others].flat().some(({ refused }) => refused > 0))
        throw new Error(`${tool}: some calls were refused`)
      outcome.tables.push([{ version: '/v1', rounds: rest }, ...measured].map(one => rowOf(tool, one, rest)))
      outcome.figures.push(...measured.map(one => figureOf(tool, one, rest)))
    }
    return outcome
  } finally {
    await server.stop()
  }
}

function withToken({ token }: Ask, shot: Omit<Shot, 'headers'>): Shot {
  return { ...shot, headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' } }
}

/** A call as a client of that version sends it. */
function callOf({ token }: Ask, name: string, args: () => object, version: Version): Shot {
  const isCurrent = version === '2026-07-28'
  const meta = {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': {}
  }
  const message = () => ({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name, arguments: args(), ...(isCurrent && { _meta: meta }) }
  })
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': version,
    ...(isCurrent && { 'mcp-method': 'tools/call', 'mcp-name': name })
  }
  return { method: 'POST', path: '/mcp', headers, body: () => JSON.stringify(message()) }
}

/** Throws for an error of the tool, which also has the status 200. */
async function checkAnswer(url: string, shot: Shot) {
  const { path, method = 'GET', headers } = shot
  const answer = await fetch(url + path, { method, headers, body: bodyOf(shot) ?? null })
  const text = await answer.text()
  if (!answer.ok || text.includes('"isError":true')) throw new Error(`${path} answers with ${answer.status}: ${text}`)
}

interface Measured {
  version: string
  rounds: Round[]
}

function rowOf(tool: string, { version, rounds }: Measured, rest: Round[]) {
  const best = cheapest(rounds)
  return {
    tool,
    over: version,
    'server µs': rounded(best.server),
    'postgres µs': rounded(best.backends),
    'total µs': rounded(best.total),
    'of /v1': rounded(best.total / cheapest(rest).total, 2),
    'req/s': rounded(best.perSecond),
    'p50 ms': rounded(best.p50, 2),
    'p95 ms': rounded(best.p95, 2)
  }
}

function figureOf(tool: string, { version, rounds }: Measured, rest: Round[]): Figure {
  const [best, other] = [cheapest(rounds), cheapest(rest)]
  return ratioFigure(
    `MCP ${version}: ${tool}`,
    {
      measured: costOf(best),
      latency: latencyOf(best),
      yardstick: `/v1: ${costOf(other)}`,
      ratio: best.total / other.total
    },
    BOUND
  )
}

import { ALL_SCOPES } from '../src/contract/scopes.ts'
import { createUser } from '../src/features/access/queries.ts'
import { issueToken } from '../src/features/access/tokens.ts'
import { newId } from '../src/platform/core/ids.ts'
import { DEFAULT_SHARDS } from '../src/platform/db/distribute.ts'
import { distributeDatabase, migrateDatabase } from '../src/platform/db/migrate.ts'
import { openDatabase } from '../src/platform/db/open.ts'
import { recreateOnCluster } from './database.ts'
import { applyLoad, percentile, type Shot } from './load.ts'
import type { Plan } from './measure.ts'
import { type Figure, type Outcome, ratioFigure } from './result.ts'
import { prose } from './seed-sessions.ts'
import { type Running, startProduct } from './server.ts'
import { rounded } from './table.ts'

const DATABASES = { one: 'parlance_bench_one_node', cluster: 'parlance_bench_cluster' }
const OWNERS = 16
const SESSIONS = 20
/** One request at a time: the figure shows the latency that the coordinator adds, not the throughput of more nodes. */
const CONNECTIONS = 1
const AT_MOST = 1.8

interface Target {
  server: Running
  owners: Owner[]
}

interface Owner {
  token: string
  sessionIds: string[]
}

/** Builds the request for a session. */
type ShotOf = (sessionId: string) => Omit<Shot, 'headers'>

const SHOTS: Record<string, ShotOf> = {
  list: () => ({ path: '/v1/sessions' }),
  detail: id => ({ path: `/v1/sessions/${id}` }),
  transcript: id => ({ path: `/v1/sessions/${id}/transcript` }),
  feed: () => ({ path: '/v1/events?cursor=0&limit=20' }),
  search: () => ({
    method: 'POST',
    path: '/v1/sessions/search',
    body: () => JSON.stringify({ query: `launch date ${++asked % 50}` })
  }),
  'PATCH title': id => ({
    method: 'PATCH',
    path: `/v1/sessions/${id}`,
    body: () => JSON.stringify({ title: `Plan ${++asked}` })
  })
}
let asked = 0

/** Sends the same requests, in turns, to a server on a Citus cluster and to one on a single PostgreSQL. */
export async function measureCluster(plan: Plan): Promise<Outcome> {
  const { cluster, one } = await recreateOnCluster(DATABASES)
  const urls = [cluster, one]
  for (const connectionString of urls) await migrateDatabase({ connectionString })
  await distributeDatabase({ connectionString: cluster }, DEFAULT_SHARDS)
  const targets: Target[] = []
  try {
    for (const url of urls) {
      const server = await startProduct({ DATABASE_URL: url })
      targets.push({ server, owners: [] })
      targets.at(-1)!.owners = await addOwners(url, server)
    }
    const figures: Figure[] = []
    for (const [what, shot] of Object.entries(SHOTS)) {
      const [cluster, one] = await measureInTurns(what, targets, shot, plan)
      const latency = `${rounded(cluster!.p50, 2)} / ${rounded(cluster!.p95, 2)}`
      const yardstick = `one PostgreSQL: ${rounded(one!.p50, 2)} / ${rounded(one!.p95, 2)} ms`
      const ratio = cluster!.p50 / one!.p50
      figures.push(
        ratioFigure(
          `cluster: ${what}`,
          { measured: 'p50, one request at a time', latency, yardstick, ratio },
          { atMost: AT_MOST }
        )
      )
    }
    return { tables: [], figures }
  } finally {
    for (const { server } of targets) await server.stop()
  }
}

/** Returns the round with the lowest median of each target. */
async function measureInTurns(what: string, targets: Target[], shot: ShotOf, { rounds, seconds }: Plan) {
  const best = targets.map(() => ({ p50: Number.POSITIVE_INFINITY, p95: Number.POSITIVE_INFINITY }))
  // The first round is the warm-up.
  for (let round = 0; round <= rounds; round++) {
    for (const [index, { server, owners }] of targets.entries()) {
      const { latencies, refused } = await applyLoad(server.url, shotsOf(owners, shot), {
        seconds,
        first: 0,
        connections: CONNECTIONS
      })
      if (refused > 0) throw new Error(`${what}: ${refused} requests were refused; what is refused is not measured`)
      const p50 = percentile(latencies, 0.5)
      if (round > 0 && p50 < best[index]!.p50) best[index] = { p50, p95: percentile(latencies, 0.95) }
    }
  }
  return best
}

function shotsOf(owners: Owner[], shot: ShotOf): Shot[] {
  return owners.flatMap(({ token, sessionIds }) =>
    sessionIds.map(id => {
      const made = shot(id)
      return {
        ...made,
        headers: { authorization: `Bearer ${token}`, ...(made.body && { 'content-type': 'application/json' }) }
      }
    })
  )
}

/** Adds owners with processed sessions. Requests alternate between owners, and so between nodes. */
async function addOwners(url: string, server: Running): Promise<Owner[]> {
  const { db, close } = await openDatabase({
    url,
    dataDir: '',
    share: false,
    name: 'parlance bench',
    onError: console.error
  })
  const owners: Owner[] = []
  for (let n = 0; n < OWNERS; n++) {
    const [userId, createdAt] = [newId('usr'), new Date()]
    await createUser(db, userId, {
      name: null,
      email: null,
      emailVerifiedAt: null,
      timeZone: 'UTC',
      subscriptionActive: true,
      createdAt
    })
    const { token } = await issueToken(db, userId, 'bench', ALL_SCOPES, createdAt)
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const sessionIds: string[] = []
    for (let s = 0; s < SESSIONS; s++) {
      const answer = await fetch(`${server.url}/v1/sessions`, {
        method: 'POST',
        headers,
        body: JSON.stringify(documentOf(n * SESSIONS + s))
      })
      const { id } = (await answer.json()) as { id: string }
      sessionIds.push(id)
    }
    owners.push({ token, sessionIds })
  }
  await close()
  for (const { token } of owners)
    while ((await countListed(server, token)) < SESSIONS) await new Promise(wake => setTimeout(wake, 500))
  return owners
}

async function countListed({ url }: Running, token: string) {
  const answer = await fetch(`${url}/v1/sessions?limit=${SESSIONS}`, { headers: { authorization: `Bearer ${token}` } })
  const { sessions } = (await answer.json()) as { sessions: unknown[] }
  return sessions.length
}

/** Makes a conversation of some minutes. */
function documentOf(n: number) {
  const text = prose()
  const segments = Array.from({ length: 40 }, (_, turn) => {
    const from = (n * 997 + turn * 311) % 16_000
    return { speaker: `Speaker ${turn % 3}`, start: turn * 4, end: turn * 4 + 4, text: text.slice(from, from + 200) }
  })
  return {
    title: `Planning ${n}`,
    summary: text.slice(n % 100, 600),
    action_items: [{ text: 'Send the plan' }],
    segments
  }
}

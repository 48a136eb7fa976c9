import type pg from 'pg'
import { withClient } from './database.ts'
import { applyLoad, type Load, percentile, type Shot } from './load.ts'
import { cpuOf, exactCpuOf, familyOf, titleOf } from './proc.ts'
import type { Running } from './server.ts'

export interface Target {
  name: string
  /** How its connections call themselves at the database. */
  applicationName: string
  server: Running
  shots: Shot[]
  /** How many are kept busy; 16 unless said. */
  connections?: number
}

/** CPU times are microseconds a request. */
export interface Round {
  /** Of all its processes. */
  server: number
  /** Of the one of them that spent most. */
  busiest: number
  backends: number
  /** Of the database's own processes: they work for everyone on it, so this is no part of the total. */
  background: number
  total: number
  perSecond: number
  p50: number
  p95: number
  p99: number
  refused: number
}

export interface Plan {
  rounds: number
  seconds: number
}

/** Of each target, unless all its rounds together are shorter; again where a busy machine got through too few requests to have it compiled. */
const WARM_UP_SECONDS = 5
const WARM_UP_REQUESTS = 4_000
/** Enough of requests that are long, of which there are few to choose from. */
const WARM_UPS_OF_A_SHOT = 10
const MOST_WARM_UPS = 6
/** Before each round, unmeasured: connections that the rest has closed are made again. */
const RUN_UP_SECONDS = 1
const CONNECTIONS = 16

/** Loads the targets in turns, so that what else happens on the machine hits all of them. Rounds in the order of the targets. */
export async function measure(databaseUrl: string, targets: Target[], { rounds, seconds }: Plan): Promise<Round[][]> {
  return await withClient(databaseUrl, async client => {
    for (const target of targets) {
      showProgress(`warming up: ${target.name}`)
      await warmUp(target, Math.min(WARM_UP_SECONDS, rounds * seconds))
    }
    const measured: Round[][] = targets.map(() => [])
    for (let round = 0; round < rounds; round++) {
      for (const [index, target] of targets.entries()) {
        showProgress(`round ${round + 1} of ${rounds}: ${target.name}`)
        measured[index]?.push(await measureRound(client, target, { seconds, first: round * 1_009 }))
      }
    }
    showProgress('')
    return measured
  })
}

async function warmUp({ server, shots, connections = CONNECTIONS }: Target, seconds: number) {
  const enough = Math.min(WARM_UP_REQUESTS, shots.length * WARM_UPS_OF_A_SHOT)
  let requests = 0
  for (let turn = 0; turn < MOST_WARM_UPS && requests < enough; turn++) {
    requests += (await applyLoad(server.url, shots, { seconds, first: requests, connections })).requests
  }
}

function showProgress(words: string) {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${words}`)
}

async function measureRound(client: pg.Client, target: Target, round: { seconds: number; first: number }) {
  const { applicationName, server, shots, connections = CONNECTIONS } = target
  const load = { ...round, connections }
  await applyLoad(server.url, shots, { ...load, seconds: RUN_UP_SECONDS })
  const database = await watchDatabase(client, applicationName)
  const pids = familyOf(server.pid)
  const before = pids.map(pid => cpuOf(pid) ?? Number.NaN)
  const done = await applyLoad(server.url, shots, load)
  const spent = pids.map((pid, index) => (cpuOf(pid) ?? Number.NaN) - (before[index] ?? Number.NaN))
  return roundOf(done, spent, await database.stop())
}

function roundOf(
  { requests, refused, seconds, latencies }: Load,
  spent: number[],
  database: { backends: number; background: number }
): Round {
  const server = spent.reduce((sum, one) => sum + one, 0) / requests
  const backends = database.backends / requests
  return {
    server,
    busiest: Math.max(...spent) / requests,
    backends,
    background: database.background / requests,
    total: server + backends,
    perSecond: requests / seconds,
    p50: percentile(latencies, 0.5),
    p95: percentile(latencies, 0.95),
    p99: percentile(latencies, 0.99),
    refused
  }
}

const WATCH_EVERY_MS = 250

/**
 * Sums the CPU time of the target's backends in the client's database, and of the database's own processes, also of those that come and go.
 */
export async function watchDatabase(client: pg.Client, applicationName: string) {
  const seen = new Map<number, { own: boolean; first: number; last: number }>()

  async function look(starting: boolean) {
    const { rows } = await client.query<[number, boolean]>({ text: PROCESSES, values: [applicationName], rowMode: 'array' })
    const pids = rows.filter(([, own]) => own).map(([pid]) => pid)
    // Not each of them: one that comes has no title yet, and one that goes has none any more.
    if (starting && pids.length > 0 && !pids.some(pid => titleOf(pid)?.startsWith('postgres'))) {
      throw new Error('DATABASE_URL: name a PostgreSQL on this machine')
    }
    for (const [pid, own] of rows) {
      const cpu = exactCpuOf(pid)
      if (cpu === undefined) continue
      const known = seen.get(pid)
      if (known) known.last = cpu
      else seen.set(pid, { own, first: starting ? cpu : 0, last: cpu })
    }
  }

  await look(true)
  let looking: Promise<void> = Promise.resolve()
  const timer = setInterval(() => {
    looking = looking.then(() => look(false))
  }, WATCH_EVERY_MS)

  return {
    async stop() {
      clearInterval(timer)
      await looking
      await look(false)
      const sum = (own: boolean) => [...seen.values()].reduce((all, one) => (one.own === own ? all + one.last - one.first : all), 0)
      return { backends: sum(true), background: sum(false) }
    }
  }
}

const PROCESSES = `
  select pid, backend_type = 'client backend' from pg_stat_activity
  where (application_name = $1 and datname = current_database()) or backend_type not in ('client backend', 'parallel worker')`

import type pg from 'pg'
import { withClient } from './database.ts'
import { applyLoad, type Load, percentile, type Shot } from './load.ts'
import { cpuOf, exactCpuOf, familyOf, titleOf } from './proc.ts'
import type { Running } from './server.ts'

export interface Target {
  name: string
  /** The name of its connections at the database. */
  applicationName: string
  server: Running
  shots: Shot[]
  /** The number of busy connections. Default: 16. */
  connections?: number
}

/** CPU times are in microseconds per request. */
export interface Round {
  /** The sum over its processes. */
  server: number
  /** The share of its busiest process. */
  busiest: number
  backends: number
  /** The share of the database's own processes. They serve every client, so the total leaves it out. */
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

/** The warm-up of each target, unless its rounds are shorter. It repeats while too few requests ran to compile the code. */
const WARM_UP_SECONDS = 5
const WARM_UP_REQUESTS = 4_000
/** Enough repetitions of long requests, which have few shots. */
const WARM_UPS_OF_A_SHOT = 10
const MAX_WARM_UPS = 6
/** An unmeasured start of each round, in which connections that closed meanwhile are opened again. */
const RUN_UP_SECONDS = 1
const CONNECTIONS = 16

/** Loads the targets in turns, so that other load of the machine affects all of them. Returns the rounds in the order of the targets. */
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

export async function warmUp({ server, shots, connections = CONNECTIONS }: Target, seconds: number) {
  const enough = Math.min(WARM_UP_REQUESTS, shots.length * WARM_UPS_OF_A_SHOT)
  let requests = 0
  for (let turn = 0; turn < MAX_WARM_UPS && requests < enough; turn++) {
    requests += (await applyLoad(server.url, shots, { seconds, first: requests, connections })).requests
  }
}

export function showProgress(words: string) {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${words}`)
}

interface RoundOptions {
  seconds: number
  /** The index of the first shot. */
  first: number
  /** True for a short round without a run-up. Its CPU time is exact, but leaves out threads that end meanwhile, which ours has none of. */
  slice?: boolean
}

/** Measures a target that has been warmed up. */
export async function measureRound(client: pg.Client, target: Target, { seconds, first, slice = false }: RoundOptions) {
  const { applicationName, server, shots, connections = CONNECTIONS } = target
  const load = { seconds, first, connections }
  const cpu = (pid: number) => (slice ? exactCpuOf(pid) : cpuOf(pid)) ?? Number.NaN
  if (!slice) await applyLoad(server.url, shots, { ...load, seconds: RUN_UP_SECONDS })
  const database = await watchDatabase(client, applicationName)
  const pids = familyOf(server.pid)
  const before = pids.map(cpu)
  const done = await applyLoad(server.url, shots, load)
  const spent = pids.map((pid, index) => cpu(pid) - (before[index] ?? Number.NaN))
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
 * Sums the CPU time of the target's backends in the client's database, and of the database's own processes, even of short-lived ones.
 */
export async function watchDatabase(client: pg.Client, applicationName: string) {
  const seen = new Map<number, { own: boolean; first: number; last: number }>()

  async function look(starting: boolean) {
    const { rows } = await client.query<[number, boolean]>({
      text: PROCESSES,
      values: [applicationName],
      rowMode: 'array'
    })
    const pids = rows.filter(([, own]) => own).map(([pid]) => pid)
    // One process is enough: a starting one has no title yet, and an ended one has none any more.
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
      const sum = (own: boolean) =>
        [...seen.values()].reduce((all, one) => (one.own === own ? all + one.last - one.first : all), 0)
      return { backends: sum(true), background: sum(false) }
    }
  }
}

const PROCESSES = `
  select pid, backend_type = 'client backend' from pg_stat_activity
  where (application_name = $1 and datname = current_database()) or backend_type not in ('client backend', 'parallel worker')`

import { latencyOf } from './compare.ts'
import { measure, type Plan, type Round, type Target } from './measure.ts'
import { type Figure, type Outcome, type Row, ratioFigure } from './result.ts'
import { seedDatabase } from './seed.ts'
import { readAsks } from './seed-tokens.ts'
import { startProduct } from './server.ts'
import { rounded } from './table.ts'

const COUNTS = [1, 2] as const
/** So many that each of two processes is as busy as the others keep one. */
const CONNECTIONS = 64
/** What two processes should answer where one answers 1. */
const TARGET = 1.7

const READS = {
  'list: 20 sessions': () => '/sessions',
  'detail of a session': ({ sessionId }: { sessionId: string }) => `/sessions/${sessionId}`
}

/**
 * Reads by one process and by two, in turns. What a server answers is bounded by its busiest process, which has one core: by what that
 * process spends on each request that the server answers. So the figure is what a machine gives that has a core for each process, and more
 * for database and client; on a machine of two cores, which all of them share, requests a second tell of the machine.
 */
export async function measureWorkers({ reseed, ...plan }: Plan & { reseed: boolean }): Promise<Outcome> {
  const databaseUrl = await seedDatabase(reseed)
  const asks = await readAsks(databaseUrl, 'readers')
  const servers = await Promise.all(COUNTS.map(count => startProduct({ DATABASE_URL: databaseUrl, WORKERS: String(count) })))
  const rows: Row[] = []
  const figures: Figure[] = []
  try {
    for (const [what, path] of Object.entries(READS)) {
      const shots = asks.map(ask => ({ path: `/v1${path(ask)}`, headers: { authorization: `Bearer ${ask.token}` } }))
      const targets = servers.map(
        (server, index): Target => ({
          name: `${COUNTS[index]} of them`,
          applicationName: 'parlance serve',
          server,
          shots,
          connections: CONNECTIONS
        })
      )
      const [one, two] = (await measure(databaseUrl, targets, plan)).map(leastBusy)
      if (!one || !two) throw new Error('Measure at least one round')
      for (const [index, round] of [one, two].entries()) rows.push(rowOf(what, COUNTS[index] ?? 0, round))
      figures.push(
        ratioFigure(
          `${what}, by two processes`,
          {
            measured: `${rounded(two.busiest)} µs of the busier`,
            latency: latencyOf(two),
            yardstick: `one process: ${rounded(one.busiest)} µs`,
            ratio: one.busiest / two.busiest
          },
          { atLeast: TARGET }
        )
      )
    }
  } finally {
    await Promise.all(servers.map(server => server.stop()))
  }
  return { tables: [rows], figures }
}

function leastBusy(rounds: Round[]) {
  return rounds.toSorted((a, b) => a.busiest - b.busiest)[0]
}

function rowOf(what: string, processes: number, round: Round): Row {
  return {
    bench: what,
    processes,
    'busiest µs': rounded(round.busiest),
    'all µs': rounded(round.server),
    'postgres µs': rounded(round.backends),
    'req/s': rounded(round.perSecond),
    'p99 ms': rounded(round.p99, 2),
    'non-2xx': round.refused
  }
}

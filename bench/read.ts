import { percentile, type Shot } from './load.ts'
import { measure, type Plan, type Round } from './measure.ts'
import { type Ask, readAsks, seedDatabase } from './seed.ts'
import { startPeer, startProduct } from './server.ts'
import { rounded } from './table.ts'

/** The reads that are measured against their yardstick: the path below /v1, which the peers have below the owner. */
const READS = {
  list: () => '/sessions',
  detail: ({ sessionId }: Ask) => `/sessions/${sessionId}`
}
export type Read = keyof typeof READS

export function isRead(name: string): name is Read {
  return Object.hasOwn(READS, name)
}

export interface ReadOptions extends Plan {
  reseed: boolean
  profileDir?: string | undefined
}

/** Measures the product and bare Fastify in turns; a row of the report for each. */
export async function measureReads(reads: Read[], { reseed, profileDir, ...plan }: ReadOptions) {
  const databaseUrl = await seedDatabase(reseed)
  const asks = await readAsks(databaseUrl)
  const rows = []
  for (const read of reads) {
    const ours = await startProduct({ DATABASE_URL: databaseUrl }, profileDir)
    const bare = await startPeer('bare', databaseUrl)
    try {
      const path = READS[read]
      const targets = [
        {
          name: 'parlance',
          applicationName: 'parlance serve',
          server: ours,
          shots: asks.map(ask => ({ path: `/v1${path(ask)}`, headers: { authorization: `Bearer ${ask.token}` } }))
        },
        {
          name: 'bare Fastify + pg',
          applicationName: 'bench bare',
          server: bare,
          shots: asks.map(ask => ({ path: `/${ask.userId}${path(ask)}`, headers: {} }))
        }
      ]
      await compareSizes(targets.map(({ server, shots }) => ({ url: server.url, shots })))
      const [own = [], yardstick = []] = await measure(databaseUrl, targets, plan)
      rows.push(report(read, 'parlance', own, yardstick), report(read, 'bare Fastify + pg', yardstick, yardstick))
    } finally {
      await Promise.all([ours.stop(), bare.stop()])
    }
  }
  return rows
}

const LOOKS = 50
const MOST_DIFFERENCE = 0.1

/** What is not about as long is not the same work. */
async function compareSizes(targets: { url: string; shots: Shot[] }[]) {
  const sizes = targets.map(async ({ url, shots }) => {
    const answers = await Promise.all(shots.slice(0, LOOKS).map(({ path, headers }) => fetch(url + path, { headers })))
    const refusal = answers.find(({ ok }) => !ok)
    if (refusal) throw new Error(`${refusal.url} answers with ${refusal.status}: ${await refusal.text()}`)
    const bodies = await Promise.all(answers.map(answer => answer.text()))
    return bodies.join('').length / LOOKS
  })
  const [ours = 0, yardstick = 0] = await Promise.all(sizes)
  if (Math.abs(ours / yardstick - 1) > MOST_DIFFERENCE) throw new Error(`Answers of ${ours} and ${yardstick} bytes are not to be compared`)
}

/** The round of least CPU speaks for a target: what others on the machine add to a round is never negative. */
function report(read: Read, target: string, rounds: Round[], yardstick: Round[]) {
  const best = cheapest(rounds)
  return {
    bench: read,
    target,
    'server µs': rounded(best.server),
    'postgres µs': rounded(best.backends),
    'total µs': rounded(best.total),
    'of yardstick': rounded(cheapest(yardstick).total / best.total, 2),
    'median µs': rounded(medianTotal(rounds)),
    'by median': rounded(medianTotal(yardstick) / medianTotal(rounds), 2),
    'background µs': rounded(best.background, 1),
    'req/s': rounded(best.perSecond),
    'p50 ms': rounded(best.p50, 2),
    'p99 ms': rounded(best.p99, 2),
    'non-2xx': rounds.reduce((sum, { refused }) => sum + refused, 0)
  }
}

function cheapest([first, ...others]: Round[]) {
  if (!first) throw new Error('Measure at least one round')
  return others.reduce((best, round) => (round.total < best.total ? round : best), first)
}

function medianTotal(rounds: Round[]) {
  return percentile(
    rounds.map(({ total }) => total).sort((a, b) => a - b),
    0.5
  )
}

import { percentile } from './load.ts'
import { measure, type Plan } from './measure.ts'
import { readAsks, seedDatabase } from './seed.ts'
import { startProduct } from './server.ts'
import { rounded } from './table.ts'

/** Polls of a feed with nothing new, against reads of one session, in turns on the same server. */
export async function measurePolls({ reseed, ...plan }: Plan & { reseed: boolean }) {
  const databaseUrl = await seedDatabase(reseed)
  const asks = await readAsks(databaseUrl)
  const server = await startProduct({ DATABASE_URL: databaseUrl })
  try {
    const target = (name: string, pathOf: (ask: (typeof asks)[number]) => string) => ({
      name,
      applicationName: 'parlance serve',
      server,
      shots: asks.map(ask => ({ path: `/v1${pathOf(ask)}`, headers: { authorization: `Bearer ${ask.token}` } }))
    })
    const targets = [target('idle poll', () => '/events'), target('detail', ({ sessionId }) => `/sessions/${sessionId}`)]
    const measured = await measure(databaseUrl, targets, plan)
    if (measured.flat().some(({ refused }) => refused > 0)) throw new Error('Some requests were refused; what is refused is not measured')
    const [polls = [], details = []] = measured.map(rounds => rounds.map(({ total }) => total).sort((a, b) => a - b))
    return [
      {
        bench: 'feed',
        'idle poll µs': rounded(percentile(polls, 0.5)),
        'detail µs': rounded(percentile(details, 0.5)),
        'poll of detail': rounded(percentile(polls, 0.5) / percentile(details, 0.5), 2)
      }
    ]
  } finally {
    await server.stop()
  }
}

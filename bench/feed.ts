import { compare } from './compare.ts'
import type { Plan, Target } from './measure.ts'
import type { Outcome } from './result.ts'
import { EVENTS, seedDatabase } from './seed.ts'
import { readAsks } from './seed-tokens.ts'
import { startPeer, startProduct } from './server.ts'

/** The start of a page of fifty events. */
const CURSOR = EVENTS - 50

/** Compares polls without new events with reads of one session, and polls of a page with the same by hand, in turns. */
export async function measurePolls({ reseed, ...plan }: Plan & { reseed: boolean }): Promise<Outcome> {
  const databaseUrl = await seedDatabase({ again: reseed })
  const asks = await readAsks(databaseUrl, 'pollers')
  const server = await startProduct({ DATABASE_URL: databaseUrl })
  const bare = await startPeer('bare', databaseUrl)
  try {
    const ours = (name: string, pathOf: (ask: (typeof asks)[number]) => string): Target => ({
      name,
      applicationName: 'parlance serve',
      server,
      shots: asks.map(ask => ({ path: `/v1${pathOf(ask)}`, headers: { authorization: `Bearer ${ask.token}` } }))
    })
    const byHand: Target = {
      name: 'bare Fastify + pg',
      applicationName: 'bench bare',
      server: bare,
      shots: asks.map(({ userId }) => ({ path: `/${userId}/events?cursor=${CURSOR}`, headers: {} }))
    }
    const page = await compare(
      databaseUrl,
      'events: a page of 50',
      ours('parlance', () => `/events?cursor=${CURSOR}`),
      [{ ...byHand, bound: { atLeast: 0.7 } }],
      plan
    )
    const idle = await compare(
      databaseUrl,
      'events: idle poll',
      ours('parlance', () => '/events'),
      [
        {
          ...ours('detail of a session', ({ sessionId }) => `/sessions/${sessionId}`),
          otherWork: true,
          bound: { atMost: 1.2 }
        }
      ],
      plan
    )
    return { tables: [page.rows, idle.rows], figures: [...page.figures, ...idle.figures] }
  } finally {
    await Promise.all([server.stop(), bare.stop()])
  }
}

import { compare, type Yardstick } from './compare.ts'
import type { Shot } from './load.ts'
import type { Plan, Target } from './measure.ts'
import type { Bound, Outcome } from './result.ts'
import { removeWrites, seedDatabase } from './seed.ts'
import type { Ask } from './seed-sessions.ts'
import { readAsks } from './seed-tokens.ts'
import { type Running, startPeer, startProduct } from './server.ts'

interface Comparison {
  what: string
  asks: 'readers' | 'pollers' | 'exports' | 'writers'
  /** The path is below /v1; bare Fastify has the same path below the owner, and the idiomatic stack at its root. */
  shot: (ask: Ask) => Omit<Shot, 'headers'>
  bare: Bound
  /** Undefined where bare Fastify is not measured with tokens and limits too. */
  admitted?: Bound
  /** Undefined where the idiomatic stack has no such route. */
  idiomatic?: Bound
  postgrest?: { path: (ask: Ask) => string; bound: Bound }
  connections?: number
}

const LISTED = 'id,title,timestamp,duration_seconds,type,platform,audio_deleted_at,phone'
const PERIOD = 'since=2025-03-10T07:00:00.000Z&until=2025-04-09T11:00:00.000Z'

const favorites = new Set<string>()

/** Returns the other value on each call, because a PATCH without a change costs almost nothing. */
function favoriteAnew(sessionId: string) {
  const favorite = !favorites.delete(sessionId)
  if (favorite) favorites.add(sessionId)
  return JSON.stringify({ favorite })
}

/** The reads and writes that are compared with the same statements by hand in bare Fastify with pg. */
const COMPARISONS = {
  list: {
    what: 'list: 20 sessions',
    asks: 'readers',
    shot: () => ({ path: '/sessions' }),
    bare: { atLeast: 0.85 },
    admitted: { atLeast: 0.85 },
    idiomatic: { atLeast: 2 },
    // Without the extra row by which the others see that more follow. With it, the answers would be 13 % longer than ours.
    postgrest: {
      path: ({ userId }) => `/sessions?select=${LISTED}&user_id=eq.${userId}&order=sort_at.desc&limit=20`,
      bound: { atLeast: 4 }
    }
  },
  tag: {
    what: 'list of a tag',
    asks: 'readers',
    shot: () => ({ path: '/sessions?tag=roadmap' }),
    bare: { atLeast: 0.7 }
  },
  folder: {
    what: 'list of a folder',
    asks: 'readers',
    shot: () => ({ path: '/sessions?folder=clients' }),
    bare: { atLeast: 0.6 }
  },
  person: {
    what: 'list of a person',
    asks: 'readers',
    shot: () => ({ path: '/sessions?person=per_often' }),
    bare: { atLeast: 0.6 }
  },
  detail: {
    what: 'detail of a session',
    asks: 'readers',
    shot: ({ sessionId }) => ({ path: `/sessions/${sessionId}` }),
    bare: { atLeast: 0.8 },
    admitted: { atLeast: 0.85 },
    idiomatic: { atLeast: 3 }
  },
  transcript: {
    what: 'transcript, 400 segments',
    asks: 'pollers',
    shot: ({ sessionId }) => ({ path: `/sessions/${sessionId}/transcript` }),
    bare: { atLeast: 0.8 },
    idiomatic: { atLeast: 1 }
  },
  stats: {
    what: 'stats of 30 days',
    asks: 'readers',
    shot: () => ({ path: `/sessions/stats?${PERIOD}` }),
    bare: { atLeast: 0.7 }
  },
  patch: {
    what: 'PATCH, with its event',
    asks: 'writers',
    shot: ({ sessionId }) => ({ method: 'PATCH', path: `/sessions/${sessionId}`, body: () => favoriteAnew(sessionId) }),
    bare: { atLeast: 0.5 },
    admitted: { atLeast: 0.6 },
    idiomatic: { atLeast: 1.5 }
  },
  bulk: {
    what: 'bulk: 50 transcripts of three hours',
    asks: 'exports',
    shot: () => ({ method: 'POST', path: '/sessions/bulk', body: EXPORT }),
    bare: { atLeast: 0.8 },
    connections: 1
  }
} satisfies Record<string, Comparison>

const EXPORT = JSON.stringify({
  session_ids: Array.from({ length: 50 }, (_, n) => `ses_long${n + 1}`),
  include_transcript: true
})

export type Compared = keyof typeof COMPARISONS

export const COMPARED = Object.keys(COMPARISONS) as Compared[]

export interface CompareOptions extends Plan {
  reseed: boolean
  /** The folder for a CPU profile of the product's server. */
  profileDir?: string | undefined
}

/** Measures the product and its yardsticks in turns. */
export async function measureCompared(
  name: Compared,
  { reseed, profileDir, ...plan }: CompareOptions
): Promise<Outcome> {
  const databaseUrl = await seedDatabase({ again: reseed })
  const {
    what,
    asks: kind,
    shot,
    bare,
    admitted,
    idiomatic,
    postgrest,
    connections = 16
  }: Comparison = COMPARISONS[name]
  const asks = await readAsks(databaseUrl, kind)
  const running: Running[] = []
  const started = async (starting: Promise<Running>) => {
    const server = await starting
    running.push(server)
    return server
  }
  try {
    const withToken = (root: string) =>
      asks.map(ask => below(root, shot(ask), { authorization: `Bearer ${ask.token}` }))
    const ours: Target = {
      name: 'parlance',
      applicationName: 'parlance serve',
      server: await started(startProduct({ DATABASE_URL: databaseUrl }, { profileDir })),
      shots: withToken('/v1'),
      connections
    }
    const against = async (
      peer: string,
      name: string,
      shots: Shot[],
      bound: Bound,
      { applicationName = `bench ${peer}`, ...settings }: Record<string, string> = {}
    ): Promise<Yardstick> => {
      const server = await started(startPeer(peer, databaseUrl, settings))
      return { name, applicationName, server, shots, connections, bound }
    }
    const ofOwner = asks.map(ask => below(`/${ask.userId}`, shot(ask), { authorization: `Bearer ${ask.token}` }))
    const yardsticks = [await against('bare', 'bare Fastify + pg', ofOwner, bare)]
    if (admitted) {
      const settings = { applicationName: 'bench admitted', ADMISSION: 'yes' }
      yardsticks.push(await against('bare', 'bare Fastify + pg, with admission', ofOwner, admitted, settings))
    }
    if (idiomatic)
      yardsticks.push(await against('idiomatic', 'Fastify + drizzle + zod + plugins', withToken(''), idiomatic))
    if (postgrest) {
      const shots = asks.map(ask => ({ path: postgrest.path(ask), headers: {} }))
      yardsticks.push(await against('postgrest', 'PostgREST 12', shots, postgrest.bound))
    }
    const { rows, figures } = await compare(databaseUrl, what, ours, yardsticks, plan)
    return { tables: [rows], figures }
  } finally {
    await Promise.all(running.map(server => server.stop()))
    if (kind === 'writers') await removeWrites(databaseUrl)
  }
}

function below(root: string, { path, ...rest }: Omit<Shot, 'headers'>, headers: Record<string, string>): Shot {
  return {
    ...rest,
    path: root + path,
    headers: rest.body ? { ...headers, 'content-type': 'application/json' } : headers
  }
}

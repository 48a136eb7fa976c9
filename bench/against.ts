import type pg from 'pg'
import { checkOut } from './checkout.ts'
import { withClient } from './database.ts'
import type { Shot } from './load.ts'
import { measureRound, type Round, showProgress, type Target, warmUp } from './measure.ts'
import { type Median, medianOf } from './median.ts'
import type { Row } from './result.ts'
import { removeWrites, seedDatabase } from './seed.ts'
import { type Ask, schemaOf } from './seed-sessions.ts'
import { readAsks } from './seed-tokens.ts'
import { ROOT, type Running, startProduct } from './server.ts'
import { rounded } from './table.ts'

const SECOND_DATABASE = 'parlance_bench_against'

/** A change of the cost of a route that is to be seen. */
const NOTABLE = 0.05
/** Each route is measured in this many pairs of slices, and in more until the range of its ratio is narrower than a notable change. */
const [MIN_PAIRS, MAX_PAIRS] = [24, 100]
const SLICE_SECONDS = 0.3
const WARM_UP_SECONDS = 2

interface Route {
  asks: 'readers' | 'pollers' | 'writers' | 'searchers'
  shot: (ask: Ask) => Omit<Shot, 'headers'>
  connections?: number
}

const HOT_ROUTES: Record<string, Route> = {
  list: { asks: 'readers', shot: () => ({ path: '/sessions' }) },
  detail: { asks: 'readers', shot: ({ sessionId }) => ({ path: `/sessions/${sessionId}` }) },
  transcript: { asks: 'pollers', shot: ({ sessionId }) => ({ path: `/sessions/${sessionId}/transcript` }) },
  patch: { asks: 'writers', shot: toggleFavorite },
  search: { asks: 'searchers', shot: search, connections: 4 }
}

export const HOT = Object.keys(HOT_ROUTES)

/** Changes the session each time, because a PATCH without a change costs almost nothing. */
function toggleFavorite({ sessionId }: Ask) {
  let favorite = false
  const body = () => {
    favorite = !favorite
    return JSON.stringify({ favorite })
  }
  return { method: 'PATCH' as const, path: `/sessions/${sessionId}`, body }
}

/** No query repeats, because its embedding would be cached. */
function search() {
  let asked = 0
  const body = () =>
    JSON.stringify({ query: `w${50 + (asked++ % 5_000)} w${20 + (asked % 97)} w${900 + (asked % 89)}` })
  return { method: 'POST' as const, path: '/sessions/search', body }
}

/** A server that is compared. Its connections have a name of their own, by which their CPU time is found. */
interface Side {
  url: string
  applicationName: string
  server: Running
}

/** Measures hot routes of this working tree and of a commit in turns, slice by slice. Returns a row for each route. */
export async function measureAgainst(commit: string, routes: readonly string[], again: boolean): Promise<Row[]> {
  const { hash, root } = checkOut(commit)
  const url = await seedDatabase({ again })
  const differs = schemaOf(root) !== schemaOf(ROOT)
  if (differs) console.log(`The schema of ${hash} differs, so each server has a database of its own.`)
  const otherUrl = differs ? await seedDatabase({ again, name: SECOND_DATABASE, root }) : url
  const before = await start(`bench ${hash}`, otherUrl, root)
  try {
    const now = await start('bench working tree', url, ROOT)
    try {
      const rows: Row[] = []
      for (const name of routes) {
        showProgress(name)
        rows.push(await comparePairs(name, before, now))
      }
      showProgress('')
      return rows
    } finally {
      await now.server.stop()
    }
  } finally {
    await before.server.stop()
    for (const written of new Set([url, otherUrl])) await removeWrites(written)
  }
}

async function start(applicationName: string, url: string, root: string): Promise<Side> {
  const named = new URL(url)
  named.searchParams.set('application_name', applicationName)
  return { url, applicationName, server: await startProduct({ DATABASE_URL: named.href }, { root }) }
}

async function comparePairs(name: string, before: Side, now: Side) {
  const { asks, shot, connections = 16 } = HOT_ROUTES[name]!
  const shotsOf = async (url: string) => (await readAsks(url, asks)).map(ask => toShot(ask, shot(ask)))
  const shots = await shotsOf(before.url)
  // Servers on one database share the shots: each must change what the other has changed before.
  const ofNow = now.url === before.url ? shots : await shotsOf(now.url)
  const targets = [
    { ...before, name, shots, connections },
    { ...now, name, shots: ofNow, connections }
  ] as const
  for (const target of targets) await warmUp(target, WARM_UP_SECONDS)
  return await withClient(before.url, one =>
    withClient(now.url, async other => rowOf(name, await measurePairs([one, other], targets)))
  )
}

type Pair = Record<'before' | 'now', Round>

/** Measures pairs of slices until the median of their ratios is known well enough. The two sides take turns to go first. */
async function measurePairs(clients: readonly [pg.Client, pg.Client], targets: readonly [Target, Target]) {
  const pairs: Pair[] = []
  while (pairs.length < MIN_PAIRS || (pairs.length < MAX_PAIRS && widthOf(ratioOf(pairs, 'total')) > NOTABLE)) {
    const slice = { seconds: SLICE_SECONDS, first: pairs.length * 1_009, slice: true }
    const measureBefore = () => measureRound(clients[0], targets[0], slice)
    const measureNow = () => measureRound(clients[1], targets[1], slice)
    if (pairs.length % 2) pairs.push({ before: await measureBefore(), now: await measureNow() })
    else {
      const now = await measureNow()
      pairs.push({ before: await measureBefore(), now })
    }
    const refused = pairs.at(-1)!
    if (refused.before.refused + refused.now.refused > 0)
      throw new Error(`${targets[0].name}: some requests were refused; what is refused is not measured`)
  }
  return pairs
}

function rowOf(route: string, pairs: readonly Pair[]): Row {
  const [cpu, latency] = [ratioOf(pairs, 'total'), ratioOf(pairs, 'p50')]
  return {
    route,
    'µs before': rounded(medianOf(pairs.map(({ before }) => before.total)).median),
    'µs now': rounded(medianOf(pairs.map(({ now }) => now.total)).median),
    CPU: rounded(cpu.median, 3),
    'CPU range': rangeOf(cpu),
    p50: rounded(latency.median, 3),
    'p50 range': rangeOf(latency),
    pairs: pairs.length,
    verdict: judge(cpu)
  }
}

function ratioOf(pairs: readonly Pair[], measure: 'total' | 'p50') {
  return medianOf(pairs.map(({ before, now }) => now[measure] / before[measure]))
}

function judge(cpu: Median) {
  if (cpu.low > 1 && cpu.median >= 1 + NOTABLE) return 'SLOWER'
  if (cpu.high < 1 && cpu.median <= 1 - NOTABLE) return 'faster'
  return widthOf(cpu) > 2 * NOTABLE ? 'unclear: the machine is too busy' : 'same'
}

const widthOf = ({ low, high }: Median) => high - low

const rangeOf = ({ low, high }: Median) => `${low.toFixed(3)} to ${high.toFixed(3)}`

function toShot({ token }: Ask, { path, ...rest }: Omit<Shot, 'headers'>): Shot {
  const headers = { authorization: `Bearer ${token}`, ...(rest.body && { 'content-type': 'application/json' }) }
  return { ...rest, path: `/v1${path}`, headers }
}

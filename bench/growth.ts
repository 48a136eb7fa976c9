import { Client } from 'undici'
import openApi from '../openapi/openapi.json' with { type: 'json' }
import { DISJOINT, OTHERS, type Place, READS, ROUTES, routesWithoutRead } from './growth-reads.ts'
import { asksOf, NEWEST, seedOwners, sharesOf, spacingOf } from './growth-seed.ts'
import { percentile } from './load.ts'
import { type Bound, type Figure, judged, type Outcome, type Row, ratioFigure } from './result.ts'
import { readAsks } from './seed-tokens.ts'
import { startProduct } from './server.ts'
import { rounded } from './table.ts'

const MAX_MS = 10
/** Enough requests that one slow second of the machine does not decide the p95. Reads that share a line have fewer. */
const REQUESTS = 1_600
const REQUESTS_OF_OTHERS = 400
const WARM_UP = 40
/** Pages begin among this many of the newest sessions. The smallest owner has as many, so all owners have the same amount to read. */
const PLACES = 200

/** Measures each read in turns as owners of these sizes, one request at a time. The smallest owner is the yardstick. */
export async function measureGrowth(sizes: readonly number[], reseed: boolean): Promise<Outcome> {
  const unread = routesWithoutRead(openApi)
  if (unread.length > 0) throw new Error(`growth-reads.ts has no read for ${unread.join(', ')}`)
  const [smallest, ...larger] = sizes.toSorted((a, b) => a - b)
  if (smallest === undefined || larger.length === 0) throw new Error('--sessions: name at least two sizes')
  const databaseUrl = await seedOwners(sizes, reseed)
  const owners = await Promise.all(
    [smallest, ...larger].map(async size => {
      const [ask] = await readAsks(databaseUrl, asksOf(size))
      const [share] = await readAsks(databaseUrl, sharesOf(size))
      return {
        size,
        sessionId: ask?.sessionId ?? '',
        shared: `${share?.userId}/${share?.sessionId}`,
        headers: { authorization: `Bearer ${ask?.token}` }
      }
    })
  )
  const { url, stop } = await startProduct({ DATABASE_URL: databaseUrl })
  const client = new Client(url)
  try {
    const rows: Row[] = []
    const figures: Figure[] = []
    const rest = new Map<number, { name: string; ratio: number; p95: number; yardstick: number }>()
    for (const [name, read] of Object.entries({ ...READS, ...ROUTES, ...DISJOINT, ...OTHERS })) {
      const latencies = await askInTurns(client, owners, read, name in OTHERS ? REQUESTS_OF_OTHERS : REQUESTS)
      const yardstick = percentile(latencies.get(smallest) ?? [], 0.95)
      for (const size of larger) {
        const [p50, p95] = [0.5, 0.95].map(share => percentile(latencies.get(size) ?? [], share)) as [number, number]
        if (!(name in OTHERS)) figures.push(figureOf(name, size, { p50, p95 }, { size: smallest, p95: yardstick }))
        else if (p95 / yardstick > (rest.get(size)?.ratio ?? 0))
          rest.set(size, { name, ratio: p95 / yardstick, p95, yardstick })
      }
      rows.push(rowOf(name, latencies))
    }
    for (const [size, { name, ratio, p95, yardstick }] of rest) {
      const what = `growth: the worst of ${Object.keys(OTHERS).length} others (${name}), ${thousands(size)} sessions`
      const measured = {
        measured: `p95 ${rounded(p95, 2)} ms`,
        yardstick: `${thousands(smallest)} sessions: ${rounded(yardstick, 2)} ms`
      }
      figures.push(ratioFigure(what, { ...measured, ratio }, { atMost: 1.2 }))
    }
    return { tables: [rows], figures }
  } finally {
    await client.close()
    await stop()
  }
}

/** Returns the milliseconds of each owner's requests, ascending. */
async function askInTurns(
  client: Client,
  owners: (Omit<Place, 'at'> & { headers: Record<string, string> })[],
  read: (place: Place) => string,
  requests: number
) {
  const latencies = new Map(owners.map(({ size }): [number, number[]] => [size, []]))
  for (let n = 0; n < requests; n++) {
    for (const { headers, ...owner } of n % 2 ? owners : owners.toReversed()) {
      const { size } = owner
      const at = new Date(NEWEST - spacingOf(size) * 1_000 * (n % PLACES)).toISOString()
      const path = `/v1${read({ at, ...owner })}`
      const from = performance.now()
      const { statusCode, body } = await client.request({ method: 'GET', path, headers })
      const text = await body.text()
      if (statusCode !== 200) throw new Error(`${path} answers with ${statusCode}: ${text}`)
      if (n >= WARM_UP) latencies.get(size)?.push(performance.now() - from)
    }
  }
  for (const each of latencies.values()) each.sort((a, b) => a - b)
  return latencies
}

function figureOf(
  name: string,
  size: number,
  { p50, p95 }: { p50: number; p95: number },
  smallest: { size: number; p95: number }
): Figure {
  const bound: Bound = { atMost: 1.2 }
  const figure = ratioFigure(
    `growth: ${name}, ${thousands(size)} sessions`,
    {
      measured: `p95 ${rounded(p95, 2)} ms`,
      latency: `${rounded(p50, 2)} / ${rounded(p95, 2)}`,
      yardstick: `${thousands(smallest.size)} sessions: ${rounded(smallest.p95, 2)} ms`,
      ratio: p95 / smallest.p95
    },
    bound
  )
  // A longer period has more days to add up, and some routes return more to a larger owner, so these have a bound in milliseconds.
  return figure.met || !(name.startsWith('stats') || name in ROUTES || name in DISJOINT)
    ? figure
    : { ...figure, ...judged(p95, { atMost: MAX_MS, unit: ' ms' }) }
}

function rowOf(read: string, latencies: Map<number, number[]>): Row {
  const row: Row = { read }
  for (const [size, each] of latencies) {
    row[`p50 of ${thousands(size)}`] = rounded(percentile(each, 0.5), 2)
    row[`p95 of ${thousands(size)}`] = rounded(percentile(each, 0.95), 2)
  }
  return row
}

function thousands(size: number) {
  return size.toLocaleString('en')
}

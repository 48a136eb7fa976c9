import { bodyOf, percentile, type Shot } from './load.ts'
import { measure, type Plan, type Round, type Target } from './measure.ts'
import { type Bound, type Figure, type Row, ratioFigure } from './result.ts'
import { rounded } from './table.ts'

/** What ours is compared with. */
export interface Yardstick extends Target {
  /** Of the yardstick's CPU divided by ours: at least 0.8 lets ours take a quarter more. */
  bound: Bound
  /** It is other work, whose answers may be longer or shorter, and the ratio is ours divided by it. */
  otherWork?: boolean
}

/** Measures ours and its yardsticks in turns: rows of a table of their own, and a figure for each yardstick. */
export async function compare(databaseUrl: string, what: string, ours: Target, yardsticks: Yardstick[], plan: Plan) {
  const targets = [ours, ...yardsticks]
  await compareSizes([ours, ...yardsticks.filter(({ otherWork }) => !otherWork)])
  const measured = await measure(databaseUrl, targets, plan)
  const refused = targets.find((_, index) => measured[index]?.some(round => round.refused > 0))
  if (refused) throw new Error(`${what}: ${refused.name} has refused some requests; what is refused is not measured`)
  const own = measured[0] ?? []
  return {
    rows: targets.map(({ name }, index): Row => rowOf(what, name, measured[index] ?? [], own)),
    figures: yardsticks.map((yardstick, index) => figureOf(what, own, yardstick, measured[index + 1] ?? []))
  }
}

function figureOf(what: string, own: Round[], { name, bound, otherWork }: Yardstick, rounds: Round[]): Figure {
  const [best, other] = [cheapest(own), cheapest(rounds)]
  return ratioFigure(
    what,
    {
      measured: costOf(best),
      latency: latencyOf(best),
      yardstick: `${name}: ${costOf(other)}`,
      ratio: otherWork ? best.total / other.total : other.total / best.total
    },
    bound
  )
}

/** In the words of the table: CPU of server and database. */
export function costOf({ total, server, backends }: Round) {
  return `${rounded(total)} µs (${rounded(server)} + ${rounded(backends)})`
}

export function latencyOf({ p50, p95 }: Round) {
  return `${rounded(p50, 2)} / ${rounded(p95, 2)}`
}

const LOOKS = 50
const MOST_DIFFERENCE = 0.1

/** What is not about as long is not the same work. */
async function compareSizes(targets: Target[]) {
  const sizes = await Promise.all(targets.map(({ server, shots }) => averageSize(server.url, shots.slice(0, LOOKS))))
  const [ours = 0, ...others] = sizes
  const unlike = others.find(size => Math.abs(ours / size - 1) > MOST_DIFFERENCE)
  if (unlike !== undefined) throw new Error(`Answers of ${ours} and ${unlike} bytes are not to be compared`)
}

async function averageSize(url: string, shots: Shot[]) {
  let bytes = 0
  for (const { path, ...rest } of shots) {
    const answer = await fetch(url + path, { ...rest, body: bodyOf(rest) ?? null })
    const body = await answer.text()
    if (!answer.ok) throw new Error(`${path} answers with ${answer.status}: ${body}`)
    bytes += Buffer.byteLength(body)
  }
  return bytes / shots.length
}

function rowOf(what: string, target: string, rounds: Round[], own: Round[]): Row {
  const best = cheapest(rounds)
  return {
    bench: what,
    target,
    'server µs': rounded(best.server),
    'postgres µs': rounded(best.backends),
    'total µs': rounded(best.total),
    'of ours': rounded(best.total / cheapest(own).total, 2),
    'median µs': rounded(medianTotal(rounds)),
    'by median': rounded(medianTotal(rounds) / medianTotal(own), 2),
    'background µs': rounded(best.background, 1),
    'req/s': rounded(best.perSecond),
    'p50 ms': rounded(best.p50, 2),
    'p95 ms': rounded(best.p95, 2),
    'p99 ms': rounded(best.p99, 2)
  }
}

/** The round of least CPU speaks for a target: what others on the machine add to a round is never negative. */
export function cheapest([first, ...others]: Round[]) {
  if (!first) throw new Error('Measure at least one round')
  return others.reduce((best, round) => (round.total < best.total ? round : best), first)
}

function medianTotal(rounds: Round[]) {
  return percentile(
    rounds.map(({ total }) => total).sort((a, b) => a - b),
    0.5
  )
}

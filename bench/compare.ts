import { bodyOf, percentile, type Shot } from './load.ts'
import { measure, type Plan, type Round, type Target } from './measure.ts'
import { type Bound, type Figure, type Row, ratioFigure } from './result.ts'
import { rounded } from './table.ts'

/** A target that the product is compared with. */
export interface Yardstick extends Target {
  /** The bound of the yardstick's CPU divided by ours: at least 0.8 allows ours a quarter more. */
  bound: Bound
  /** True for other work, whose answers may differ in length. The ratio is then ours divided by the yardstick's. */
  otherWork?: boolean
}

/** Measures the product and its yardsticks in turns. Returns the rows of its own table, and a figure for each yardstick. */
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

/** Formats CPU of server and database for the table. */
export function costOf({ total, server, backends }: Round) {
  return `${rounded(total)} µs (${rounded(server)} + ${rounded(backends)})`
}

export function latencyOf({ p50, p95 }: Round) {
  return `${rounded(p50, 2)} / ${rounded(p95, 2)}`
}

const COMPARED_ANSWERS = 50
const MAX_DIFFERENCE = 0.1

/** Throws unless the answers of all targets have about the same length, because only equal work is comparable. */
async function compareSizes(targets: Target[]) {
  const sizes = await Promise.all(
    targets.map(({ server, shots }) => averageSize(server.url, shots.slice(0, COMPARED_ANSWERS)))
  )
  const [ours = 0, ...others] = sizes
  const unlike = others.find(size => Math.abs(ours / size - 1) > MAX_DIFFERENCE)
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

/** Returns the round with the least CPU. Other processes on the machine can only add to a round. */
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

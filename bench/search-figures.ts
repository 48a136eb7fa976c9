import { type Figure, type Outcome, plainFigure, ratioFigure } from './result.ts'
import { measureSearchLatency } from './search-latency.ts'
import { measureSearchQuality, type QualityOptions, type QualityRow, toTableRow, type Way } from './search-quality.ts'
import { rounded } from './table.ts'

/** Measures the quality of search. */
export async function measureQuality(options: QualityOptions): Promise<Outcome> {
  const rows = await measureSearchQuality(options)
  return { tables: [rows.map(toTableRow)], figures: qualityFigures(rows) }
}

/** Measures the latency of search beside the same SQL by hand. */
export async function measureSearch(passages: readonly number[], reseed: boolean): Promise<Outcome> {
  const rows = await measureSearchLatency(passages, reseed)
  const large = rows.filter((_, at) => passages[at] === 100_000)
  return { tables: [rows], figures: [...rows.map(latencyFigure), ...large.map(largeFigure)] }
}

/** A target of the fused ranking over all parts of a set. */
interface Target {
  set: string
  value: 'ndcg' | 'first' | 'gain' | 'passage'
  way: Way
  atLeast: number
}

const TARGETS: Target[] = [
  { set: 'questions', value: 'ndcg', way: 'both', atLeast: 0.54 },
  { set: 'questions', value: 'passage', way: 'vectors', atLeast: 0.45 },
  { set: 'summaries', value: 'ndcg', way: 'both', atLeast: 0.9 },
  { set: 'synonyms', value: 'gain', way: 'both', atLeast: 0.01 },
  { set: 'phrases', value: 'first', way: 'both', atLeast: 0.98 },
  { set: 'names/with accents', value: 'first', way: 'both', atLeast: 0.95 },
  { set: 'names/without accents', value: 'first', way: 'both', atLeast: 0.95 },
  { set: 'names/with a typo', value: 'first', way: 'both', atLeast: 0.95 },
  { set: 'person and period', value: 'first', way: 'both', atLeast: 0.9 }
]

const VALUES = {
  ndcg: 'nDCG@10',
  first: 'right session first',
  gain: 'nDCG@10 over words alone',
  passage: 'right passage first'
}

function qualityFigures(rows: readonly QualityRow[]): Figure[] {
  return TARGETS.flatMap(({ set, value, way, atLeast }) => {
    const measured = rows.filter(row => row.set.startsWith(set) && row.way === way && row[value])
    if (measured.length === 0) return []
    const queries = measured.reduce((sum, row) => sum + row.queries, 0)
    const mean = rounded(measured.reduce((sum, row) => sum + row.queries * row[value]!.mean, 0) / queries, 4)
    const sets = measured.map(row => `${row[value]!.low.toFixed(3)} to ${row[value]!.high.toFixed(3)}`).join(' and ')
    const by = way === 'both' ? '' : ' by vectors alone'
    return [
      plainFigure(`search: ${set}`, `${VALUES[value]}${by} ${mean} of ${queries} (95 %: ${sets})`, mean, { atLeast })
    ]
  })
}

type Latency = Awaited<ReturnType<typeof measureSearchLatency>>[number]

function latencyFigure(row: Latency): Figure {
  const byHand = row['by hand p95 ms']
  const bound = rounded((byHand * 1.2 + 2) / byHand, 2)
  const figure = ratioFigure(
    `search: latency, ${row.search}`,
    {
      measured: `p95 ${row['p95 ms']} ms, recall of vectors ${row['recall of vectors']}`,
      latency: `${row['p50 ms']} / ${row['p95 ms']}`,
      yardstick: `the same SQL by hand: p95 ${byHand} ms`,
      ratio: row['p95 ms'] / byHand
    },
    { atMost: bound }
  )
  return { ...figure, target: '≤ 1.2× + 2 ms' }
}

function largeFigure(row: Latency): Figure {
  const p95 = row['p95 ms']
  return plainFigure(
    `search: ${row.search}, by itself`,
    `p95 ${p95} ms`,
    p95,
    { atMost: 60, unit: ' ms' },
    `${row['p50 ms']} / ${p95}`
  )
}

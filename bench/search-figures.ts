import { type Figure, type Outcome, plainFigure, ratioFigure } from './result.ts'
import { measureSearchLatency } from './search-latency.ts'
import { measureSearchQuality } from './search-quality.ts'
import { rounded } from './table.ts'

/** How well meetings are found. */
export async function measureQuality(folder: string, reseed: boolean): Promise<Outcome> {
  const rows = await measureSearchQuality(folder, reseed)
  return { tables: [rows], figures: qualityFigures(rows) }
}

/** How long a search takes beside the same SQL by hand. */
export async function measureSearch(passages: readonly number[], reseed: boolean): Promise<Outcome> {
  const rows = await measureSearchLatency(passages, reseed)
  const large = rows.filter((_, at) => passages[at] === 100_000)
  return { tables: [rows], figures: [...rows.map(latencyFigure), ...large.map(largeFigure)] }
}

type Quality = Awaited<ReturnType<typeof measureSearchQuality>>

/** Of all parts of the questions together, by words and vectors. */
function qualityFigures(rows: Quality): Figure[] {
  const fused = rows.filter(({ search }) => search.endsWith(', fused'))
  const over = (count: 'questions' | 'summaries', value: 'nDCG@10' | 'nDCG@10 of summaries') => {
    const asked = fused.reduce((sum, row) => sum + row[count], 0)
    return { asked, ndcg: rounded(fused.reduce((sum, row) => sum + row[count] * row[value], 0) / asked, 3) }
  }
  const [questions, summaries] = [over('questions', 'nDCG@10'), over('summaries', 'nDCG@10 of summaries')]
  return [
    plainFigure('search: QMSum’s questions', `nDCG@10 ${questions.ndcg} over ${questions.asked}`, questions.ndcg, { atLeast: 0.53 }),
    plainFigure('search: summaries as queries', `nDCG@10 ${summaries.ndcg} over ${summaries.asked}`, summaries.ndcg, { atLeast: 0.9 })
  ]
}

type Latency = Awaited<ReturnType<typeof measureSearchLatency>>[number]

function latencyFigure(row: Latency): Figure {
  const byHand = row['by hand p95 ms']
  const bound = rounded((byHand * 1.2 + 1) / byHand, 2)
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
  return { ...figure, target: '≤ 1.2× + 1 ms' }
}

function largeFigure(row: Latency): Figure {
  const p95 = row['p95 ms']
  return plainFigure(`search: ${row.search}, by itself`, `p95 ${p95} ms`, p95, { atMost: 50, unit: ' ms' }, `${row['p50 ms']} / ${p95}`)
}

import { percentile } from './load.ts'
import { pause, startWithOwner, untilDone } from './owner.ts'
import { type Outcome, plainFigure } from './result.ts'
import { rounded } from './table.ts'

const DATABASE = 'parlance_bench_correct'
const CORRECTIONS = 20
const MAX_MS = 300

const LINES = 5_000

/** Corrects one name at a time in a long transcript, on Postgres beside an idle server, with the embeddings of the bundled model. */
export async function measureCorrections(): Promise<Outcome> {
  const row = await correctNames()
  const [p50, p95] = [row['p50 ms'], row['p95 ms']]
  const what = `correction of a name in ${LINES.toLocaleString('en')} lines`
  const figure = plainFigure(what, `${p50} ms`, p50, { atMost: MAX_MS, unit: ' ms' }, `${p50} / ${p95}`)
  return { tables: [[row]], figures: [figure] }
}

async function correctNames() {
  const { server, ask, databaseUrl } = await startWithOwner(DATABASE)
  try {
    const { id } = await ask('POST', '/sessions', { title: 'Long', segments: Array.from({ length: LINES }, toLine) })
    while ((await ask('GET', `/sessions/${id}`)).status === 'processing') await pause(500)
    const took: number[] = []
    for (let at = 0; at < CORRECTIONS; at++) {
      const index = Math.floor(((at + 0.5) * LINES) / CORRECTIONS)
      const text = toLine(null, index).text.replace('Parlants', 'Parlance')
      const begun = performance.now()
      await ask('PATCH', `/sessions/${id}/transcript`, { segments: [{ index, text }] })
      took.push(performance.now() - begun)
      // The job that makes its embeddings shall not be in the way of the next correction: the server is idle.
      await untilDone(databaseUrl, 'index-session')
    }
    took.sort((a, b) => a - b)
    return {
      lines: LINES,
      corrections: CORRECTIONS,
      'p50 ms': rounded(percentile(took, 0.5)),
      'p95 ms': rounded(percentile(took, 0.95)),
      'max ms': rounded(took.at(-1) ?? 0)
    }
  } finally {
    await server.stop()
  }
}

function toLine(_: unknown, at: number) {
  const text = `Number ${at}: we have moved region ${at % 97} to Parlants on day ${at % 31}.`
  return { speaker: at % 3 === 0 ? 'Ada' : 'Grace', start: at * 4, end: at * 4 + 3, text }
}

import { percentile } from './load.ts'
import { type Owner, pause, startWithOwner, untilDone } from './owner.ts'
import { type Outcome, ratioFigure } from './result.ts'
import { rounded } from './table.ts'

const DATABASE = 'parlance_bench_apply'
const SESSIONS = 1_000
const LINES = 100
const IMPORTS_AT_ONCE = 8
/** One list after another with pauses, as people and programs send them. */
const EVERY_MS = 20
const BEFORE_MS = 30_000

/** Applies a term to 1,000 sessions, of which each has it, and compares the lists meanwhile with those before. */
export async function measureApplication(): Promise<Outcome> {
  const owner = await startWithOwner(DATABASE)
  try {
    await importSessions(owner)
    const before = await listUntil(owner, pause(BEFORE_MS))
    const { id } = await owner.ask('POST', '/terms', { heard: ['parlants'], meant: 'Parlance' })
    const startedAt = performance.now()
    await owner.ask('POST', `/terms/${id}/apply`)
    const applied = untilApplied(owner, id)
    const during = await listUntil(owner, applied)
    const seconds = (performance.now() - startedAt) / 1_000
    // The embeddings of what was corrected.
    const after = await listUntil(owner, untilDone(owner.databaseUrl, 'index-session'))
    const { sessions_changed: sessions, lines_changed: lines } = await applied
    const rows = Object.entries({ before, 'while it is applied': during, 'while embeddings are made': after })
    const [usual, meanwhile] = [percentile(before, 0.95), percentile([...during, ...after].toSorted(ascending), 0.95)]
    return {
      tables: [
        rows.map(([lists, took]) => ({
          lists,
          count: took.length,
          'p50 ms': rounded(percentile(took, 0.5), 1),
          'p95 ms': rounded(percentile(took, 0.95), 1),
          'p99 ms': rounded(percentile(took, 0.99), 1)
        })),
        [{ sessions, lines, seconds: rounded(seconds, 1) }]
      ],
      figures: [
        ratioFigure(
          `lists while a term is applied to ${sessions} sessions, in ${rounded(seconds)} s`,
          {
            measured: `p95 ${rounded(meanwhile, 1)} ms`,
            yardstick: `before: p95 ${rounded(usual, 1)} ms`,
            ratio: meanwhile / usual
          },
          { atMost: 1.5 }
        )
      ]
    }
  } finally {
    await owner.server.stop()
  }
}

async function importSessions({ ask, databaseUrl }: Owner) {
  let next = 0
  async function importNext() {
    while (next < SESSIONS) {
      const session = next++
      const segments = Array.from({ length: LINES }, (_, at) => toLine(session, at))
      await ask('POST', '/sessions', { title: `Review ${session}`, language: 'en', segments })
    }
  }
  console.log(`Importing ${SESSIONS} sessions …`)
  await Promise.all(Array.from({ length: IMPORTS_AT_ONCE }, importNext))
  await untilDone(databaseUrl, 'process-session', 'index-session')
}

function toLine(session: number, at: number) {
  const what = at % 40 === session % 40 ? 'to Parlants, as we said,' : 'to another place'
  const text = `Number ${session}/${at}: we have moved region ${(at * 7 + session) % 97} ${what} on day ${at % 31}.`
  return { speaker: at % 3 === 0 ? 'Ada' : 'Grace', start: at * 4, end: at * 4 + 3, text }
}

interface Application {
  status: string
  error: string | null
  sessions_changed: number
  lines_changed: number
}

async function untilApplied({ ask }: Owner, termId: string) {
  for (;;) {
    const found = await ask<Application>('GET', `/terms/${termId}/apply`)
    if (found.status === 'failed') throw new Error(`The term was not applied: ${found.error}`)
    if (found.status === 'completed') return found
    await pause(200)
  }
}

/** Lists sessions until something has happened. Returns the milliseconds of each list, ascending. */
async function listUntil({ ask }: Owner, ended: Promise<unknown>) {
  const took: number[] = []
  let isOver = false
  const over = ended.finally(() => {
    isOver = true
  })
  while (!isOver) {
    const begun = performance.now()
    await ask('GET', '/sessions?limit=20')
    took.push(performance.now() - begun)
    await pause(EVERY_MS)
  }
  await over
  return took.toSorted(ascending)
}

function ascending(one: number, other: number) {
  return one - other
}

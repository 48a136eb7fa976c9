import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { databaseUrl, recreateDatabase } from './database.ts'
import { createUser, importFile, temporaryDirectory } from './import.ts'
import { percentile } from './load.ts'
import { cpuOf, memoryOf } from './proc.ts'
import { type Outcome, plainFigure, type Row } from './result.ts'
import { startProduct, type Where } from './server.ts'
import { rounded } from './table.ts'

const DATABASE = 'parlance_bench_start'
const SAMPLES = fileURLToPath(new URL('../samples/', import.meta.url))
const STARTS = 3
const IDLE_MS = 10_000

/** Measures the time from the start of the process until it is ready, with the samples imported, and its memory after ten idle seconds. */
export async function measureStarts(): Promise<Outcome> {
  await recreateDatabase(DATABASE)
  const places: Record<string, Where> = {
    'embedded database': { DATA_DIR: join(temporaryDirectory(), 'data') },
    Postgres: { DATABASE_URL: databaseUrl(DATABASE) }
  }
  const outcome: Outcome = { tables: [], figures: [] }
  const rows: Row[] = []
  for (const [name, where] of Object.entries(places)) {
    // The first start creates the tables, which the command needs.
    await (await startProduct(where)).stop()
    await createUser(where)
    const { completed } = await importFile(where, ...readdirSync(SAMPLES).map(file => join(SAMPLES, file)))
    const { seconds, cpu, megabytes } = await startOver(where)
    rows.push({
      start: name,
      sessions: completed,
      'best s': rounded(Math.min(...seconds), 2),
      'median s': rounded(
        percentile(
          seconds.toSorted((a, b) => a - b),
          0.5
        ),
        2
      ),
      'CPU s': rounded(Math.min(...cpu), 2),
      'memory MB': rounded(megabytes)
    })
    const best = Math.min(...seconds)
    outcome.figures.push(
      plainFigure(
        `start to ready, ${name}`,
        `${rounded(best, 2)} s, the best of ${STARTS} (${rounded(Math.min(...cpu), 2)} s of CPU)`,
        best,
        { atMost: 3, unit: ' s' }
      ),
      plainFigure(
        `memory after start, idle for 10 s, ${name}`,
        `${rounded(megabytes)} MB (${rounded((megabytes * 1e6) / 2 ** 20)} MiB)`,
        megabytes,
        { atMost: 330, unit: ' MB' }
      )
    )
  }
  return { ...outcome, tables: [rows] }
}

async function startOver(where: Where) {
  const seconds: number[] = []
  const cpu: number[] = []
  let megabytes = Number.NaN
  for (let n = 1; n <= STARTS; n++) {
    const server = await startProduct(where)
    try {
      seconds.push(server.startedInMs / 1_000)
      cpu.push((cpuOf(server.pid) ?? Number.NaN) / 1e6)
      if (n === STARTS) {
        await new Promise(done => setTimeout(done, IDLE_MS))
        megabytes = (memoryOf(server.pid) ?? Number.NaN) / 1e6
      }
    } finally {
      await server.stop()
    }
  }
  return { seconds, cpu, megabytes }
}

import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import packageJson from '../../package.json' with { type: 'json' }
import type { OpenDatabase } from '../db/open.ts'
import { connectionMetrics } from './connections.ts'
import { type DatabaseFigures, databaseMetrics } from './database.ts'
import type { Meter } from './meter.ts'
import { requestMetrics } from './requests.ts'

/** What one process has counted, as it is handed to another. */
export type Samples = Awaited<ReturnType<Registry['getMetricsAsJSON']>>

export interface Figures extends DatabaseFigures {
  database: Pick<OpenDatabase, 'pool' | 'load'>
  /** How many processes serve the public port now. */
  serving(): number
  /** What each of the processes beside this one has counted; of one that does not answer nothing is told. */
  others?(): Promise<Samples[]>
}

export interface Metrics {
  meter: Meter
  /** An attempt to deliver a webhook ended: `delivered`, or the word for what went wrong. */
  attempted(result: string): void
  /** A session was given up. */
  sessionFailed(): void
  /** A worker ended that nobody had told to. */
  workerDied(): void
  /** The text of a scrape. It is there without the database too. */
  text(): Promise<{ type: string; text: string }>
}

/** Everything that the first, or only, process of a server counts; nothing of it is kept outside. Labels are templates and words of the code, never ids or contents. */
export function openMetrics(figures: Figures): Metrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  new Gauge({ name: 'parlance_info', help: 'The version that runs', labelNames: ['version'], registers }).set(
    { version: packageJson.version },
    1
  )
  const attempts = new Counter({
    name: 'parlance_webhook_attempts_total',
    help: 'Attempts to deliver a webhook by this process, by what became of them',
    labelNames: ['result'],
    registers
  })
  attempts.inc({ result: 'delivered' }, 0)
  const failed = new Counter({ name: 'parlance_sessions_failed_total', help: 'Sessions given up by this process', registers })
  new Gauge({
    name: 'parlance_workers',
    help: 'Processes that serve the public port',
    registers,
    collect() {
      this.set(figures.serving())
    }
  })
  const deaths = new Counter({ name: 'parlance_worker_deaths_total', help: 'Workers that ended untold, and were replaced', registers })
  const database = databaseMetrics(registry, figures)
  connectionMetrics(registry, figures.database)
  const meter = requestMetrics(registry)

  return {
    meter,
    attempted: result => attempts.inc({ result }),
    sessionFailed: () => failed.inc(),
    workerDied: () => deaths.inc(),
    async text() {
      const [others = []] = await Promise.all([figures.others?.(), database.refresh()])
      const whole = others.length === 0 ? registry : merged([await registry.getMetricsAsJSON(), ...others])
      return { type: registry.contentType, text: await whole.metrics() }
    }
  }
}

/** What a worker counts. Its series carry its number, so that those of a worker that is replaced begin anew and no sum over all falls. */
export function openWorkerMetrics(database: Pick<OpenDatabase, 'load'>, worker: number) {
  const registry = new Registry()
  registry.setDefaultLabels({ worker: String(worker) })
  collectDefaultMetrics({ register: registry })
  connectionMetrics(registry, database)
  const meter = requestMetrics(registry)
  return { meter, samples: (): Promise<Samples> => registry.getMetricsAsJSON() }
}

/** All series under one heading for each metric. Those of different processes differ in their labels, so nothing is ever added up here. */
function merged(all: Samples[]) {
  return AggregatorRegistry.aggregate(all.map(samples => samples.map(metric => ({ ...metric, aggregator: 'first' }))))
}

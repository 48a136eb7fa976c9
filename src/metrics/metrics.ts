import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import packageJson from '../../package.json' with { type: 'json' }
import { type DatabaseFigures, databaseMetrics } from './database.ts'
import type { Meter } from './meter.ts'
import { requestMetrics } from './requests.ts'

export interface Metrics {
  meter: Meter
  /** An attempt to deliver a webhook ended: `delivered`, or the word for what went wrong. */
  attempted(result: string): void
  /** A session was given up. */
  sessionFailed(): void
  /** The text of a scrape. It is there without the database too. */
  text(): Promise<{ type: string; text: string }>
}

/** Everything that one server process counts; nothing of it is kept outside. Labels are templates and words of the code, never ids or contents. */
export function openMetrics(figures: DatabaseFigures): Metrics {
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
  const database = databaseMetrics(registry, figures)
  const meter = requestMetrics(registry)

  return {
    meter,
    attempted: result => attempts.inc({ result }),
    sessionFailed: () => failed.inc(),
    async text() {
      await database.refresh()
      return { type: registry.contentType, text: await registry.metrics() }
    }
  }
}

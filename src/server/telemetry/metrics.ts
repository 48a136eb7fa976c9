import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import packageJson from '../../../package.json' with { type: 'json' }
import type { Meter } from '../../features/access/meter.ts'
import type { OpenDatabase } from '../../platform/db/open.ts'
import { connectionMetrics } from './connection-metrics.ts'
import { type DatabaseFigures, databaseMetrics } from './database-metrics.ts'
import { requestMetrics } from './request-metrics.ts'

interface Figures extends DatabaseFigures {
  database: Pick<OpenDatabase, 'pool' | 'load'>
}

export interface Metrics {
  meter: Meter
  /** An attempt to deliver a webhook ended: `delivered`, or the kind of error. */
  attempted(result: string): void
  sessionFailed(): void
  /** An attempt at a session ended because the provider of AI did not answer. */
  providerAway(): void
  /** A provider has answered a request of the summarizer. */
  tokensUsed(tokens: { input: number; output: number }): void
  /** The answer to a scrape. Without the database it lacks the database's figures. */
  text(): Promise<{ type: string; text: string }>
}

/** The metrics of this process. Labels are route templates and words of the code, never ids or contents. */
export function openMetrics(figures: Figures): Metrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  new Gauge({
    name: 'parlance_info',
    help: 'Always 1, with the version as a label',
    labelNames: ['version'],
    registers
  }).set({ version: packageJson.version }, 1)
  const attempts = new Counter({
    name: 'parlance_webhook_attempts_total',
    help: 'Webhook attempts of this process, by result: delivered, or the error word of the delivery log',
    labelNames: ['result'],
    registers
  })
  attempts.inc({ result: 'delivered' }, 0)
  const failed = new Counter({
    name: 'parlance_sessions_failed_total',
    help: 'Sessions that this process marked as failed',
    registers
  })
  const away = new Counter({
    name: 'parlance_provider_waits_total',
    help: 'Attempts at sessions that ended because the AI provider did not answer, and are repeated',
    registers
  })
  const tokens = new Counter({
    name: 'parlance_summary_tokens_total',
    help: 'Tokens of the requests to the AI provider for summaries, by direction: input or output, as the provider counts them',
    labelNames: ['direction'],
    registers
  })
  for (const direction of ['input', 'output']) tokens.inc({ direction }, 0)
  const database = databaseMetrics(registry, figures)
  connectionMetrics(registry, figures.database)
  const meter = requestMetrics(registry)

  return {
    meter,
    attempted: result => attempts.inc({ result }),
    sessionFailed: () => failed.inc(),
    providerAway: () => away.inc(),
    tokensUsed({ input, output }) {
      tokens.inc({ direction: 'input' }, input)
      tokens.inc({ direction: 'output' }, output)
    },
    async text() {
      await database.refresh()
      return { type: registry.contentType, text: await registry.metrics() }
    }
  }
}

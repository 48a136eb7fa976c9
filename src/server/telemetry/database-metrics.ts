import { Counter, Gauge, type Registry } from 'prom-client'
import { DELIVERIES } from '../../features/webhooks/delivery/health.ts'
import type { Clock } from '../../platform/core/clock.ts'
import type { OpenDatabase } from '../../platform/db/open.ts'
import { JOBS } from '../../platform/jobs/job-counts.ts'
import { EMBEDDINGS, FEED } from './database-statements.ts'
import { openReadings, type Reading } from './readings.ts'

export interface DatabaseFigures {
  database: Pick<OpenDatabase, 'pool'>
  clock: Clock
  /** Undefined while search compares terms only. */
  embeddingModel: string | undefined
  /** The job queues; each state of each queue is reported, so that an empty queue shows 0. */
  queues: readonly string[]
}

type OpenGauge = (name: string, what: string, labelNames?: string[]) => Gauge

const OFTEN = { freshForMs: 10_000, timeoutMs: 1_500 }
/** For a statement that reads every session. */
const SELDOM = { freshForMs: 300_000, timeoutMs: 10_000 }

const JOB_STATES = ['created', 'retry', 'active', 'failed']

/** Opens gauges of the database's content. `refresh` sets them, and never rejects. */
export function databaseMetrics(registry: Registry, { database, clock, embeddingModel, queues }: DatabaseFigures) {
  const registers = [registry]
  const clearings: (() => void)[] = []
  const openGauge: OpenGauge = (name, what, labelNames = []) => {
    const gauge = new Gauge({ name, help: `${what} (of the database)`, labelNames, registers })
    // Resetting a gauge without labels would show 0; removing it shows nothing.
    clearings.push(() => (labelNames.length > 0 ? gauge.reset() : gauge.remove()))
    return gauge
  }

  const databaseUp = new Gauge({
    name: 'parlance_database_up',
    help: '1 when the database answered within a second',
    registers
  })
  const failures = new Counter({
    name: 'parlance_database_readings_failed_total',
    help: 'Queries for this page that failed although the database was available',
    registers
  })
  const readings = openReadings(
    database.pool,
    [
      feedLag(openGauge, clock),
      pendingDeliveries(openGauge, clock),
      unfinishedJobs(openGauge, queues),
      embeddingBacklog(openGauge, embeddingModel)
    ],
    () => failures.inc()
  )

  return {
    async refresh() {
      const isUp = await readings.refresh()
      for (const clear of clearings) clear()
      readings.show()
      databaseUp.set(isUp ? 1 : 0)
    }
  }
}

function feedLag(openGauge: OpenGauge, clock: Clock): Reading {
  const lag = openGauge(
    'parlance_feed_lag_events',
    'Events that the slowest client of the feed with a valid token has not acknowledged'
  )
  return { ...OFTEN, text: FEED, values: () => [clock.now()], show: ([row]) => lag.set(Number(row?.lag)) }
}

function pendingDeliveries(openGauge: OpenGauge, clock: Clock): Reading {
  const pending = openGauge(
    'parlance_webhook_deliveries',
    'Webhook deliveries that are not done, by state: waiting, sending',
    ['state']
  )
  const oldest = openGauge('parlance_webhook_oldest_due_seconds', 'Age of the oldest delivery that is due')
  return {
    ...OFTEN,
    text: DELIVERIES,
    values: () => [clock.now()],
    show([row]) {
      pending.set({ state: 'waiting' }, Number(row?.waiting))
      pending.set({ state: 'sending' }, Number(row?.sending))
      oldest.set(Number(row?.oldest ?? 0))
    }
  }
}

function unfinishedJobs(openGauge: OpenGauge, queues: readonly string[]): Reading {
  const what = `Background jobs that are not done, by queue and state: ${JOB_STATES.join(', ')}`
  const queued = openGauge('parlance_jobs', what, ['queue', 'state'])
  return {
    ...OFTEN,
    text: JOBS,
    values: () => [],
    show(rows) {
      for (const queue of queues) for (const state of JOB_STATES) queued.set({ queue, state }, 0)
      for (const { queue, state, jobs } of rows) {
        if (queues.includes(String(queue))) queued.set({ queue: String(queue), state: String(state) }, Number(jobs))
      }
    }
  }
}

function embeddingBacklog(openGauge: OpenGauge, model: string | undefined): Reading {
  const backlog = openGauge('parlance_embedding_backlog_sessions', 'Sessions without embeddings of the current model')
  return { ...SELDOM, text: EMBEDDINGS, values: () => [model], show: ([row]) => backlog.set(Number(row?.sessions)) }
}

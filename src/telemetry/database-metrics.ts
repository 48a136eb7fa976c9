import { Counter, Gauge, type Registry } from 'prom-client'
import type { Clock } from '../core/clock.ts'
import { within } from '../core/within.ts'
import type { OpenDatabase } from '../db/open.ts'
import { type Group, parametersOf, READINGS, type Reading } from './statement-metrics.ts'

export interface DatabaseFigures {
  database: Pick<OpenDatabase, 'pool'>
  clock: Clock
  /** Undefined where search goes by words alone. */
  embeddingModel: string | undefined
  /** The job queues; each state of each queue is reported, so that an empty queue shows 0. */
  queues: readonly string[]
}

type Row = Record<string, unknown>
interface Read {
  rows: Row[]
  at: number
}

/** How long a scrape waits for the database. */
const WAIT_MS = 2_000
/** How long a figure is shown after it has become stale. Then it is left out: no figure is better than an old one. */
const SHOWN_FOR_MS = 60_000

const JOB_STATES = ['created', 'retry', 'active', 'failed']

/** Gauges of what the database holds. `refresh` sets them, and never rejects. */
export function databaseMetrics(registry: Registry, { database, clock, embeddingModel, queues }: DatabaseFigures) {
  const gauges = makeGauges(registry)
  const read = new Map<Group, Read>()
  const tried = new Map<Group, number>()
  let reading: Promise<void> | undefined

  /** One refresh at a time, on one connection: a slow database does not get the queries of every scrape. */
  function readStale() {
    reading ??= readEach().finally(() => {
      reading = undefined
    })
    return reading
  }

  async function readEach() {
    for (const reading of READINGS) {
      const { group, freshFor } = reading
      if (isFresh(tried.get(group), freshFor)) continue
      const at = performance.now()
      tried.set(group, at)
      const rows = await ask(reading, parametersOf(group, clock.now(), embeddingModel)).catch(() => undefined)
      if (rows) read.set(group, { rows, at })
      else gauges.failures.inc()
    }
  }

  async function ask({ text, most }: Reading, values: unknown[]): Promise<Row[]> {
    const client = await database.pool.connect()
    let broken = true
    try {
      await client.query('begin read only')
      await client.query(`set local statement_timeout = ${most}`)
      const { rows } = await client.query(text, values).finally(() => client.query('rollback'))
      broken = false
      return rows
    } catch (error) {
      broken = !(error instanceof Error && 'code' in error && error.code === '57014')
      throw error
    } finally {
      client.release(broken)
    }
  }

  /** After an outage of the database every figure is read again. */
  function forget() {
    read.clear()
    tried.clear()
  }

  function rowsOf(group: Group) {
    const known = read.get(group)
    const freshFor = READINGS.find(one => one.group === group)?.freshFor ?? 0
    return isFresh(known?.at, freshFor + SHOWN_FOR_MS) ? known?.rows : undefined
  }

  function show() {
    for (const gauge of gauges.labelled) gauge.reset()
    // Resetting a gauge without labels shows 0; removing it shows nothing.
    for (const gauge of gauges.single) gauge.remove()
    for (const { lag } of rowsOf('feed') ?? []) gauges.lag.set(Number(lag))
    for (const { waiting, sending, oldest } of rowsOf('deliveries') ?? []) {
      gauges.deliveries.set({ state: 'waiting' }, Number(waiting))
      gauges.deliveries.set({ state: 'sending' }, Number(sending))
      gauges.oldest.set(Number(oldest ?? 0))
    }
    for (const { sessions } of rowsOf('embeddings') ?? []) gauges.embeddings.set(Number(sessions))
    const jobs = rowsOf('jobs')
    if (jobs) showJobs(jobs)
  }

  function showJobs(rows: Row[]) {
    for (const queue of queues) for (const state of JOB_STATES) gauges.jobs.set({ queue, state }, 0)
    for (const { queue, state, jobs } of rows) {
      if (queues.includes(String(queue))) gauges.jobs.set({ queue: String(queue), state: String(state) }, Number(jobs))
    }
  }

  return {
    async refresh() {
      const up = await within(1_000, database.pool.query('select 1')).then(
        () => true,
        () => false
      )
      if (up) await within(WAIT_MS, readStale()).catch(() => {})
      else forget()
      show()
      gauges.up.set(up ? 1 : 0)
    }
  }
}

function isFresh(at: number | undefined, forMs: number) {
  return at !== undefined && performance.now() - at < forMs
}

function makeGauges(registry: Registry) {
  const registers = [registry]
  const gauge = <L extends string>(name: string, help: string, labelNames: L[] = []) => new Gauge({ name, help, labelNames, registers })
  const lag = gauge(
    'parlance_feed_lag_events',
    'Events that the slowest client of the feed with a valid token has not acknowledged (of the database)'
  )
  const deliveries = gauge(
    'parlance_webhook_deliveries',
    'Webhook deliveries that are not done, by state: waiting, sending (of the database)',
    ['state']
  )
  const oldest = gauge('parlance_webhook_oldest_due_seconds', 'Age of the oldest delivery that is due (of the database)')
  const jobs = gauge(
    'parlance_jobs',
    'Background jobs that are not done, by queue and state: created, retry, active, failed (of the database)',
    ['queue', 'state']
  )
  const embeddings = gauge('parlance_embedding_backlog_sessions', 'Sessions without embeddings of the current model (of the database)')
  return {
    lag,
    deliveries,
    oldest,
    jobs,
    embeddings,
    labelled: [deliveries, jobs],
    single: [lag, oldest, embeddings],
    up: gauge('parlance_database_up', '1 when the database answered within a second'),
    failures: new Counter({
      name: 'parlance_database_readings_failed_total',
      help: 'Queries for this page that failed although the database was available',
      registers
    })
  }
}

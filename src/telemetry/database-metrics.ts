import { Counter, Gauge, type Registry } from 'prom-client'
import type { Clock } from '../core/clock.ts'
import { codeOf } from '../core/error-code.ts'
import { within } from '../core/within.ts'
import type { OpenDatabase } from '../db/open.ts'
import { DELIVERIES, EMBEDDINGS, FEED, JOBS } from './database-statements.ts'

export interface DatabaseFigures {
  database: Pick<OpenDatabase, 'pool'>
  clock: Clock
  /** Undefined while search compares terms only. */
  embeddingModel: string | undefined
  /** The job queues; each state of each queue is reported, so that an empty queue shows 0. */
  queues: readonly string[]
}

type MetricRow = Record<string, unknown>

/** A statement, and the gauges that show its rows. */
interface Reading {
  text: string
  values(): unknown[]
  /** The time for which its rows may be used, and the pause after an error, in milliseconds. */
  freshForMs: number
  /** Its statement timeout in milliseconds. */
  timeoutMs: number
  show(rows: MetricRow[]): void
}

const OFTEN = { freshForMs: 10_000, timeoutMs: 1_500 }
/** For a statement that reads every session. */
const SELDOM = { freshForMs: 300_000, timeoutMs: 10_000 }

/** The time that a scrape waits for the database. */
const WAIT_MS = 2_000
/** The time for which a stale figure is shown. Then it is left out: no figure is better than an old one. */
const SHOWN_FOR_MS = 60_000

const JOB_STATES = ['created', 'retry', 'active', 'failed']

/** Opens gauges of the database's content. `refresh` sets them, and never rejects. */
export function databaseMetrics(registry: Registry, { database, clock, embeddingModel, queues }: DatabaseFigures) {
  const registers = [registry]
  const clearings: (() => void)[] = []
  function openGauge(name: string, what: string, labelNames: string[] = []) {
    const gauge = new Gauge({ name, help: `${what} (of the database)`, labelNames, registers })
    // Resetting a gauge without labels would show 0; removing it shows nothing.
    clearings.push(() => (labelNames.length > 0 ? gauge.reset() : gauge.remove()))
    return gauge
  }

  const lag = openGauge(
    'parlance_feed_lag_events',
    'Events that the slowest client of the feed with a valid token has not acknowledged'
  )
  const feed: Reading = {
    ...OFTEN,
    text: FEED,
    values: () => [clock.now()],
    show: ([row]) => lag.set(Number(row?.lag))
  }

  const pending = openGauge(
    'parlance_webhook_deliveries',
    'Webhook deliveries that are not done, by state: waiting, sending',
    ['state']
  )
  const oldest = openGauge('parlance_webhook_oldest_due_seconds', 'Age of the oldest delivery that is due')
  const deliveries: Reading = {
    ...OFTEN,
    text: DELIVERIES,
    values: () => [clock.now()],
    show([row]) {
      pending.set({ state: 'waiting' }, Number(row?.waiting))
      pending.set({ state: 'sending' }, Number(row?.sending))
      oldest.set(Number(row?.oldest ?? 0))
    }
  }

  const ofJobs = `Background jobs that are not done, by queue and state: ${JOB_STATES.join(', ')}`
  const queued = openGauge('parlance_jobs', ofJobs, ['queue', 'state'])
  const jobs: Reading = {
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

  const backlog = openGauge('parlance_embedding_backlog_sessions', 'Sessions without embeddings of the current model')
  const embeddings: Reading = {
    ...SELDOM,
    text: EMBEDDINGS,
    values: () => [embeddingModel],
    show: ([row]) => backlog.set(Number(row?.sessions))
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
  const readings = [feed, deliveries, jobs, embeddings]
  let tried = new Map<Reading, number>()
  let read = new Map<Reading, { rows: MetricRow[]; at: number }>()
  let reading: Promise<void> | undefined

  /** One refresh at a time, on one connection: a slow database does not get the queries of every scrape. */
  function readStale() {
    reading ??= readEach().finally(() => {
      reading = undefined
    })
    return reading
  }

  async function readEach() {
    for (const one of readings) {
      if (isFresh(tried.get(one), one.freshForMs)) continue
      const at = performance.now()
      tried.set(one, at)
      const rows = await ask(one).catch(() => undefined)
      if (rows) read.set(one, { rows, at })
      else failures.inc()
    }
  }

  async function ask({ text, values, timeoutMs }: Reading): Promise<MetricRow[]> {
    const client = await database.pool.connect()
    let broken = true
    try {
      await client.query('begin read only')
      await client.query(`set local statement_timeout = ${timeoutMs}`)
      const { rows } = await client.query(text, values()).finally(() => client.query('rollback'))
      broken = false
      return rows
    } catch (error) {
      broken = codeOf(error) !== '57014'
      throw error
    } finally {
      client.release(broken)
    }
  }

  return {
    async refresh() {
      const up = await within(1_000, database.pool.query('select 1')).then(
        () => true,
        () => false
      )
      if (up) await within(WAIT_MS, readStale()).catch(() => {})
      else {
        // After an outage of the database every figure is read again.
        tried = new Map()
        read = new Map()
      }
      for (const clear of clearings) clear()
      for (const [{ freshForMs, show }, { rows, at }] of read) if (isFresh(at, freshForMs + SHOWN_FOR_MS)) show(rows)
      databaseUp.set(up ? 1 : 0)
    }
  }
}

function isFresh(at: number | undefined, forMs: number) {
  return at !== undefined && performance.now() - at < forMs
}

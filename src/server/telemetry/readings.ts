import { codeOf } from '../../platform/core/error-code.ts'
import { within } from '../../platform/core/within.ts'
import type { OpenDatabase } from '../../platform/db/open.ts'

type MetricRow = Record<string, unknown>

/** A statement, and the gauges that show its rows. */
export interface Reading {
  text: string
  values(): unknown[]
  /** The time for which its rows may be used, and the pause after an error, in milliseconds. */
  freshForMs: number
  /** Its statement timeout in milliseconds. */
  timeoutMs: number
  show(rows: MetricRow[]): void
}

/** The time that a scrape waits for the database. */
const WAIT_MS = 2_000
/** The time for which a stale figure is shown. Then it is left out: no figure is better than an old one. */
const SHOWN_FOR_MS = 60_000

/** Runs the statements whose rows are stale, and keeps the last rows of each. */
export function openReadings(pool: OpenDatabase['pool'], readings: Reading[], onFailure: () => void) {
  let triedAt = new Map<Reading, number>()
  let lastRows = new Map<Reading, { rows: MetricRow[]; at: number }>()
  let refreshing: Promise<void> | undefined

  /** One refresh at a time, on one connection: a slow database does not get the queries of every scrape. */
  function refreshStale() {
    refreshing ??= refreshEach().finally(() => {
      refreshing = undefined
    })
    return refreshing
  }

  async function refreshEach() {
    for (const reading of readings) {
      if (isFresh(triedAt.get(reading), reading.freshForMs)) continue
      const at = performance.now()
      triedAt.set(reading, at)
      const rows = await query(pool, reading).catch(() => undefined)
      if (rows) lastRows.set(reading, { rows, at })
      else onFailure()
    }
  }

  return {
    /** Never rejects. Returns whether the database is up. */
    async refresh() {
      const isUp = await within(1_000, pool.query('select 1')).then(
        () => true,
        () => false
      )
      if (isUp) await within(WAIT_MS, refreshStale()).catch(() => {})
      else {
        // After an outage of the database every figure is read again.
        triedAt = new Map()
        lastRows = new Map()
      }
      return isUp
    },
    /** Shows the rows that are not too old. */
    show() {
      for (const [{ freshForMs, show }, { rows, at }] of lastRows)
        if (isFresh(at, freshForMs + SHOWN_FOR_MS)) show(rows)
    }
  }
}

async function query(pool: OpenDatabase['pool'], { text, values, timeoutMs }: Reading): Promise<MetricRow[]> {
  const client = await pool.connect()
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

function isFresh(at: number | undefined, forMs: number) {
  return at !== undefined && performance.now() - at < forMs
}

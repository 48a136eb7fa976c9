import type pg from 'pg'
import type { SynchronizedClock } from '../core/clock.ts'
import type { Queryable } from './database.ts'
import { sql } from './drizzle.ts'

const EVERY_MS = 5_000
/** The first reading may open the connection, which takes too long for a reading. */
const FIRST_READINGS = 3

/** Makes the clock follow the database's, which every process shares. Returns a function that stops this. */
export async function followDatabase(clock: SynchronizedClock, database: Queryable): Promise<() => void> {
  let reading = false

  async function read() {
    reading = true
    const asked = performance.now()
    try {
      const [row] = await database.query<{ ms: number }>(
        sql`select extract(epoch from clock_timestamp())::float8 * 1000 as ms`
      )
      if (row) clock.synchronize(row.ms, asked, performance.now())
    } finally {
      reading = false
    }
  }

  for (let turn = 0; turn < FIRST_READINGS; turn++) await read()
  // While the database is away, the clock continues by itself. Other code reports the outage.
  const timer = setInterval(() => reading || void read().catch(() => {}), EVERY_MS).unref()
  return () => clearInterval(timer)
}

/**
 * Returns how far the database's clock is ahead of this machine's, in seconds: as far as is proven, because it was read at some moment between the
 * question and the answer. A slow answer proves no difference.
 */
export async function measureClockSkew(pool: pg.Pool): Promise<number> {
  // Opening the connection would count as the way to the database.
  await pool.query('select')
  const asked = Date.now()
  const { rows } = await pool.query('select extract(epoch from clock_timestamp())::float8 * 1000 as at')
  const at = Number(rows[0]?.at)
  return (Math.max(at - Date.now(), 0) + Math.min(at - asked, 0)) / 1_000
}

import type { Follower } from '../core/clock.ts'
import type { Reader } from './open.ts'

const EVERY_MS = 5_000
/** The first of them may make the connection. */
const FIRST_READINGS = 3

const READ_CLOCK = { name: 'read_clock', text: 'select extract(epoch from clock_timestamp())::float8 * 1000' }

/** Has the clock follow the database's, which every process shares, until it is told to stop. */
export async function followDatabase(clock: Follower, database: Reader): Promise<() => void> {
  let reading = false

  async function read() {
    reading = true
    const asked = performance.now()
    try {
      const [row] = await database.run<[number]>(READ_CLOCK, [])
      if (row) clock.heed(row[0], asked, performance.now())
    } finally {
      reading = false
    }
  }

  for (let turn = 0; turn < FIRST_READINGS; turn++) await read()
  // While the database is away the clock goes on by itself; that it is away is for others to report.
  const timer = setInterval(() => reading || void read().catch(() => {}), EVERY_MS).unref()
  return () => clearInterval(timer)
}

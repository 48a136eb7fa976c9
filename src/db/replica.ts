import pg from 'pg'
import { within } from '../core/within.ts'
import type { Reader, Statement } from './open.ts'

/** A replica that is slower than this is of no use to whoever waits. */
const ANSWER_WITHIN_MS = 2_000
/** How long one that has failed is left alone; then one statement finds out whether it is back. */
const REST_MS = 10_000

/**
 * Asks the replica, and the primary where that does not answer: nobody sees that it is away, but by the primary's load. What it tells may be
 * older than what was answered to a change, by as much as it lags.
 */
export function preferReplica(replica: Reader, primary: Reader, onError: (fault: Error) => void): Reader {
  /** 0 while it answers. */
  let restUntil = 0

  return {
    async run<Row extends unknown[]>(statement: Statement, values: unknown[]) {
      const now = performance.now()
      if (now < restUntil) return await primary.run<Row>(statement, values)
      if (restUntil > 0) restUntil = now + REST_MS
      try {
        const rows = await within(ANSWER_WITHIN_MS, replica.run<Row>(statement, values))
        restUntil = 0
        return rows
      } catch (fault) {
        // What it applies has got in the way of this one statement; of the next it may not.
        if (!isConflict(fault)) {
          // Those that were under way with it need not say so as well.
          if (restUntil === 0) onError(new Error('The replica does not answer, the primary is asked instead', { cause: fault }))
          restUntil = now + REST_MS
        }
        return await primary.run<Row>(statement, values)
      }
    }
  }
}

function isConflict(fault: unknown) {
  return fault instanceof Error && 'code' in fault && fault.code === '40001'
}

/** How much of what its primary writes the replica has: a place in the write-ahead log. Undefined where it is no replica. */
export async function findReplayed(url: string): Promise<string | undefined> {
  const client = new pg.Client({ connectionString: url, application_name: 'parlance doctor', connectionTimeoutMillis: 5_000 })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query('select pg_last_wal_replay_lsn()::text as place where pg_is_in_recovery()')
    return rows[0]?.place
  } finally {
    await client.end().catch(() => {})
  }
}

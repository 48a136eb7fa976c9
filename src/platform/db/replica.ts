import pg from 'pg'
import { codeOf } from '../core/error-code.ts'
import { within } from '../core/within.ts'
import type { Queryable } from './database.ts'
import type { SQL } from './drizzle.ts'

const SERIALIZATION_FAILURE = '40001'
const TIMEOUT_MS = 2_000
/** The time without reads from a replica that failed. Then one statement tests whether it answers again. */
const RETRY_AFTER_MS = 10_000

/**
 * Reads from the replica, and from the primary where the replica does not answer. Rows of the replica may be older than changes that were
 * already answered, by as much as it lags.
 */
export function preferReplica(replica: Queryable, primary: Queryable, onError: (error: Error) => void): Queryable {
  /** 0 while the replica answers. */
  let retryAt = 0

  return {
    async query<Row extends pg.QueryResultRow>(statement: SQL) {
      const now = performance.now()
      if (now < retryAt) return await primary.query<Row>(statement)
      if (retryAt > 0) retryAt = now + RETRY_AFTER_MS
      try {
        const rows = await within(TIMEOUT_MS, replica.query<Row>(statement))
        retryAt = 0
        return rows
      } catch (error) {
        // A conflict with the changes that the replica applies ends this one statement; the next may succeed.
        if (codeOf(error) !== SERIALIZATION_FAILURE) {
          // The first of the statements in flight reports the failure.
          if (retryAt === 0)
            onError(new Error('The replica does not answer; searches read from the primary', { cause: error }))
          retryAt = now + RETRY_AFTER_MS
        }
        return await primary.query<Row>(statement)
      }
    }
  }
}

/** Returns how many bytes of changes the replica has still to apply. Undefined if the server is not a replica. */
export async function measureReplicaLag(primary: pg.Pool, url: string): Promise<number | undefined> {
  const replayed = await findReplayed(url)
  if (replayed === undefined) return undefined
  const { rows } = await primary.query('select pg_wal_lsn_diff(pg_current_wal_lsn(), $1::pg_lsn)::float8 as bytes', [
    replayed
  ])
  return Math.max(Number(rows[0]?.bytes), 0)
}

/** Returns the position in the write-ahead log up to which the replica has applied changes. */
async function findReplayed(url: string): Promise<string | undefined> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'parlance doctor',
    connectionTimeoutMillis: 5_000
  })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query('select pg_last_wal_replay_lsn()::text as place where pg_is_in_recovery()')
    return rows[0]?.place
  } finally {
    await client.end().catch(() => {})
  }
}

import pg from 'pg'
import { openRecurring } from '../../work/recurring.ts'

const EVERY_MS = 5_000

/** The maximum of the write-ahead log that a start after a crash replays, besides what is written between two checks. */
const MAX_LOG_BYTES = 32 * 1024 * 1024

/**
 * The tables that autovacuum's default thresholds choose. The counters are lost in a crash: tables without any are vacuumed once. Empty tables
 * are left out, since a plan for an empty table suits no other.
 */
const DUE_TABLES = `
  select format('%I.%I', schemaname, relname) as name,
    n_dead_tup > 50 + 0.2 * n_live_tup or n_ins_since_vacuum > 1000 + 0.2 * n_live_tup or (last_vacuum is null and not system) as vacuum,
    n_mod_since_analyze > 50 + 0.1 * n_live_tup and schemaname <> 'pg_toast' as analyze
  from pg_stat_all_tables cross join lateral (select schemaname in ('pg_catalog', 'pg_toast', 'information_schema') as system) kind
  where pg_relation_size(relid) > 0`

const LOG_BYTES = 'select (pg_current_wal_insert_lsn() - redo_lsn)::float8 as bytes from pg_control_checkpoint()'

/**
 * Does what autovacuum and the checkpointer do for a PostgreSQL server: the embedded engine has no background processes. Each table is one
 * statement, so that others have their turn in between.
 */
export function maintain(socketDir: string) {
  let stopped = false

  async function look(client: pg.Client) {
    const { rows } = await client.query<{ name: string; vacuum: boolean; analyze: boolean }>(DUE_TABLES)
    for (const { name, vacuum, analyze } of rows) {
      if (stopped) return
      if (vacuum) await client.query(`vacuum ${analyze ? '(analyze) ' : ''}${name}`)
      else if (analyze) await client.query(`analyze ${name}`)
    }
    const { rows: log } = await client.query<{ bytes: number }>(LOG_BYTES)
    if (!stopped && Number(log[0]?.bytes) > MAX_LOG_BYTES) await client.query('checkpoint')
  }

  async function run() {
    const client = new pg.Client({
      host: socketDir,
      user: 'postgres',
      database: 'postgres',
      application_name: 'parlance maintenance'
    })
    client.on('error', () => {})
    try {
      await client.connect()
      await look(client)
    } finally {
      await client.end().catch(() => {})
    }
  }

  // The engine is ending, restarting or full. Its users get the error, and the next round tries again.
  const rounds = openRecurring(run, EVERY_MS, () => {})
  return {
    /** Waits for the current statement. */
    async stop() {
      stopped = true
      await rounds.stop()
    }
  }
}

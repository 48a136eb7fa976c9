import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { z } from 'zod'
import { codeOf } from '../core/error-code.ts'
import { OperatorError } from '../core/operator-error.ts'
import { distributeTables, isDistributed, listUndistributed } from './distribute.ts'
import { drizzle, migrate } from './drizzle.ts'
import { explain } from './explain.ts'
import { connectionTo, KEEP_ALIVE, MIGRATION_SETTINGS } from './settings.ts'
import { createVector, requireUsable, tryRights, type Versions } from './usable.ts'

const FOLDER = fileURLToPath(new URL('../../migrations', import.meta.url))

/** The lock that migrating processes of this program take. Advisory locks are per database. */
const LOCK = 7_165_201

const Journal = z.object({ entries: z.array(z.object({ when: z.number() })) })

/** The location of the database: a connection string, or the folder of an embedded one's socket. */
export type Address = { connectionString: string } | { socketDir: string }

/**
 * The time that a change waits for a table. Later statements wait as long, so it is less than the timeout of requests. It is also
 * less than the database takes to look for deadlocks, so that the migration gives way to the other transaction.
 */
const LOCK_TIMEOUT_MS = 500
const PAUSE_MS = 1_500
const LOCK_NOT_AVAILABLE = '55P03'
const DEADLOCK = '40P01'
/** The time to wait in all. A backup of a large database takes hours, and the error names it; transactions of this program are shorter. */
const PATIENCE_MS = 300_000

/** The oldest transaction that uses a table of the program. A role without rights on its session does not see when it began. */
const HOLDER = `
  select pid, format('%s (process %s of the database) has used the table %s%s', coalesce(nullif(application_name, ''), 'a program'), pid,
    relation::regclass, ' for ' || extract(epoch from clock_timestamp() - xact_start)::int || ' s') as words
  from pg_locks join pg_stat_activity using (pid) join pg_class on pg_class.oid = relation
  where granted and pid <> pg_backend_pid() and relkind in ('r', 'p')
    and relnamespace in (select oid from pg_namespace where nspname in ('public', 'drizzle'))
  order by xact_start nulls first limit 1`

export interface Waiting {
  patienceMs?: number
  /** Called with a sentence when the migration begins to wait for a table. */
  onWait?: (reason: string) => void
}

/**
 * Migrates the schema to this program's version, while servers of the version before it keep running. On a cluster it distributes the new
 * tables. Processes that start at once wait for each other, since drizzle's migrator takes no lock (drizzle-team/drizzle-orm#874).
 * Throws an OperatorError if the schema is newer than this program or from 0.1, if a table stays in use, or if server, database or role lack a
 * requirement.
 */
export async function migrateDatabase(address: Address, { patienceMs = PATIENCE_MS, onWait }: Waiting = {}) {
  await withClient(address, async client => {
    await requireUsable(client)
    // All clients of the embedded database share one session, where only a transaction keeps the others out.
    await client.query('socketDir' in address ? 'begin' : `select pg_advisory_lock(${LOCK})`)
    refuseUnknown(await appliedLast(client))
    await createVector(client)
    if ('connectionString' in address) await client.query(`set lock_timeout = ${LOCK_TIMEOUT_MS}`)
    const deadline = performance.now() + patienceMs
    for (let attempt = 1; !(await migratedAtOnce(client)); attempt++) {
      const { words, pid } = (await client.query(HOLDER)).rows[0] ?? {}
      const holder = words ?? 'other transactions use its tables all the time'
      if (performance.now() > deadline)
        throw new OperatorError(
          `The schema could not be changed: ${holder}. Try again when that is over${pid ? `, or run: select pg_terminate_backend(${pid})` : ''}`
        )
      if (attempt === 1) onWait?.(`The migration waits up to ${patienceMs / 1_000} s for a table: ${holder}`)
      await new Promise(wake => setTimeout(wake, PAUSE_MS))
    }
  })
}

/** Runs all pending migrations in one transaction. Returns false, and changes nothing, if that would make others wait. */
async function migratedAtOnce(client: pg.Client) {
  try {
    await migrate(drizzle({ client }), { migrationsFolder: FOLDER })
    if (await isDistributed(client)) await distributeTables(client)
    return true
  } catch (error) {
    const codes = [codeOf(error), error instanceof Error ? codeOf(error.cause) : '']
    if (codes.some(code => code === LOCK_NOT_AVAILABLE || code === DEADLOCK)) return false
    throw error
  }
}

/** Distributes the tables of a migrated database; see `distributeTables`. */
export async function distributeDatabase(address: Address, shards: number): Promise<string[]> {
  return await withClient(address, async client => {
    await client.query('select pg_advisory_lock($1)', [LOCK])
    return await distributeTables(client, shards)
  })
}

/** Returns the names of the tables that are not distributed yet. Throws an OperatorError without a cluster. */
export async function findUndistributed(address: Address): Promise<string[]> {
  return await withClient(address, async client => (await listUndistributed(client)).map(({ name }) => name))
}

/** Returns the number of pending migrations. Throws an OperatorError for a newer schema, and for one of 0.1. */
export async function countPendingMigrations(address: Address) {
  return await withClient(address, async client => {
    const applied = await appliedLast(client)
    refuseUnknown(applied)
    return journal().filter(({ when }) => when > applied).length
  })
}

/** Checks what a migration needs. Returns versions and the number of pending migrations. Changes nothing; throws as `migrateDatabase`. */
export async function inspectDatabase(address: Address): Promise<Versions & { pending: number }> {
  const versions = await withClient(address, async client => {
    const found = await requireUsable(client)
    await tryRights(client)
    return found
  })
  return { ...versions, pending: await countPendingMigrations(address) }
}

/** The number of migrations that an empty database lacks. */
export function countMigrations() {
  return journal().length
}

function journal() {
  return Journal.parse(JSON.parse(readFileSync(`${FOLDER}/meta/_journal.json`, 'utf8'))).entries
}

function refuseUnknown(applied: number) {
  const entries = journal()
  if (applied > (entries.at(-1)?.when ?? 0))
    throw new OperatorError(
      'The database has a newer schema than this version of Parlance knows; run the newer version'
    )
  if (applied > 0 && applied < (entries[0]?.when ?? 0))
    throw new OperatorError(
      'The database is from Parlance 0.1, which this version cannot read; give it an empty database'
    )
}

/** Returns the time of the newest applied migration, in epoch milliseconds; 0 for an empty database. */
async function appliedLast(client: pg.Client) {
  const { rows: known } = await client.query("select to_regclass('drizzle.__drizzle_migrations') is not null as yes")
  if (!known[0]?.yes) return 0
  const { rows } = await client.query(
    'select coalesce(max(created_at), 0)::float8 as at from drizzle.__drizzle_migrations'
  )
  return Number(rows[0]?.at)
}

async function withClient<T>(address: Address, use: (client: pg.Client) => Promise<T>) {
  let connected = false
  const client = new pg.Client(
    'socketDir' in address
      ? { host: address.socketDir, user: 'postgres', database: 'postgres', application_name: 'parlance migrate' }
      : { ...connectionTo(address.connectionString, MIGRATION_SETTINGS), ...KEEP_ALIVE, connectionTimeoutMillis: 5_000 }
  )
  // Without a listener, a connection that breaks ends the process; the current statement fails in any case.
  client.on('error', () => {})
  try {
    await client.connect()
    connected = true
    return await use(client)
  } catch (error) {
    throw 'socketDir' in address ? error : explain(error, client, connected)
  } finally {
    await client.end().catch(() => {})
  }
}

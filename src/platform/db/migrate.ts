import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type pg from 'pg'
import { z } from 'zod'
import { codeOf } from '../core/error-code.ts'
import { OperatorError } from '../core/operator-error.ts'
import { type Address, withClient } from './client.ts'
import { distributeTables, isDistributed, listUndistributed } from './distribute.ts'
import { drizzle, migrate } from './drizzle.ts'
import { MIGRATION_SETTINGS } from './settings.ts'
import { createVector, requireUsable, tryRights, type Versions } from './usable.ts'

const FOLDER = fileURLToPath(new URL('../../../migrations', import.meta.url))

/** The lock that migrating processes of this program take. Advisory locks are per database. */
const LOCK = 7_165_201

const Journal = z.object({ entries: z.array(z.object({ when: z.number(), tag: z.string() })) })

/**
 * The time that a change waits for a table. Later statements wait as long, so it is less than the timeout of requests. It is also
 * less than the database takes to look for deadlocks, so that the migration gives way to the other transaction.
 */
const LOCK_TIMEOUT_MS = 500
const PAUSE_MS = 1_500
/** The times that an attempt waits for another migration. A transaction that does nothing for longer than the second is ended. */
const FIRST_WAIT_MS = 1_000
const LATER_WAIT_MS = 20_000
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

/** The other migration of this program, if one is running. */
const OTHER_MIGRATION = `
  select pid, format('another migration (process %s of the database), for %s s', pid,
    extract(epoch from clock_timestamp() - xact_start)::int) as words
  from pg_locks join pg_stat_activity using (pid)
  where locktype = 'advisory' and granted and objid = ${LOCK} and database = (select oid from pg_database where datname = current_database())`

export interface Waiting {
  patienceMs?: number
  /** Called with a sentence when the migration begins to wait for a table or for another migration. */
  onWait?: (reason: string) => void
  /** Called after a migration that changed the schema. */
  onMigrated?: (migrated: Migrated) => void
}

/** A migration that changed the schema. The versions are names of migrations. */
interface Migrated {
  from: string
  to: string
  tookMs: number
}

/**
 * Migrates the schema to this program's version, while servers of the version before it keep running. On a cluster it distributes the new
 * tables. Processes that start at once wait for each other, since drizzle's migrator takes no lock (drizzle-team/drizzle-orm#874).
 * Throws an OperatorError if the schema is newer than this program or of a build before the first release, if a table stays in use, or if server,
 * database or role lack a requirement.
 */
export async function migrateDatabase(
  address: Address,
  { patienceMs = PATIENCE_MS, onWait, onMigrated }: Waiting = {}
) {
  await withClient(address, MIGRATION_SETTINGS, async client => {
    await requireUsable(client)
    const startedAt = performance.now()
    const deadline = startedAt + patienceMs
    const lock = 'connectionString' in address ? takeLock : undefined
    for (let attempt = 1; ; attempt++) {
      // Waiting for another migration disturbs nobody. The first attempt ends early, to say that it waits.
      const waitMs = attempt === 1 ? FIRST_WAIT_MS : Math.max(deadline - performance.now(), FIRST_WAIT_MS)
      const applied = await migrateAtOnce(
        client,
        address,
        lock && (() => lock(client, Math.min(waitMs, LATER_WAIT_MS)))
      )
      if (applied !== undefined) {
        const [from, to] = [nameOf(applied), nameOf(newest())]
        if (from !== to) onMigrated?.({ from, to, tookMs: Math.round(performance.now() - startedAt) })
        return
      }
      const holder = await findHolder(client)
      if (performance.now() > deadline)
        throw new OperatorError(
          `The schema could not be changed: ${holder.words}. Try again when that is over${holder.pid ? `, or run: select pg_terminate_backend(${holder.pid})` : ''}`
        )
      if (attempt === 1)
        onWait?.(`The migration waits up to ${patienceMs / 1_000} s for ${holder.subject}: ${holder.words}`)
      if (holder.subject === 'a table') await new Promise(wake => setTimeout(wake, PAUSE_MS))
    }
  })
}

/** The holder of what the migration waits for. */
async function findHolder(client: pg.Client) {
  const [other] = (await client.query<{ pid: number; words: string }>(OTHER_MIGRATION)).rows
  if (other) return { ...other, subject: 'another migration' }
  const [user] = (await client.query<{ pid: number; words: string }>(HOLDER)).rows
  return {
    ...(user ?? { pid: undefined, words: 'other transactions use its tables all the time' }),
    subject: 'a table'
  }
}

/** The lock of a transaction, because one of a session outlives its client at a pooler. */
async function takeLock(client: pg.ClientBase, waitMs: number) {
  await client.query(`set local statement_timeout = 0; set local lock_timeout = ${Math.ceil(waitMs)}`)
  await client.query(`select pg_advisory_xact_lock(${LOCK})`)
  await client.query(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`)
}

/**
 * Runs all pending migrations in one transaction. Returns the time of the newest migration before it. Returns undefined, and changes nothing,
 * if another migration is running or if this one would make others wait.
 */
async function migrateAtOnce(client: pg.Client, address: Address, lock: (() => Promise<void>) | undefined) {
  try {
    // On the embedded database, whose clients share a session, the transaction itself keeps the others out.
    await client.query('begin')
    await lock?.()
    const applied = await newestApplied(client, address)
    await createVector(client)
    // Its own `begin` only warns that there is a transaction, so its `commit` ends this one.
    await migrate(drizzle({ client }), { migrationsFolder: FOLDER })
    if (await isDistributed(client)) await distributeAtOnce(client, lock)
    return applied
  } catch (error) {
    await client.query('rollback')
    const codes = [codeOf(error), error instanceof Error ? codeOf(error.cause) : '']
    if (codes.some(code => code === LOCK_NOT_AVAILABLE || code === DEADLOCK)) return undefined
    throw error
  }
}

async function distributeAtOnce(client: pg.Client, lock: (() => Promise<void>) | undefined, shards?: number) {
  await client.query('begin')
  await lock?.()
  const tables = await distributeTables(client, shards)
  await client.query('commit')
  return tables
}

/** Distributes the tables of a migrated database; see `distributeTables`. */
export async function distributeDatabase(address: Address, shards: number): Promise<string[]> {
  return await withClient(address, MIGRATION_SETTINGS, async client => {
    const lock = () => client.query(`select pg_advisory_xact_lock(${LOCK})`).then(() => {})
    return await distributeAtOnce(client, lock, shards)
  })
}

/** Returns the names of the tables that are not distributed yet. Throws an OperatorError without a cluster. */
export async function findUndistributed(address: Address): Promise<string[]> {
  return await withClient(address, MIGRATION_SETTINGS, async client =>
    (await listUndistributed(client)).map(({ name }) => name)
  )
}

/** Returns the number of pending migrations. Throws an OperatorError for a newer schema, and for one of a build before the first release. */
export async function countPendingMigrations(address: Address) {
  return await withClient(address, MIGRATION_SETTINGS, async client => {
    const applied = await newestApplied(client, address)
    return journal().filter(({ when }) => when > applied).length
  })
}

/** Checks what a migration needs. Returns versions and the number of pending migrations. Changes nothing; throws as `migrateDatabase`. */
export async function inspectDatabase(address: Address): Promise<Versions & { pending: number }> {
  const versions = await withClient(address, MIGRATION_SETTINGS, async client => {
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

/** The time of the newest migration of this program. */
function newest() {
  return journal().at(-1)?.when ?? 0
}

function nameOf(migration: number) {
  return journal().find(({ when }) => when === migration)?.tag ?? 'an empty database'
}

/**
 * Returns the time of the newest applied migration, in epoch milliseconds; 0 for an empty database. Throws an OperatorError if one of them is not this
 * program's: a later version knows more of them, and builds before the first release had others of the same time.
 */
async function newestApplied(client: pg.Client, address: Address) {
  const { rows: known } = await client.query("select to_regclass('drizzle.__drizzle_migrations') is not null as yes")
  if (!known[0]?.yes) return 0
  const { rows } = await client.query<{ hash: string; at: number }>(
    'select hash, created_at::float8 as at from drizzle.__drizzle_migrations order by created_at'
  )
  const applied = rows.at(-1)?.at ?? 0
  if (applied > newest())
    throw new OperatorError(
      'The database has a newer schema than this version of Parlance knows; run the newer version'
    )
  const own = new Set(journal().map(({ tag }) => hashOf(tag)))
  if (!rows.every(({ hash }) => own.has(hash))) throw new OperatorError(refusal(address))
  return applied
}

/** The hash of a migration as drizzle stores it. */
function hashOf(tag: string) {
  return createHash('sha256')
    .update(readFileSync(`${FOLDER}/${tag}.sql`, 'utf8'))
    .digest('hex')
}

function refusal(address: Address) {
  const [place, instead] =
    'socketDir' in address
      ? [`in ${address.dataDir}`, `move ${address.dataDir} away, or set another DATA_DIR`]
      : ['of DATABASE_URL', 'name an empty database in DATABASE_URL']
  return `The database ${place} is of a build of Parlance from before 28 November 2026 (0.1, or a commit between it and 0.2.0), which no later one can read. To use this build, ${instead}, and import again`
}

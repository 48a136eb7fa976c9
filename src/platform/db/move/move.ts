import pg from 'pg'
import { OperatorError } from '../../core/operator-error.ts'
import { withClient } from '../client.ts'
import { openEngineAlone } from '../embedded/engine.ts'
import { countPendingMigrations, migrateDatabase } from '../migrate.ts'
import { findAddress } from '../server-address.ts'
import { MIGRATION_SETTINGS, type ServerAddress } from '../settings.ts'
import { type Contents, copyRows, readContents } from './copy.ts'
import { columnList, listTables, quoted, type Table, titleOf } from './tables.ts'
import { holdTarget, liftForeignKeys, markTarget, unmarkTarget } from './target.ts'

/** The contents of a table, in the source and in the target. */
interface MovedTable extends Contents {
  table: string
}

interface Moving {
  dataDir: string
  /** The URL of the empty database. */
  to: string
  /** Creates the schema of pg-boss on the target. */
  createQueues: (address: ServerAddress) => Promise<void>
  /** Copies the files of the data directory, while no server can change them. */
  copyFiles: () => Promise<void>
  onTable: (table: string) => void
}

export interface Recording {
  key: string
  bytes: number
}

interface Moved {
  tables: MovedTable[]
  /** The recordings that the database knows. */
  recordings: Recording[]
}

/** The target waits while the source computes the digest of a large table. */
const TARGET_SETTINGS = { ...MIGRATION_SETTINGS, idle_in_transaction_session_timeout: '0', lock_timeout: '10s' }

const QUEUES_VERSION = 'select version::text as version from pgboss.version'

/**
 * Copies everything in the embedded database to an empty PostgreSQL database, and compares each table. The source is only read. All rows of the target
 * come in one transaction, which also removes its mark: after an interruption it has none, and nothing but another move opens it.
 */
export async function moveDatabase({ dataDir, to, createQueues, copyFiles, onTable }: Moving): Promise<Moved> {
  const engine = await openEngineAlone(dataDir)
  const source = { socketDir: engine.socketDir, dataDir }
  try {
    if ((await countPendingMigrations(source)) > 0)
      throw new OperatorError(
        `The database in ${dataDir} does not have the tables of this version; start and stop the server of this version on it first`
      )
    const address = await findAddress(to, { moving: true })
    await withTarget(address, markTarget)
    await migrateDatabase(address)
    await createQueues(address)
    await copyFiles()
    return await withSource(source, from => withTarget(address, onto => copyAll(from, onto, onTable)))
  } finally {
    await engine.close()
  }
}

/** Reads everything in one transaction that cannot write, as text. */
async function withSource<T>({ socketDir }: { socketDir: string }, use: (client: pg.Client) => Promise<T>) {
  const client = new pg.Client({
    host: socketDir,
    user: 'postgres',
    database: 'postgres',
    application_name: 'parlance move',
    types: { getTypeParser: () => (text: string | Buffer) => text }
  })
  client.on('error', () => {})
  await client.connect()
  try {
    await client.query('begin isolation level repeatable read read only')
    return await use(client)
  } finally {
    await client.end().catch(() => {})
  }
}

async function withTarget<T>(address: ServerAddress, use: (client: pg.Client) => Promise<T>) {
  return await withClient(address, TARGET_SETTINGS, use, '--to')
}

async function copyAll(source: pg.Client, target: pg.Client, onTable: Moving['onTable']): Promise<Moved> {
  const tables = await listTables(source)
  await requireSameTables(tables, await listTables(target))
  await target.query('begin')
  await holdTarget(target)
  await requireSameQueues(source, target, tables)
  const addForeignKeys = await liftForeignKeys(target)
  // pg-boss has just filled its own. In the opposite order, because jobs are of a queue.
  for (const table of tables.toReversed()) await target.query(`delete from ${quoted(table)}`)
  const { rows } = await source.query<{ key: string; bytes: string }>('select key, bytes from media order by key')
  const moved: MovedTable[] = []
  for (const table of tables) {
    const name = titleOf(table)
    onTable(name)
    await copyRows(source, target, table)
    const [before, after] = [await readContents(source, table), await readContents(target, table)]
    if (before.rows !== after.rows || before.digest !== after.digest)
      throw new OperatorError(
        `The table ${name} differs after the copy: ${before.rows} rows (${before.digest}) became ${after.rows} (${after.digest}); the target stays refused, and the source is as it was`
      )
    moved.push({ table: name, ...after })
  }
  await addForeignKeys()
  await unmarkTarget(target)
  await target.query('commit')
  // Otherwise the first statements would be planned for empty tables.
  await target.query('analyze')
  return { tables: moved, recordings: rows.map(({ key, bytes }) => ({ key, bytes: Number(bytes) })) }
}

/** Both have run the same migrations, so a difference is a change that an operator made. */
async function requireSameTables(source: Table[], target: Table[]) {
  const describe = (table: Table) => `${titleOf(table)} (${columnList(table)})`
  const known = new Set(target.map(describe))
  const foreign = source.find(table => table.schema === 'public' && !known.has(describe(table)))
  if (foreign)
    throw new OperatorError(
      `The source has a table that this version does not know: ${describe(foreign)}; remove it first`
    )
}

/** The rows of pg-boss are copied between equal versions of its schema only. */
async function requireSameQueues(source: pg.Client, target: pg.Client, tables: Table[]) {
  if (!tables.some(({ schema }) => schema === 'pgboss')) return
  const [before, after] = [await source.query(QUEUES_VERSION), await target.query(QUEUES_VERSION)]
  if (before.rows[0]?.version !== after.rows[0]?.version)
    throw new OperatorError(
      'The queues of the source are of another version; start and stop the server of this version on it first'
    )
}

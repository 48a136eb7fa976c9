import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { drizzle } from 'drizzle-orm/node-postgres'
import { migrate } from 'drizzle-orm/node-postgres/migrator'
import pg from 'pg'
import { z } from 'zod'

const FOLDER = fileURLToPath(new URL('../../migrations', import.meta.url))

/** The one lock that migrating processes of this program take; advisory locks are per database. */
const LOCK = 7_165_201

const Journal = z.object({ entries: z.array(z.object({ when: z.number() })) })

/** Where to find the database: a connection string, or the folder of an embedded one's socket. */
export type Address = { connectionString: string } | { socketDir: string }

export class SchemaTooNew extends Error {}

/**
 * Brings the schema up to this program's. Processes that start at once wait for each other, since drizzle's migrator
 * takes no lock of its own (drizzle-team/drizzle-orm#874). Throws SchemaTooNew when the schema is already past this program.
 */
export async function migrateDatabase(address: Address) {
  await withClient(address, async client => {
    await client.query('select pg_advisory_lock($1)', [LOCK])
    refuseNewer(await appliedLast(client))
    await client.query('create extension if not exists vector')
    await migrate(drizzle({ client }), { migrationsFolder: FOLDER })
  })
}

/** How many of this program's migrations the database still lacks. Throws SchemaTooNew. */
export async function countPendingMigrations(address: Address) {
  return await withClient(address, async client => {
    const applied = await appliedLast(client)
    refuseNewer(applied)
    return journal().filter(({ when }) => when > applied).length
  })
}

function journal() {
  return Journal.parse(JSON.parse(readFileSync(`${FOLDER}/meta/_journal.json`, 'utf8'))).entries
}

function refuseNewer(applied: number) {
  const newest = journal().at(-1)?.when ?? 0
  if (applied > newest) throw new SchemaTooNew('The database has a newer schema than this version of Parlance knows; run the newer version')
}

/** When the newest applied migration was made, in epoch milliseconds; 0 for an empty database. */
async function appliedLast(client: pg.Client) {
  const { rows: known } = await client.query("select to_regclass('drizzle.__drizzle_migrations') is not null as yes")
  if (!known[0]?.yes) return 0
  const { rows } = await client.query('select coalesce(max(created_at), 0)::float8 as at from drizzle.__drizzle_migrations')
  return Number(rows[0]?.at)
}

async function withClient<T>(address: Address, use: (client: pg.Client) => Promise<T>) {
  const client = new pg.Client(
    'socketDir' in address
      ? { host: address.socketDir, user: 'postgres', database: 'postgres' }
      : { ...address, connectionTimeoutMillis: 5_000 }
  )
  // Without a listener, a connection that breaks ends the process; the statement under way fails in any case.
  client.on('error', () => {})
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}

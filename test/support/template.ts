import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { distributeDatabase, migrateDatabase } from '../../src/platform/db/migrate.ts'
import { openDatabase } from '../../src/platform/db/open.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /**
     * A Postgres that the workers share, with the prefix of the databases that tests make there, of which `template` is one; or the
     * folder of an embedded database. Templates are migrated, without content. Tests copy them, which is much faster than migrating. On a
     * Citus cluster `url` is the coordinator's, and `workers` are those of the other nodes, which have the same databases.
     */
    database: { url: string; prefix: string; template: string; workers: string[] } | { template: string }
  }
}

/**
 * Migrates once before the run, for all projects: the database of TEST_DATABASE_URL and a template beside it, a template on every node of
 * the Citus cluster whose coordinator TEST_CITUS_URL names, or an embedded one.
 */
export default async function prepareDatabase({ vitest }: TestProject) {
  const run = vitest.getRootProject()
  if ('database' in run.getProvidedContext()) return
  const prefix = `parlance_process_${process.pid}_`
  const template = `${prefix}template`
  const coordinator = process.env.TEST_CITUS_URL
  if (coordinator) {
    const workers = await createClusterTemplate(coordinator, template)
    const url = await createDatabase(coordinator, `${prefix}shared`, template, workers)
    run.provide('database', { url, prefix, template, workers })
    return () => Promise.all([coordinator, ...workers].map(node => dropDatabases(node, prefix)))
  }
  const url = process.env.TEST_DATABASE_URL
  if (url) {
    await migrateDatabase({ connectionString: url })
    await migrateDatabase({ connectionString: await createDatabase(url, template) })
    run.provide('database', { url, prefix, template, workers: [] })
    return () => dropDatabases(url, prefix)
  }
  const folder = await mkdtemp(join(tmpdir(), 'parlance-template-'))
  const { engine, close } = await openDatabase({
    url: undefined,
    dataDir: folder,
    share: false,
    name: 'parlance test',
    onError: () => {}
  })
  await migrateDatabase({ socketDir: engine!.socketDir, dataDir: folder })
  await close()
  run.provide('database', { template: folder })
  return () => rm(folder, { recursive: true, force: true })
}

/** Copies a template to a new database beside the one at the address, and at the named workers. Returns the new address. */
export async function createDatabase(url: string, name: string, template = 'template1', workers: string[] = []) {
  await Promise.all([url, ...workers].map(node => executeOn(node, `create database ${name} template ${template}`)))
  const address = databaseBeside(url, name)
  // The role's settings for a database are not copied with it.
  if (workers.length > 0) await distributeDatabase({ connectionString: address }, SHARDS)
  return address
}

/** Fewer shards than a cluster usually has, because each test copies them. */
const SHARDS = 8

/** Makes a distributed template on every node of a cluster, closed to connections so that it can be copied. Returns the workers' addresses. */
async function createClusterTemplate(url: string, name: string): Promise<string[]> {
  const { address, workers } = await createClusterDatabase(url, name)
  await migrateDatabase({ connectionString: address })
  await distributeDatabase({ connectionString: address }, SHARDS)
  for (const node of [url, ...workers]) {
    await executeOn(node, `alter database ${name} allow_connections false`)
    await executeOn(node, `select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = '${name}'`)
  }
  return workers
}

/** Makes an empty database on every node of the cluster of the database at the address. Returns its address, and those of the workers. */
export async function createClusterDatabase(url: string, name: string) {
  const found = await rowsOn(
    url,
    "select nodename, nodeport, groupid from pg_dist_node where isactive and noderole = 'primary' order by groupid"
  )
  const nodes = found.map(({ nodename, nodeport, groupid }) => ({
    address: Object.assign(new URL(url), { hostname: nodename, port: nodeport }).href,
    join: `select ${groupid === 0 ? 'citus_set_coordinator_host' : 'citus_add_node'}('${nodename}', ${nodeport})`
  }))
  for (const { address } of nodes) {
    await executeOn(address, `create database ${name} template template0 encoding 'UTF8'`)
    await executeOn(databaseBeside(address, name), 'create extension citus')
  }
  for (const { join } of nodes) await executeOn(databaseBeside(url, name), join)
  return { address: databaseBeside(url, name), workers: nodes.slice(1).map(({ address }) => address) }
}

/** Returns the address of the database with that name on the server. */
export function databaseBeside(url: string, name: string) {
  const address = new URL(url)
  address.pathname = `/${name}`
  return address.href
}

/** Executes a statement of the server's administration, which has no statement timeout: a checkpoint may take long. */
export async function executeOn(url: string, statement: string) {
  await rowsOn(url, statement)
}

export async function rowsOn(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query(statement).finally(() => client.end())
  return rows
}

/**
 * Drops all databases at the end: each drop makes the server write all changed pages, and its test would wait for that. Concurrent
 * drops share one write.
 */
async function dropDatabases(url: string, prefix: string) {
  const pool = new pg.Pool({ connectionString: url, max: 8 })
  try {
    const { rows } = await pool.query('select datname from pg_database where starts_with(datname, $1)', [prefix])
    await Promise.all(rows.map(({ datname }) => pool.query(`drop database ${datname} with (force)`)))
  } finally {
    await pool.end()
  }
}

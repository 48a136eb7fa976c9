import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { migrateDatabase } from '../../src/db/migrate.ts'
import { openDatabase } from '../../src/db/open.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /**
     * A Postgres that the workers share, with how the names of databases begin that tests make there, of which `template` is one; or the
     * folder of an embedded database. Templates are migrated, without content, and copied: much faster than migrating each.
     */
    database: { url: string; prefix: string; template: string } | { template: string }
  }
}

/** Migrates once before the run, for all projects: the database of TEST_DATABASE_URL and a template beside it, or an embedded one. */
export default async function prepareDatabase({ vitest }: TestProject) {
  const run = vitest.getRootProject()
  if ('database' in run.getProvidedContext()) return
  const url = process.env.TEST_DATABASE_URL
  if (url) {
    await migrateDatabase({ connectionString: url })
    const prefix = `parlance_process_${process.pid}_`
    const template = `${prefix}template`
    await migrateDatabase({ connectionString: await createDatabase(url, template) })
    run.provide('database', { url, prefix, template })
    return () => dropDatabases(url, prefix)
  }
  const template = await mkdtemp(join(tmpdir(), 'parlance-template-'))
  const { engine, close } = await openDatabase({ url: undefined, dataDir: template, share: false, name: 'template', onError: () => {} })
  await migrateDatabase({ socketDir: engine!.socketDir })
  await close()
  run.provide('database', { template })
  return () => rm(template, { recursive: true, force: true })
}

/** Beside the one at the address, as a copy of a template. The address of the new one. */
export async function createDatabase(url: string, name: string, template = 'template1') {
  await executeOn(url, `create database ${name} template ${template}`)
  const address = new URL(url)
  address.pathname = `/${name}`
  return address.href
}

/** Executes a statement of the server's administration, which has no statement timeout: a checkpoint may take long. */
export async function executeOn(url: string, statement: string) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(statement).finally(() => client.end())
}

/**
 * All at the end: dropping one makes the server write out what all have changed, and its test would wait for that; those dropped at
 * once share it.
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

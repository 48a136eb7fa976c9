import { rm } from 'node:fs/promises'
import type { TestProject } from 'vitest/node'
import { migrateDatabase } from '../../src/db/migrate.ts'
import { openDatabase } from '../../src/db/open.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** A Postgres that the workers share, or the folder of an embedded database to copy. */
    database: { url: string } | { template: string }
  }
}

const TEMPLATE = 'node_modules/.cache/test-database'

/** Migrates one database before the run: the one of TEST_DATABASE_URL, or an embedded one that each worker copies. */
export default async function prepareDatabase({ provide }: TestProject) {
  const url = process.env.TEST_DATABASE_URL
  if (url) {
    await migrateDatabase({ connectionString: url })
    return provide('database', { url })
  }
  await rm(TEMPLATE, { recursive: true, force: true })
  const { engine, close } = await openDatabase({ url: undefined, dataDir: TEMPLATE, share: false, name: 'template', onError: () => {} })
  await migrateDatabase({ socketDir: engine!.socketDir })
  await close()
  provide('database', { template: TEMPLATE })
}

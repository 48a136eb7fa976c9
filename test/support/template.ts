import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { migrateDatabase } from '../../src/db/migrate.ts'
import { openDatabase } from '../../src/db/open.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** A Postgres that the workers share, or the folder of an embedded database to copy. */
    database: { url: string } | { template: string }
  }
}

/** Migrates one database before the run: the one of TEST_DATABASE_URL, or an embedded one that each worker copies. */
export default async function prepareDatabase({ provide }: TestProject) {
  const url = process.env.TEST_DATABASE_URL
  if (url) {
    await migrateDatabase({ connectionString: url })
    return provide('database', { url })
  }
  const template = await mkdtemp(join(tmpdir(), 'parlance-template-'))
  const { engine, close } = await openDatabase({ url: undefined, dataDir: template, share: false, name: 'template', onError: () => {} })
  await migrateDatabase({ socketDir: engine!.socketDir })
  await close()
  provide('database', { template })
  return () => rm(template, { recursive: true, force: true })
}

import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { migrateDatabase } from '../../src/db/migrate.ts'
import { freePort, type Place, temporaryFolder } from '../support/process.ts'
import { UNLIMITED } from './load.ts'

const VERSIONS = '/usr/lib/postgresql'

/** Whether this machine lets the tests run a Postgres of their own: as root, which may become its user. */
export const canRunCluster = process.getuid?.() === 0 && existsSync(VERSIONS)

/** A Postgres of the test's own, to be stopped and to be filled up. `folder` is where its data goes; a new one unless given. */
export async function startCluster(folder = mkdtempSync(join(tmpdir(), 'parlance-cluster-'))) {
  const bin = join(VERSIONS, readdirSync(VERSIONS).sort().at(-1)!, 'bin')
  const port = await freePort()
  const data = join(folder, 'data')
  const as = (program: string, ...words: string[]) =>
    execFileSync('runuser', ['-u', 'postgres', '--', join(bin, program), ...words], { cwd: '/', stdio: ['ignore', 'ignore', 'pipe'] })
  mkdirSync(folder, { recursive: true })
  chmodSync(folder, 0o777)
  as('initdb', '-D', data, '-A', 'trust', '-U', 'parlance', '--no-sync', '-E', 'UTF8')
  const options = `-p ${port} -k ${folder} -c listen_addresses=127.0.0.1 -c max_connections=100 -c wal_level=minimal -c max_wal_senders=0`
  const start = () => as('pg_ctl', '-D', data, '-w', '-t', '60', '-l', join(folder, 'log'), '-o', options, 'start')
  start()
  onTestFinished(() => {
    try {
      as('pg_ctl', '-D', data, '-w', '-m', 'immediate', 'stop')
    } catch {
      // It was stopped by the test.
    }
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  })
  return {
    url: `postgres://parlance@127.0.0.1:${port}/postgres`,
    port,
    folder,
    start,
    stop: (mode: 'fast' | 'immediate') => as('pg_ctl', '-D', data, '-w', '-m', mode, 'stop')
  }
}

/** A Postgres of the test's own with the schema, and the environment that makes a server use it. */
export async function ownCluster(folder?: string) {
  const cluster = await startCluster(folder)
  await migrateDatabase({ connectionString: cluster.url })
  const dataDir = temporaryFolder()
  const environment = { DATABASE_URL: cluster.url, DATA_DIR: dataDir, SECRET_KEY: 'a secret for tests, and for nothing else', ...UNLIMITED }
  const place: Place = { environment, url: cluster.url, dataDir }
  return { cluster, place }
}

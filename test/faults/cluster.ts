import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { migrateDatabase } from '../../src/platform/db/migrate.ts'
import { linkModel } from '../support/models.ts'
import { freePort, type Place, temporaryFolder } from '../support/process.ts'
import { UNLIMITED } from './load.ts'

const VERSIONS = '/usr/lib/postgresql'

/** Whether this machine lets the tests run a Postgres of their own: as root, which may become its user. */
export const canRunCluster = process.getuid?.() === 0 && existsSync(VERSIONS)

const SETTINGS = '-c listen_addresses=127.0.0.1 -c max_connections=100'
/** Of one that nothing is to be copied from. */
const ALONE = '-c wal_level=minimal -c max_wal_senders=0'

/** A Postgres of the test's own, to be stopped and to be filled up. `folder` is where its data goes; a new one unless given. */
export async function startCluster(folder = mkdtempSync(join(tmpdir(), 'parlance-cluster-')), settings = ALONE) {
  mkdirSync(folder, { recursive: true })
  chmodSync(folder, 0o777)
  // Registered first, done last: when nothing runs in there any more.
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  const data = join(folder, 'data')
  asPostgres('initdb', '-D', data, '-A', 'trust', '-U', 'parlance', '--no-sync', '-E', 'UTF8')
  return { folder, ...(await keepRunning(folder, data, settings)) }
}

/** A replica of a Postgres that was started with no settings. */
export async function startReplica({ folder, port }: { folder: string; port: number }) {
  const data = join(folder, 'replica')
  asPostgres('pg_basebackup', '-D', data, '-R', '-c', 'fast', '-h', '127.0.0.1', '-p', String(port), '-U', 'parlance')
  return await keepRunning(folder, data, '')
}

async function keepRunning(folder: string, data: string, settings: string) {
  const port = await freePort()
  const options = `-p ${port} -k ${folder} ${SETTINGS} ${settings}`
  const start = () => asPostgres('pg_ctl', '-D', data, '-w', '-t', '60', '-l', `${data}.log`, '-o', options, 'start')
  start()
  onTestFinished(() => {
    try {
      asPostgres('pg_ctl', '-D', data, '-w', '-m', 'immediate', 'stop')
    } catch {
      // It was stopped by the test.
    }
  })
  const stop = (mode: 'fast' | 'immediate') => asPostgres('pg_ctl', '-D', data, '-w', '-m', mode, 'stop')
  return { url: `postgres://parlance@127.0.0.1:${port}/postgres`, port, start, stop }
}

/** Runs one of the newest Postgres's programs as the user who may. */
function asPostgres(program: string, ...words: string[]) {
  const bin = join(VERSIONS, readdirSync(VERSIONS).sort().at(-1)!, 'bin')
  execFileSync('runuser', ['-u', 'postgres', '--', join(bin, program), ...words], {
    cwd: '/',
    stdio: ['ignore', 'ignore', 'pipe']
  })
}

/** A Postgres of the test's own with the schema, and the environment that makes a server use it. */
export async function ownCluster(folder?: string, settings?: string) {
  const cluster = await startCluster(folder, settings)
  await migrateDatabase({ connectionString: cluster.url })
  const place = placeOn(cluster.url)
  await linkModel(place.dataDir)
  return { cluster, place }
}

/** The environment that makes a server use the database at that address. */
export function placeOn(url: string): Place {
  const dataDir = temporaryFolder()
  const environment = {
    DATABASE_URL: url,
    DATA_DIR: dataDir,
    SECRET_KEY: 'a secret for tests, and for nothing else',
    ...UNLIMITED
  }
  return { environment, url, dataDir }
}

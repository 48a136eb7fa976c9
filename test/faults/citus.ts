import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'vitest'
import { distributeDatabase, migrateDatabase } from '../../src/platform/db/migrate.ts'
import { needCluster, until } from '../support/process.ts'
import { executeOn, rowsOn } from '../support/template.ts'
import { canRunCluster, placeOn, startCluster } from './cluster.ts'

const SETTINGS = [
  'shared_preload_libraries=citus,vector',
  'citus.local_hostname=127.0.0.1',
  'wal_level=logical',
  'max_prepared_transactions=100',
  'max_worker_processes=64',
  'shared_buffers=32MB'
]
const SHARDS = 8
const EXTENSIONS = '/usr/share/postgresql'

type Node = Awaited<ReturnType<typeof startNode>>

/** Skips a test that starts nodes of its own where that cannot be, or where nobody asked for a cluster. */
export function needCitus(context: Pick<TestContext, 'skip'>) {
  needCluster(context)
  const installed =
    canRunCluster && readdirSync(EXTENSIONS).some(one => existsSync(join(EXTENSIONS, one, 'extension/citus.control')))
  context.skip(!installed, 'The tests may not start Citus on this machine: they need to be root, and Citus installed')
}

/** A coordinator and two workers of the test's own, with the distributed schema, and the environment that makes a server use them. */
export async function startCitus() {
  const coordinator = await startNode()
  const workers = [await startNode(), await startNode()]
  await executeOn(coordinator.url, `select citus_set_coordinator_host('127.0.0.1', ${coordinator.port})`)
  for (const worker of workers) await addNode(coordinator, worker)
  const address = { connectionString: coordinator.url }
  await migrateDatabase(address)
  await distributeDatabase(address, SHARDS)
  return { coordinator, workers, place: placeOn(coordinator.url) }
}

/** A node that no cluster has yet. */
export async function startNode() {
  const { folder, url, port, start, stop } = await startCluster(
    undefined,
    SETTINGS.map(setting => `-c ${setting}`).join(' ')
  )
  await executeOn(url, 'create extension citus')
  /** Ends every process of the node with SIGKILL. */
  const kill = async () => {
    const pid = Number.parseInt(readFileSync(join(folder, 'data/postmaster.pid'), 'utf8'), 10)
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number)
    for (const one of [pid, ...children]) {
      try {
        process.kill(one, 'SIGKILL')
      } catch {
        // It has ended by itself.
      }
    }
    await until('its processes are gone', () => [pid, ...children].every(one => !existsSync(`/proc/${one}`)))
  }
  return { url, port, start, stop, kill }
}

export async function addNode(coordinator: Node, worker: Node) {
  await executeOn(coordinator.url, `select citus_add_node('127.0.0.1', ${worker.port})`)
}

/** The port of the worker that has the owner's rows. */
export async function portOf(coordinator: Node, userId: string) {
  const [row] = await rowsOn(
    coordinator.url,
    `select nodeport from pg_dist_placement join pg_dist_node using (groupid)
    where shardid = get_shard_id_for_distribution_column('users', '${userId}')`
  )
  return Number(row?.nodeport)
}

import { rmSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { PGlite } from '@electric-sql/pglite'
import { vector } from '@electric-sql/pglite-pgvector'
import { serveSession } from './session.ts'

const ENGINE_SETTINGS = [
  'shared_buffers=16MB',
  'max_connections=8',
  // The maximum of the write-ahead log that is kept for reuse: four segments of 16 MiB.
  'min_wal_size=32MB',
  'max_wal_size=64MB',
  'TimeZone=UTC',
  // A plan that is cached while a table is nearly empty would read the whole table later. Connections to a server have this setting too.
  'enable_seqscan=off',
  // Temporary tables of a visitor come last, so that one named as ours does not replace it.
  'search_path=public,pg_temp'
]

// The engine computes on the thread it runs on; a thread of its own keeps the HTTP server answering meanwhile.
const { directory, socketPath, deadline } = workerData
const engine = await startEngine()
rmSync(socketPath, { force: true })
const session = await serveSession(engine, socketPath, { onPanic: giveUp, deadline })

parentPort?.on('message', async (waitMs: number) => {
  await session.stop(waitMs)
  await engine.close()
  rmSync(socketPath, { force: true })
  parentPort?.close()
})
parentPort?.postMessage('ready')

/** Acknowledged changes are on the disk, so the next start finds them. */
function giveUp(reason: string) {
  parentPort?.postMessage({ panic: reason })
  process.exit(1)
}

async function startEngine() {
  return await PGlite.create({
    dataDir: directory,
    extensions: { vector },
    // `-F`, among the defaults, turns fsync off: a power cut would lose acknowledged changes.
    startParams: [
      ...PGlite.defaultStartParams.filter(param => param !== '-F'),
      ...ENGINE_SETTINGS.flatMap(setting => ['-c', setting])
    ]
  })
}

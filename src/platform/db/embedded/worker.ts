import { rmSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { PGlite } from '@electric-sql/pglite'
import { vector } from '@electric-sql/pglite-pgvector'
import { serveSession } from './session.ts'
import { OWN_SETTINGS } from './visitors.ts'

/** The maximum of the write-ahead log that is kept for reuse: four segments of 16 MiB. */
const ENGINE_SETTINGS = ['shared_buffers=16MB', 'max_connections=8', 'min_wal_size=32MB', 'max_wal_size=64MB']

// The engine computes on the thread it runs on; a thread of its own keeps the HTTP server answering meanwhile.
const { directory, socketPath, deadline } = workerData
const engine = await startEngine()
await engine.exec(OWN_SETTINGS)
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

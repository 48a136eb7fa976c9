import { rmSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { PGlite } from '@electric-sql/pglite'
import { vector } from '@electric-sql/pglite-pgvector'
import { serveSession } from './session.ts'

// The engine computes on the thread it runs on; a thread of its own keeps the HTTP server answering meanwhile.
const { directory, socketPath } = workerData
const engine = await startEngine()
await engine.exec("set timezone to 'UTC'")
rmSync(socketPath, { force: true })
const session = await serveSession(engine, socketPath, { onPanic: giveUp })

parentPort?.on('message', async (waitMs: number) => {
  await session.stop(waitMs)
  await engine.close()
  rmSync(socketPath, { force: true })
  parentPort?.close()
})
parentPort?.postMessage('ready')

/** What was acknowledged is on the disk: the next start finds it. */
function giveUp(reason: string) {
  parentPort?.postMessage({ panic: reason })
  process.exit(1)
}

async function startEngine() {
  return await PGlite.create({
    dataDir: directory,
    extensions: { vector },
    // `-F`, among the defaults, is fsync off: a power cut would cost what was acknowledged.
    startParams: [...PGlite.defaultStartParams.filter(param => param !== '-F'), '-c', 'shared_buffers=16MB', '-c', 'max_connections=8']
  })
}

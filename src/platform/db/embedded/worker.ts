import { rmSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { escapeLiteral } from '../literal.ts'
import { VALUE_SETTINGS } from '../settings.ts'
import { openPglite } from './pglite.ts'
import { serveSession } from './session.ts'

/** Set rather than started with, because settings of the role and of the database would win. */
const SESSION_SETTINGS = Object.entries({
  ...VALUE_SETTINGS,
  // A plan that is cached while a table is nearly empty would read the whole table later. Connections to a server have this setting too.
  enable_seqscan: 'off',
  search_path: 'public'
})
  .map(([name, value]) => `set ${name} to ${escapeLiteral(value)}`)
  .join('; ')

// The engine computes on the thread it runs on; a thread of its own keeps the HTTP server answering meanwhile.
const { directory, socketPath, deadline, idleTransactionMs } = workerData
const engine = await openPglite(directory)
await engine.exec(SESSION_SETTINGS)
rmSync(socketPath, { force: true })
const session = await serveSession(engine, socketPath, { onPanic: giveUp, deadline, idleTransactionMs })

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

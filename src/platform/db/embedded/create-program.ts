import { isMainThread, Worker, workerData } from 'node:worker_threads'
import { openPglite } from './pglite.ts'

// The engine computes for seconds without a pause, so another thread watches whether the parent, which wants the database, is still there.
if (isMainThread) {
  // A terminal sends these to all processes of the server, which ends when it has its database.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {})
  process.once('disconnect', () => process.exit(1))
  new Worker(new URL(import.meta.url), { workerData: process.argv[2] }).once('exit', code => process.exit(code))
} else {
  const engine = await openPglite(workerData)
  await engine.close()
}

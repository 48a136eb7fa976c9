import { statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { createDatabase } from './create.ts'

/** The interval at which the engine's statement is compared with its deadline. */
const WATCH_MS = 500

interface EngineFiles {
  /** The folder of the database's files. */
  directory: string
  socketPath: string
  /** The time that a client may leave its transaction idle; see `serveSession` for the default. */
  idleTransactionMs?: number
}

/**
 * Runs the embedded engine on a thread of its own. The engine cannot cancel a statement: it has no signals while it computes. A statement
 * beyond its deadline ends the thread instead, as a crash would, and another thread takes over. Clients have to connect again.
 */
export async function runEngine(place: EngineFiles) {
  await createDatabase(place.directory).catch(error => {
    throw withoutRoom(dirname(place.directory), error)
  })
  const deadline = new BigInt64Array(new SharedArrayBuffer(8))
  let worker = await startThread(place, deadline)
  let restarting: Promise<void> | undefined
  let closing = false
  const { promise: lost, resolve: end } = Promise.withResolvers<string>()
  let ended = watchEnd(worker)

  /** Resolves when the thread has ended. */
  function watchEnd(thread: Worker) {
    let reason = 'for no known reason'
    thread.on('message', ({ panic }) => {
      reason = panic
    })
    thread.on('error', error => {
      reason = error.message
    })
    return new Promise<void>(resolve => {
      thread.once('exit', () => {
        if (!closing && !restarting) end(reason)
        resolve()
      })
    })
  }

  async function restart() {
    await worker.terminate()
    Atomics.store(deadline, 0, 0n)
    worker = await startThread(place, deadline)
    ended = watchEnd(worker)
  }

  const watch = setInterval(() => {
    const at = Atomics.load(deadline, 0)
    if (at === 0n || process.hrtime.bigint() < at || closing || restarting) return
    restarting = restart()
      .catch((error: Error) => end(error.message))
      .finally(() => {
        restarting = undefined
      })
  }, WATCH_MS).unref()

  return {
    /** Settles with the engine's last message if the engine ends without being closed. */
    lost,
    async close(waitMs: number) {
      await restarting
      closing = true
      clearInterval(watch)
      worker.ref()
      worker.postMessage(waitMs)
      await ended
    }
  }
}

async function startThread(place: EngineFiles, deadline: BigInt64Array) {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData: { ...place, deadline } })
  await new Promise<void>((resolve, reject) => {
    worker.once('message', () => resolve())
    worker.once('error', reject)
    worker.once('exit', code => reject(new Error(`The embedded database did not start (exit ${code})`)))
  }).catch(error => {
    throw withoutRoom(dirname(place.directory), error)
  })
  // A process that forgot to close the engine can still exit.
  worker.unref()
  return worker
}

/** The free space that the engine needs to start: one more segment of its log. */
const MIN_ROOM_MIB = 16

/** The error of the engine, or a sentence if the disk is full: the engine itself only says that it does not start. */
function withoutRoom(dataDir: string, error: unknown) {
  const { bavail, bsize } = statfsSync(dataDir)
  const mebibytes = Math.floor((bavail * bsize) / 2 ** 20)
  if (mebibytes > MIN_ROOM_MIB) return error
  return new Error(
    `The database in ${dataDir} does not start: its disk has ${mebibytes} MiB left. Make room, then start again`
  )
}

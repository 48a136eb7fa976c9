/**
 * Runs requests on a worker thread, one at a time. The queue stays on this side: a waiting request can be cancelled at once, and it
 * survives the end of a thread.
 */
import { constants, setPriority } from 'node:os'
import { Worker } from 'node:worker_threads'
import { AiError } from './ai.ts'

/**
 * A worker thread that handles one request at a time, and those of a lower rank first. The first request starts it; if it has ended, the next
 * request starts it again.
 */
interface Thread<Request, Answer> {
  /** Rejects with an AiError when the thread fails or times out, and with the signal's reason when that aborts. */
  ask(request: Request, signal?: AbortSignal, rank?: number): Promise<Answer>
  close(): Promise<void>
}

interface ThreadOptions {
  /**
   * With a limit, a request that exceeds it or is aborted ends the thread, so the next one does not wait for it. Without one, the thread
   * finishes its request first, even when it is closed or the process exits: native code, ended halfway, aborts the process.
   */
  limitMs?: number
  /** The thread's `workerData`. */
  data?: unknown
}

/** A request exceeded its time limit. */
export class TimeLimitError extends AiError {
  constructor(limitMs: number) {
    super(`The offline model took longer than ${limitMs / 1000} s`, { final: false })
    this.name = 'TimeLimitError'
  }
}

/** A request, and how to settle it. */
interface Job<Request, Answer> extends PromiseWithResolvers<Answer> {
  request: Request
  rank: number
  /** Rejects the job at its time limit. */
  timer?: NodeJS.Timeout
}

/** A request to a thread. `busy` is shared with it: 1 from when the message is sent until the request has been handled, then 0. */
interface ThreadMessage<Request> {
  request: Request
  busy: Int32Array
}

type Reply<Answer> = { answer: Answer } | { error: string }

/** The message after which a thread ends, once it has answered the request before it. */
const CLOSE = 'close'

/** One of this many requests has the highest waiting rank, so that the others cannot delay it forever. */
const TURNS = 6

/** The maximum time that an exiting process waits for native code. */
const EXIT_WAIT_MS = 5_000

export function openThread<Request, Answer>(
  program: URL,
  { limitMs, data }: ThreadOptions = {}
): Thread<Request, Answer> {
  const queue: Job<Request, Answer>[] = []
  let running: Job<Request, Answer> | undefined
  let worker: Worker | undefined
  let isClosed = false
  let turn = 0
  const busy = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  const awaitHandled = () => void Atomics.wait(busy, 0, 1, EXIT_WAIT_MS)

  function startNext() {
    running = undefined
    const last = queue.at(-1)?.rank
    const [next] = queue.splice(++turn % TURNS === 0 ? queue.findIndex(({ rank }) => rank === last) : 0, 1)
    // An idle thread does not keep the process alive.
    if (!next) return worker?.unref()
    worker ??= startWorker()
    worker.ref()
    running = next
    if (limitMs !== undefined) running.timer = setTimeout(running.reject, limitMs, new TimeLimitError(limitMs))
    Atomics.store(busy, 0, 1)
    worker.postMessage({ request: running.request, busy } satisfies ThreadMessage<Request>)
  }

  function startWorker() {
    const started = new Worker(program, { workerData: data })
    if (limitMs === undefined) {
      process.on('exit', awaitHandled)
      started.on('exit', () => process.off('exit', awaitHandled))
    }
    started.on('message', (reply: Reply<Answer>) => {
      if (worker !== started) return
      if ('answer' in reply) running?.resolve(reply.answer)
      else running?.reject(new AiError(reply.error, { final: false }))
      startNext()
    })
    started.on('error', error => dropWorker(started, error))
    started.on('exit', () => dropWorker(started))
    return started
  }

  /** Fails the running job of a worker that has ended or is about to end. The next job starts another one. */
  function dropWorker(ended: Worker, cause?: unknown) {
    if (worker !== ended) return
    worker = undefined
    running?.reject(new AiError('The thread of the offline model ended', { final: false, cause }))
    startNext()
  }

  /** Forgets a job that has settled; with a limit, ends the worker that still runs it. */
  function forget(job: Job<Request, Answer>) {
    clearTimeout(job.timer)
    const at = queue.indexOf(job)
    if (at >= 0) queue.splice(at, 1)
    if (running !== job || limitMs === undefined || !worker) return
    const late = worker
    dropWorker(late)
    void late.terminate()
  }

  return {
    async ask(request, signal, rank = 0) {
      signal?.throwIfAborted()
      if (isClosed) throw closedError()
      const job: Job<Request, Answer> = { request, rank, ...Promise.withResolvers<Answer>() }
      const onAbort = () => job.reject(signal?.reason)
      signal?.addEventListener('abort', onAbort, { once: true })
      queue.splice(queue.findLastIndex(waiting => waiting.rank <= rank) + 1, 0, job)
      if (!running) startNext()
      return await job.promise.finally(() => {
        signal?.removeEventListener('abort', onAbort)
        forget(job)
      })
    },
    async close() {
      isClosed = true
      for (const { reject } of queue.splice(0)) reject(closedError())
      const ended = worker
      if (!ended) return
      dropWorker(ended)
      if (limitMs !== undefined) return void (await ended.terminate())
      ended.ref()
      ended.postMessage(CLOSE)
      await new Promise(resolve => ended.once('exit', resolve))
    }
  }
}

function closedError() {
  return new AiError('The offline model is closed', { final: false })
}

/** Runs inside the thread: handles the requests that arrive at its port, one after the other. */
export function serveThread<Request, Answer>(
  port: {
    on(event: 'message', listener: (message: ThreadMessage<Request> | typeof CLOSE) => void): void
    postMessage(reply: Reply<Answer>): void
    close(): void
  },
  answerTo: (request: Request) => Answer | Promise<Answer>
) {
  yieldToRequests()
  let previous: Promise<void> = Promise.resolve()
  port.on('message', message => {
    previous = previous.then(async () => {
      if (message === CLOSE) return port.close()
      const { request, busy } = message
      const reply = await Promise.try(answerTo, request).then(
        answer => ({ answer }),
        error => ({
          error: error instanceof AiError ? error.message : `The offline model failed: ${error?.message ?? error}`
        })
      )
      // Before the reply, which may be followed by the next request.
      Atomics.store(busy, 0, 0)
      Atomics.notify(busy, 0)
      port.postMessage(reply)
    })
  })
}

/** Lowers this thread's priority. Only Linux has priorities per thread; elsewhere the whole process would slow down. */
function yieldToRequests() {
  if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
}

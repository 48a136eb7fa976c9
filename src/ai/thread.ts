import { constants, setPriority } from 'node:os'
import { Worker } from 'node:worker_threads'
import { AiError } from './ai.ts'

/** The thread's answer to the request with this id. */
export type Reply<Answer> = { id: number; answer: Answer } | { id: number; error: string }

/** The message after which a thread ends, once it has answered the requests before it. */
const CLOSE = 'close'

/** A request to a thread. `busy` is shared with it: 1 from when the message is sent until the request has been handled, then 0. */
interface Message<Request> {
  id: number
  request: Request
  busy: Int32Array
}

/** The longest that a process that exits waits for native code. */
const EXIT_WAIT_MS = 5_000

/** A worker thread that handles one request at a time. The first request starts it; if it has ended, the next request starts it again. */
export interface Thread<Request, Answer> {
  /** Rejects with an AiError when the thread fails or times out, and with the signal's reason when that aborts. */
  ask(request: Request, signal?: AbortSignal): Promise<Answer>
  close(): Promise<void>
}

/** A request exceeded its time limit. */
export class TimeLimitError extends AiError {
  constructor(limitMs: number) {
    super(`The offline model took longer than ${limitMs / 1000} s`, { final: false })
    this.name = 'TimeLimitError'
  }
}

export interface ThreadOptions {
  /**
   * With a limit, a request that exceeds it or is aborted ends the thread, so the next one does not wait for it. Without one, the thread
   * finishes its request first, even when it is closed or the process exits: native code, ended halfway, aborts the process.
   */
  limitMs?: number
  /** The thread's `workerData`. */
  data?: unknown
}

export function openThread<Request, Answer>(program: URL, { limitMs, data }: ThreadOptions = {}): Thread<Request, Answer> {
  const requests = openRequests<Answer>()
  const waiting: { id: number; request: Request }[] = []
  let running: { id: number; timer: NodeJS.Timeout | undefined } | undefined
  let worker: Worker | undefined
  let closed = false
  const busy = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  const awaitHandled = () => void Atomics.wait(busy, 0, 1, EXIT_WAIT_MS)

  function start() {
    const started = new Worker(program, { workerData: data })
    if (limitMs === undefined) {
      process.on('exit', awaitHandled)
      started.on('exit', () => process.off('exit', awaitHandled))
    }
    started.on('message', (reply: Reply<Answer>) => {
      if (worker !== started) return
      requests.settle(reply)
      startNext()
    })
    started.on('error', error => abandon(started, error))
    started.on('exit', () => abandon(started, undefined))
    return started
  }

  function startNext() {
    clearTimeout(running?.timer)
    running = undefined
    const message = waiting.shift()
    // An idle thread does not keep the process alive.
    if (!message) return worker?.unref()
    worker ??= start()
    worker.ref()
    const { id } = message
    running = { id, timer: limitMs === undefined ? undefined : setTimeout(() => requests.fail(id, new TimeLimitError(limitMs)), limitMs) }
    Atomics.store(busy, 0, 1)
    worker.postMessage({ ...message, busy } satisfies Message<Request>)
  }

  /** Fails the running request of a thread that has ended or is about to end. */
  function abandon(dead: Worker, cause: unknown) {
    if (worker !== dead) return
    worker = undefined
    if (running) requests.fail(running.id, new AiError('The thread of the offline model ended', { final: false, cause }))
    startNext()
  }

  /** Drops a request that has settled; with `limitMs`, ends the thread that still runs it. */
  function giveUp(id: number) {
    const at = waiting.findIndex(message => message.id === id)
    if (at >= 0) waiting.splice(at, 1)
    if (running?.id !== id || limitMs === undefined || !worker) return
    const late = worker
    abandon(late, undefined)
    void late.terminate()
  }

  return {
    async ask(request, signal) {
      signal?.throwIfAborted()
      if (closed) throw new AiError('The offline model is closed', { final: false })
      const { id, answer } = requests.open(signal)
      waiting.push({ id, request })
      if (!running) startNext()
      return await answer.finally(() => giveUp(id))
    },
    async close() {
      closed = true
      for (const { id } of waiting.splice(0)) requests.fail(id, new AiError('The offline model is closed', { final: false }))
      const ended = worker
      if (!ended) return
      abandon(ended, undefined)
      if (limitMs !== undefined) return void (await ended.terminate())
      ended.ref()
      ended.postMessage(CLOSE)
      await new Promise(resolve => ended.once('exit', resolve))
    }
  }
}

/** Requests waiting for their replies. */
function openRequests<Answer>() {
  const waiting = new Map<number, PromiseWithResolvers<Answer>>()
  let lastId = 0

  return {
    open(signal?: AbortSignal) {
      const id = ++lastId
      const request = Promise.withResolvers<Answer>()
      waiting.set(id, request)
      const onAbort = () => request.reject(signal?.reason)
      signal?.addEventListener('abort', onAbort, { once: true })
      const answer = request.promise.finally(() => {
        signal?.removeEventListener('abort', onAbort)
        waiting.delete(id)
      })
      return { id, answer }
    },
    settle(reply: Reply<Answer>) {
      const request = waiting.get(reply.id)
      if ('answer' in reply) request?.resolve(reply.answer)
      else request?.reject(new AiError(reply.error, { final: false }))
    },
    fail(id: number, error: AiError) {
      waiting.get(id)?.reject(error)
    }
  }
}

/** Runs inside the thread: handles the requests that arrive at its port, one after the other. */
export function serveThread<Request, Answer>(
  port: {
    on(event: 'message', listener: (message: Message<Request> | typeof CLOSE) => void): void
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
      const { id, request, busy } = message
      const reply = await Promise.try(answerTo, request).then(
        answer => ({ id, answer }),
        error => ({ id, error: error instanceof AiError ? error.message : `The offline model failed: ${error?.message ?? error}` })
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

import { constants, setPriority } from 'node:os'
import { Worker } from 'node:worker_threads'
import { AiError } from '../ai.ts'

/** What a thread answers to the request of that number. */
export type Reply<Answer> = { id: number; answer: Answer } | { id: number; fault: string }

/** A program on a thread of its own, started by the first request and again by the next one after it ended. It gets one request at a time. */
export interface Thread<Request, Answer> {
  /** Rejects with an AiError when the thread fails or takes too long, and with the signal's reason when that aborts. */
  ask(request: Request, signal?: AbortSignal): Promise<Answer>
  close(): Promise<void>
}

/** The thread worked on a request for longer than it may. */
export class TimeLimitError extends AiError {
  constructor(limitMs: number) {
    super(`The offline model took longer than ${limitMs / 1000} s`, { final: false })
    this.name = 'TimeLimitError'
  }
}

/**
 * With `limitMs`, a request may take so long; the thread is ended when its request exceeds that or is aborted, so that the next request
 * never waits for work that nobody wants. Without, an aborted request is finished first: for a thread that takes longer to start.
 */
export function openThread<Request, Answer>(program: URL, { limitMs }: { limitMs?: number } = {}): Thread<Request, Answer> {
  const requests = openRequests<Answer>()
  const waiting: { id: number; request: Request }[] = []
  let running: { id: number; timer: NodeJS.Timeout | undefined } | undefined
  let worker: Worker | undefined
  let closed = false

  function start() {
    const started = new Worker(program)
    started.on('message', (reply: Reply<Answer>) => {
      if (worker !== started) return
      requests.settle(reply)
      startNext()
    })
    started.on('error', fault => abandon(started, fault))
    started.on('exit', () => abandon(started, undefined))
    return started
  }

  function startNext() {
    clearTimeout(running?.timer)
    running = undefined
    const message = waiting.shift()
    // Only a thread with something to do may keep the process alive.
    if (!message) return worker?.unref()
    worker ??= start()
    worker.ref()
    const { id } = message
    running = { id, timer: limitMs === undefined ? undefined : setTimeout(() => requests.fail(id, new TimeLimitError(limitMs)), limitMs) }
    worker.postMessage(message)
  }

  /** The thread has ended, or is to end, without a reply to its request. */
  function abandon(dead: Worker, cause: unknown) {
    if (worker !== dead) return
    worker = undefined
    if (running) requests.fail(running.id, new AiError('The thread of the offline model ended', { final: false, cause }))
    startNext()
  }

  /** Nobody waits for that request any more. */
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
      await ended.terminate()
    }
  }
}

/** Requests that wait for their replies. */
export function openRequests<Answer>() {
  const waiting = new Map<number, PromiseWithResolvers<Answer>>()
  let lastId = 0

  return {
    open(signal?: AbortSignal) {
      const id = ++lastId
      const request = Promise.withResolvers<Answer>()
      waiting.set(id, request)
      const onAbort = () => request.reject(signal?.reason)
      signal?.addEventListener('abort', onAbort, { once: true })
      return { id, answer: request.promise.finally(() => signal?.removeEventListener('abort', onAbort)) }
    },
    settle(reply: Reply<Answer>) {
      const request = waiting.get(reply.id)
      waiting.delete(reply.id)
      if ('answer' in reply) request?.resolve(reply.answer)
      else request?.reject(new AiError(`The offline model failed: ${reply.fault}`, { final: false }))
    },
    fail(id: number, fault: AiError) {
      waiting.get(id)?.reject(fault)
      waiting.delete(id)
    }
  }
}

/** The other side: answers the requests that arrive at this thread's port, one after the other. */
export function serveThread<Request, Answer>(
  port: {
    on(event: 'message', listener: (message: { id: number; request: Request }) => void): void
    postMessage(reply: Reply<Answer>): void
  },
  answerTo: (request: Request) => Answer | Promise<Answer>
) {
  yieldToRequests()
  let previous: Promise<void> = Promise.resolve()
  port.on('message', ({ id, request }) => {
    previous = previous.then(async () => {
      try {
        port.postMessage({ id, answer: await answerTo(request) })
      } catch (fault) {
        port.postMessage({ id, fault: fault instanceof Error ? fault.message : String(fault) })
      }
    })
  })
}

/** Makes this thread work with what others leave of the processors. Elsewhere than on Linux, that would slow the whole process. */
function yieldToRequests() {
  if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
}

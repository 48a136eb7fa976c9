import { constants, setPriority } from 'node:os'
import { Worker } from 'node:worker_threads'
import { AiError } from '../ai.ts'

/** What a thread answers to the request of that number. */
export type Reply<Answer> = { id: number; answer: Answer } | { id: number; fault: string }

/** A program on a thread of its own, started by the first request and again by the next one after it died. */
export interface Thread<Request, Answer> {
  /** Rejects with an AiError when the thread fails, and with the signal's reason when that aborts. */
  ask(request: Request, signal?: AbortSignal): Promise<Answer>
  close(): Promise<void>
}

export function openThread<Request, Answer>(program: URL): Thread<Request, Answer> {
  const requests = openRequests<Answer>()
  let worker: Worker | undefined
  let closed = false

  function start() {
    const started = new Worker(program)
    started.on('message', (reply: Reply<Answer>) => {
      requests.settle(reply)
      if (requests.areDone()) started.unref()
    })
    started.on('error', fault => abandon(started, fault))
    started.on('exit', () => abandon(started, undefined))
    return started
  }

  function abandon(dead: Worker, cause: unknown) {
    if (worker !== dead) return
    worker = undefined
    requests.failAll(cause)
  }

  return {
    async ask(request, signal) {
      signal?.throwIfAborted()
      if (closed) throw new AiError('The offline model is closed', { final: false })
      worker ??= start()
      // Only a thread with something to do may keep the process alive.
      worker.ref()
      const { id, answer } = requests.open(signal)
      worker.postMessage({ id, request })
      return await answer
    },
    async close() {
      closed = true
      const running = worker
      if (!running) return
      abandon(running, undefined)
      await running.terminate()
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
    failAll(cause: unknown) {
      const requests = [...waiting.values()]
      waiting.clear()
      for (const { reject } of requests) reject(new AiError('The thread of the offline model ended', { final: false, cause }))
    },
    areDone: () => waiting.size === 0
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

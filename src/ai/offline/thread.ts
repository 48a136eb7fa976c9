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

interface Waiting<Answer> {
  resolve(answer: Answer): void
  reject(fault: unknown): void
}

export function openThread<Request, Answer>(program: URL): Thread<Request, Answer> {
  const waiting = new Map<number, Waiting<Answer>>()
  let worker: Worker | undefined
  let lastId = 0
  let closed = false

  function start() {
    const started = new Worker(program)
    started.on('message', (reply: Reply<Answer>) => settle(reply))
    started.on('error', fault => abandon(started, fault))
    started.on('exit', () => abandon(started, undefined))
    return started
  }

  function settle(reply: Reply<Answer>) {
    const request = waiting.get(reply.id)
    waiting.delete(reply.id)
    if (waiting.size === 0) worker?.unref()
    if ('answer' in reply) request?.resolve(reply.answer)
    else request?.reject(new AiError(`The offline model failed: ${reply.fault}`, { final: false }))
  }

  function abandon(dead: Worker, cause: unknown) {
    if (worker !== dead) return
    worker = undefined
    const requests = [...waiting.values()]
    waiting.clear()
    for (const { reject } of requests) reject(new AiError('The thread of the offline model ended', { final: false, cause }))
  }

  return {
    async ask(request, signal) {
      signal?.throwIfAborted()
      if (closed) throw new AiError('The offline model is closed', { final: false })
      worker ??= start()
      // Only a thread with something to do may keep the process alive.
      worker.ref()
      const id = ++lastId
      const answer = new Promise<Answer>((resolve, reject) => waiting.set(id, { resolve, reject }))
      const onAbort = () => waiting.get(id)?.reject(signal?.reason)
      signal?.addEventListener('abort', onAbort, { once: true })
      worker.postMessage({ id, request })
      try {
        return await answer
      } finally {
        signal?.removeEventListener('abort', onAbort)
      }
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

/** The other side: answers the requests that arrive at this thread's port, one after the other. */
export function serveThread<Request, Answer>(
  port: {
    on(event: 'message', listener: (message: { id: number; request: Request }) => void): void
    postMessage(reply: Reply<Answer>): void
  },
  answerTo: (request: Request) => Answer | Promise<Answer>
) {
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

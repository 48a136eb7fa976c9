import cluster, { type Worker } from 'node:cluster'
import { fileURLToPath } from 'node:url'
import type { FastifyBaseLogger } from 'fastify'
import { within } from '../core/within.ts'
import type { Topic } from '../db/commits.ts'
import type { Samples } from '../metrics/metrics.ts'
import type { Beginning, Order, Report } from './messages.ts'

export interface WorkerOptions {
  /** What every worker begins with, besides its number. */
  beginning: Omit<Beginning, 'worker'>
  /** Makes the vectors of a worker's searches, so that the model is in memory once. */
  embed(texts: string[]): Promise<number[][]>
  /** A worker has committed something that somebody here waits for. */
  committed(topic: Topic): void
  /** A worker ended that nobody had told to. */
  died(): void
  log: FastifyBaseLogger
}

/** A process that serves the public port, and the one that replaces it when it dies. */
export interface WorkerProcess {
  /** Resolves to the address once it serves; rejects with the reason when the first one ends before. */
  started: Promise<string>
  isServing(): boolean
  /** What it has counted; undefined when it does not say so in a second. */
  samples(): Promise<Samples | undefined>
  /** Has it finish what is under way, and waits for its end. */
  stop(): Promise<void>
}

interface Child {
  worker: Worker
  startedAt: number
  serving: boolean
  /** Pings in a row without an answer. */
  missed: number
  reason?: string
  ended: Promise<void>
}

/** Who served for as long as this is replaced at once; who dies sooner, ever later. */
const STEADY_MS = 60_000
const LEAST_DELAY_MS = 500
const MOST_DELAY_MS = 15_000

/** A process that hangs is found by what it does not answer; counted, not timed, for this one may have been stopped itself. */
const PING_EVERY_MS = 5_000
const MOST_MISSED = 6

/** Longer than requests may take; whoever started the server waits little longer. */
const STOP_WITHIN_MS = 33_000

const PROGRAM = fileURLToPath(new URL('../worker.ts', import.meta.url))

/** Starts the worker of that number, and another whenever it dies. Connections reach it by way of this process, which has the port. */
export function openWorkerProcess(number: number, { beginning, embed, committed, died, log }: WorkerOptions): WorkerProcess {
  const started = Promise.withResolvers<string>()
  const counts = new Map<number, (samples: Samples) => void>()
  let lastCount = 0
  let current: Child | undefined
  let everServed = false
  let stopping = false
  let delayMs = 0
  let restart: NodeJS.Timeout | undefined

  function launch() {
    cluster.setupPrimary({ exec: PROGRAM, args: [], serialization: 'advanced' })
    const worker = cluster.fork()
    const ended = Promise.withResolvers<void>()
    const child: Child = { worker, startedAt: performance.now(), serving: false, missed: 0, ended: ended.promise }
    current = child
    worker.on('message', (report: Report) => hear(child, report))
    const gone = (how: object) => {
      ended.resolve()
      if (current === child) replace(child, how)
    }
    worker.once('exit', (code, signal) => gone({ code, signal }))
    // Where no process could be made there is no exit.
    worker.on('error', fault => {
      worker.process.kill('SIGKILL')
      gone({ fault: fault.message })
    })
  }

  /** What is said to a process that has just died is lost. */
  function tell({ worker }: Child, order: Order) {
    worker.send(order, () => {})
  }

  function hear(child: Child, report: Report) {
    if (report.kind === 'here') tell(child, { kind: 'begin', beginning: { ...beginning, worker: number } })
    if (report.kind === 'failed') child.reason = report.reason
    if (report.kind === 'pong') child.missed = 0
    if (report.kind === 'counted') counts.get(report.id)?.(report.samples)
    if (report.kind === 'committed') committed(report.topic)
    if (report.kind === 'embed') {
      const { id, texts } = report
      embed(texts).then(
        answer => tell(child, { kind: 'embedded', reply: { id, answer } }),
        (fault: Error) => tell(child, { kind: 'embedded', reply: { id, fault: fault.message } })
      )
    }
    if (report.kind === 'serving') {
      child.serving = true
      log.info({ worker: number, pid: child.worker.process.pid }, 'worker serves')
      everServed = true
      started.resolve(report.url)
    }
  }

  function replace(child: Child, how: object) {
    current = undefined
    if (stopping) return
    if (!everServed) return started.reject(new Error(child.reason ?? `a worker ended while starting: ${JSON.stringify(how)}`))
    died()
    const steady = performance.now() - child.startedAt > STEADY_MS
    delayMs = steady ? 0 : Math.min(MOST_DELAY_MS, Math.max(LEAST_DELAY_MS, delayMs * 2))
    log.error({ worker: number, ...how, reason: child.reason, againInMs: delayMs }, 'worker ended; another is started')
    restart = setTimeout(launch, delayMs)
  }

  const beat = setInterval(() => {
    if (!current?.serving) return
    if (current.missed++ < MOST_MISSED) return tell(current, { kind: 'ping' })
    log.error({ worker: number }, 'worker does not answer and is killed')
    current.worker.process.kill('SIGKILL')
  }, PING_EVERY_MS).unref()

  launch()
  return {
    started: started.promise,
    isServing: () => current?.serving ?? false,
    async samples() {
      if (!current?.serving) return undefined
      const id = ++lastCount
      const answer = new Promise<Samples>(resolve => counts.set(id, resolve))
      tell(current, { kind: 'count', id })
      return await within(1_000, answer)
        .catch(() => undefined)
        .finally(() => counts.delete(id))
    },
    async stop() {
      stopping = true
      clearTimeout(restart)
      clearInterval(beat)
      if (!current) return
      const { worker, serving, ended } = current
      if (serving) tell(current, { kind: 'stop' })
      else worker.process.kill('SIGKILL')
      const late = setTimeout(() => worker.process.kill('SIGKILL'), STOP_WITHIN_MS)
      await ended
      clearTimeout(late)
    }
  }
}

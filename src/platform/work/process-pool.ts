import { type ChildProcess, fork } from 'node:child_process'
import { sacrifice } from './sacrifice.ts'

/**
 * Runs requests in processes of their own. One that takes too much memory or time takes only its own request with it: a thread would not do,
 * because V8 ends the whole process if a thread exhausts its heap within one call, such as JSON.parse.
 */
interface ProcessPool<Request, Answer> {
  /** Rejects with PoolFull if too many requests wait, or too many of the owner, and with ProcessLost if the process ends before its answer. */
  run(request: Request, place: Place): Promise<Answer>
  close(): Promise<void>
}

interface Place {
  /** Owners take turns. */
  owner: string
  /** Heavy requests run one at a time, each in a process that ends after it, so that others find a free process and the memory is used once. */
  heavy: boolean
}

interface PoolOptions {
  processes: number
  /** The heap of each process, in megabytes. */
  heapMb: number
  maxWaiting: number
  /** The requests of one owner that may wait. Default: as many as of all. */
  maxWaitingOfOwner?: number
  timeoutMs: number
  /** A process ends after this time without a request. */
  idleMs: number
}

/** The process of a request ended without an answer. */
export class ProcessLost extends Error {
  /** `failed` is an error of its program. */
  readonly reason: 'memory' | 'time' | 'failed'

  constructor(reason: ProcessLost['reason']) {
    super(`The process of a request was lost: ${reason}`)
    this.name = 'ProcessLost'
    this.reason = reason
  }
}

export class PoolFull extends Error {
  constructor() {
    super('Too many requests wait for a process')
    this.name = 'PoolFull'
  }
}

interface Job<Request, Answer> extends PromiseWithResolvers<Answer>, Place {
  request: Request
}

interface Running<Request, Answer> {
  child: ChildProcess
  job: Job<Request, Answer> | undefined
  timer: NodeJS.Timeout | undefined
}

export function openProcessPool<Request extends object, Answer>(
  program: URL,
  { processes: maxProcesses, heapMb, maxWaiting, maxWaitingOfOwner = maxWaiting, timeoutMs, idleMs }: PoolOptions
): ProcessPool<Request, Answer> {
  const waiting: Job<Request, Answer>[] = []
  const processes = new Set<Running<Request, Answer>>()
  let lastOwner = ''
  let isClosed = false

  function startNext() {
    const running = [...processes].flatMap(({ job }) => job ?? [])
    if (running.length >= maxProcesses) return
    const next = takeNext(running.some(({ heavy }) => heavy))
    if (!next) return
    const process = [...processes].find(({ job }) => !job) ?? startProcess()
    process.job = next
    clearTimeout(process.timer)
    process.timer = setTimeout(() => end(process, 'time'), timeoutMs).unref()
    hold(process.child)
    process.child.send(next.request)
    startNext()
  }

  /** Takes the first job that may run, of another owner than the last one if one waits. */
  function takeNext(heavyRuns: boolean) {
    const mayRun = ({ heavy }: Job<Request, Answer>) => !(heavy && heavyRuns)
    const ofAnother = waiting.findIndex(job => mayRun(job) && job.owner !== lastOwner)
    const at = ofAnother >= 0 ? ofAnother : waiting.findIndex(mayRun)
    const [next] = at >= 0 ? waiting.splice(at, 1) : []
    lastOwner = next?.owner ?? lastOwner
    return next
  }

  function isFull(owner: string) {
    if (waiting.length >= maxWaiting) return true
    return waiting.filter(job => job.owner === owner).length >= maxWaitingOfOwner
  }

  function startProcess() {
    const child = fork(program, {
      // The settings of the server hold secrets, and this process reads what strangers send.
      env: {},
      execArgv: [`--max-old-space-size=${heapMb}`, '--max-semi-space-size=8'],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc']
    })
    sacrifice(child)
    const process: Running<Request, Answer> = { child, job: undefined, timer: undefined }
    processes.add(process)
    child.on('message', (answer: Answer) => {
      const { job } = process
      process.job = undefined
      clearTimeout(process.timer)
      process.timer = setTimeout(() => end(process, 'failed'), idleMs).unref()
      release(child)
      job?.resolve(answer)
      // Its heap would keep most of what it has read.
      if (job?.heavy) end(process, 'failed')
      else startNext()
    })
    child.on('error', () => end(process, 'failed'))
    // V8 aborts when its heap is full, and the system kills when its own memory is.
    child.on('exit', (code, signal) => end(process, signal !== null || code === 134 ? 'memory' : 'failed'))
    return process
  }

  /** Fails the request of a process that has ended or must end. The next request starts another one. */
  function end(process: Running<Request, Answer>, reason: ProcessLost['reason']) {
    if (!processes.delete(process)) return
    clearTimeout(process.timer)
    process.job?.reject(new ProcessLost(reason))
    process.child.kill('SIGKILL')
    startNext()
  }

  return {
    run(request, place) {
      if (isClosed || isFull(place.owner)) return Promise.reject(new PoolFull())
      const job = { request, ...place, ...Promise.withResolvers<Answer>() }
      waiting.push(job)
      startNext()
      return job.promise
    },
    async close() {
      isClosed = true
      for (const { reject } of waiting.splice(0)) reject(new PoolFull())
      const ended = [...processes].map(({ child }) => new Promise(resolve => child.once('exit', resolve)))
      for (const process of [...processes]) end(process, 'failed')
      await Promise.all(ended)
    }
  }
}

/** An idle process does not keep this one alive. */
function release(child: ChildProcess) {
  child.unref()
  child.channel?.unref()
}

function hold(child: ChildProcess) {
  child.ref()
  child.channel?.ref()
}

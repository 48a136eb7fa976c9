import { randomUUID } from 'node:crypto'
import { sql } from '../db/drizzle.ts'
import { loggable } from '../db/faults.ts'
import type { Db, OpenDatabase } from '../db/open.ts'
import { findSessionJobs, type SessionJobs } from './session-jobs.ts'
import { undoSetBack } from './set-back.ts'

/** What runs in the background, by queue: the data of each job. Data are ids, never contents. */
export interface JobData {
  'process-session': { userId: string; sessionId: string }
  'send-invite': { userId: string; inviteId: string; sendCount: number }
  /** Removes what has been kept long enough. */
  retention: Record<string, never>
  /** Removes a recording from the store, unless a session still has it. */
  'purge-media': { userId: string; sessionId: string; key: string }
  /** Erases what a deleted user has. */
  'delete-user': { userId: string }
  /** Takes what receivers answered to the events of a deleted session out of the delivery log. */
  'erase-answers': { userId: string; sessionId: string }
  /** Enqueues sessions again that are processing and have no job. */
  'requeue-sessions': Record<string, never>
  /** Finds people in sessions from before they were known. */
  'match-people': Record<string, never>
  /** Makes what another version or model has made findable as this one does it, and the indexes of large owners. */
  'search-index': { version: number; model: string }
}
export type Queue = keyof JobData

/** What a job is told of its attempt. */
export interface Attempt {
  /** Whether no retry follows a failure. */
  last: boolean
  /** Aborts when this process is stopping: give the work up, another process will do it. */
  signal: AbortSignal
}

export interface Jobs {
  /** Puts a job in the queue within the transaction that causes it; it starts no sooner than `afterSeconds` from now. */
  enqueue<Q extends Queue>(tx: Db, queue: Q, data: JobData[Q], afterSeconds?: number): Promise<void>
  /** What the queue holds for processing those sessions, by session. */
  findSessionJobs(db: Db, sessionIds: string[]): Promise<Map<string, SessionJobs>>
  /** Puts a job in the queue now and then, from now on; of all processes that do so, one job comes in each period. */
  repeat<Q extends Queue>(queue: Q, data: JobData[Q], everySeconds: number): Promise<void>
  /** Runs the queue's jobs in this process from now on, so many of them side by side, and of each owner at most `perOwner`. */
  work<Q extends Queue>(
    queue: Q,
    workers: number | { atOnce: number; perOwner: number },
    run: (data: JobData[Q], attempt: Attempt) => Promise<void>
  ): Promise<void>
  /** Stops fetching, interrupts what runs and hands it back. */
  stop(): Promise<void>
}

/** How long a job may go on without a sign of life: after a killed process, the time until another takes its jobs. */
const HEARTBEAT_SECONDS = 10

/** How often a look is taken whether the database's clock was set back. */
const CLOCK_SECONDS = 15

interface QueueOptions {
  retryLimit: number
  retryDelay: number
  retryDelayMax: number
  expireInSeconds: number
  /** How long a job may wait, retries included, before it is given up. */
  retentionSeconds?: number
}

/** How often each process looks into a queue. */
const POLL_SECONDS: Record<Queue, number> = {
  'process-session': 0.5,
  'send-invite': 1,
  retention: 60,
  'purge-media': 1,
  'delete-user': 2,
  'erase-answers': 10,
  'requeue-sessions': 15,
  'match-people': 15,
  'search-index': 10
}

const QUEUES: Record<Queue, QueueOptions> = {
  // About an hour of attempts, so that a provider that is away for a while costs no session.
  'process-session': { retryLimit: 10, retryDelay: 5, retryDelayMax: 900, expireInSeconds: 3_600 },
  retention: { retryLimit: 3, retryDelay: 60, retryDelayMax: 900, expireInSeconds: 3_600 },
  // Until the store has confirmed, be it away for a year: what was deleted must not stay.
  'purge-media': { retryLimit: 1_000_000, retryDelay: 5, retryDelayMax: 900, expireInSeconds: 600, retentionSeconds: 10 * 365 * 86_400 },
  // Until it is done: what was deleted must not stay. A job that ends too early goes on where it was.
  'delete-user': { retryLimit: 1_000_000, retryDelay: 5, retryDelayMax: 900, expireInSeconds: 86_000, retentionSeconds: 10 * 365 * 86_400 },
  'erase-answers': { retryLimit: 1_000, retryDelay: 5, retryDelayMax: 900, expireInSeconds: 600 },
  'requeue-sessions': { retryLimit: 3, retryDelay: 30, retryDelayMax: 900, expireInSeconds: 3_600 },
  'match-people': { retryLimit: 3, retryDelay: 30, retryDelayMax: 900, expireInSeconds: 3_600 },
  // About three hours of attempts, as a mail server may be away for long and an invite is no use a day later.
  'send-invite': { retryLimit: 20, retryDelay: 2, retryDelayMax: 900, expireInSeconds: 300 },
  // Another model for a million passages takes hours; a job that ends too early goes on where it was.
  'search-index': { retryLimit: 10, retryDelay: 30, retryDelayMax: 900, expireInSeconds: 86_000 }
}

export const QUEUE_NAMES: readonly string[] = Object.keys(QUEUES)

export interface JobsOptions {
  /** Whether this process looks after the queues: releases jobs of killed processes, deletes old ones. */
  supervise: boolean
  onError: (fault: Error) => void
}

/** Opens the queues on the database's own pool; their tables live in the schema `pgboss` and are kept by the library. */
export async function openJobs({ db, pool }: Pick<OpenDatabase, 'db' | 'pool'>, { supervise, onError }: JobsOptions): Promise<Jobs> {
  // Loaded for whoever opens the queues alone: many commands never do.
  const { fromDrizzle, PgBoss, systemClock } = await import('pg-boss')
  const boss = new PgBoss({
    db: { executeSql: (text, values) => pool.query(text, values) },
    // pg-boss 12.35 takes the duration of a job from the time of day, and waits that much less or more before it fetches the next one.
    clock: { ...systemClock, now: () => performance.timeOrigin + performance.now() },
    supervise,
    schedule: false,
    superviseIntervalSeconds: 5,
    monitorIntervalSeconds: 5,
    persistWarnings: false
  })
  boss.on('error', onError)
  await boss.start()
  for (const [queue, options] of Object.entries(QUEUES)) {
    await boss.createQueue(queue, { ...options, retryBackoff: true, heartbeatSeconds: HEARTBEAT_SECONDS, deleteAfterSeconds: 86_400 })
  }
  // pg-boss 12.35 looks a queue up on its own connection when it first meets it. Inside a transaction of the embedded
  // database, which has one session, that would wait for itself; completing a job that nobody has looks the queue up now.
  for (const queue of Object.keys(QUEUES)) await boss.complete(queue, randomUUID())
  const stopping = new AbortController()
  let stopped: Promise<void> | undefined
  const timers: NodeJS.Timeout[] = []
  if (supervise) {
    await undoSetBack(pool)
    timers.push(setInterval(() => undoSetBack(pool).catch(onError), CLOCK_SECONDS * 1_000).unref())
  }

  /** pg-boss stores the whole error with the job, and one of a statement holds its values. */
  function withoutValues(fault: unknown, last: boolean) {
    const error = fault instanceof Error ? fault : new Error(String(fault))
    if (last) onError(error)
    return new Error(String(loggable(error).message))
  }

  async function send(tx: Db, queue: Queue, data: JobData[Queue], afterSeconds = 0) {
    const owner = 'userId' in data && { group: { id: data.userId } }
    await boss.send(queue, data, { db: fromDrizzle(tx, sql), ...owner, ...(afterSeconds > 0 && { startAfter: afterSeconds }) })
  }

  return {
    enqueue: send,
    findSessionJobs,
    async repeat(queue, data, everySeconds) {
      const sendOnce = () => boss.send(queue, data, { singletonKey: `${queue} ${JSON.stringify(data)}`, singletonSeconds: everySeconds })
      timers.push(setInterval(() => sendOnce().catch(onError), everySeconds * 1_000).unref())
      await sendOnce()
    },
    async work(queue, workers, run) {
      const { atOnce, perOwner } = typeof workers === 'number' ? { atOnce: workers, perOwner: workers } : workers
      const options = {
        localConcurrency: atOnce,
        localGroupConcurrency: perOwner,
        pollingIntervalSeconds: POLL_SECONDS[queue],
        includeMetadata: true
      } as const
      await boss.work<JobData[typeof queue], void, typeof options>(queue, options, async ([job]) => {
        if (!job) return
        const last = job.retryCount >= job.retryLimit
        try {
          await run(job.data, { last, signal: stopping.signal })
        } catch (fault) {
          if (!stopping.signal.aborted) throw withoutValues(fault, last)
          // Handed back as a new job: a failure here would use up a retry and wait for its delay.
          await db.transaction(tx => send(tx, queue, job.data))
        }
      })
    },
    stop() {
      stopping.abort()
      for (const timer of timers) clearInterval(timer)
      stopped ??= boss.stop({ graceful: true, timeout: 15_000, close: false })
      return stopped
    }
  }
}

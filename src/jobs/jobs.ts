import { randomUUID } from 'node:crypto'
import { ProcessFailure } from '../core/process-failure.ts'
import { openRecurring, type Recurring } from '../core/recurring.ts'
import { sql } from '../db/drizzle.ts'
import { loggable } from '../db/errors.ts'
import type { Db, OpenDatabase } from '../db/open.ts'
import { findSessionJobs, type SessionJobs } from './session-jobs.ts'
import { takeTurn } from './turns.ts'

/** The data of a job, by queue. Data are ids, never contents. */
export interface JobData {
  'process-session': { userId: string; sessionId: string }
  'send-invite': { userId: string; inviteId: string; sendCount: number }
  /** Sends the mail with a link that signs in, if the address may sign in. */
  'mail-sign-in': { linkId: string }
  /** Enqueues mails about tokens that expire soon. */
  'find-expiring': Record<string, never>
  /** Sends the mail about a token that expires in these days. */
  'mail-expiry': { userId: string; tokenId: string; days: number }
  /** Deletes what is older than its retention period. */
  retention: Record<string, never>
  /** Deletes a recording from the store, unless a session still has it. */
  'purge-media': { userId: string; sessionId: string; key: string }
  /** Deletes the data of a deleted user. */
  'delete-user': { userId: string }
  /** Erases from the delivery log what receivers answered to the events of a deleted session. */
  'erase-answers': { userId: string; sessionId: string }
  /** Enqueues sessions that are processing and have no job. */
  'requeue-sessions': Record<string, never>
  /** Matches people with sessions that were imported before people were known. */
  'match-people': Record<string, never>
  /** Makes the sessions of a person findable by their new name. */
  'index-person': { userId: string; personId: string }
  /** Takes the words of a deleted person from them. */
  'forget-person': { userId: string; personId: string }
  /** Indexes a session whose transcript has changed. */
  'index-session': { userId: string; sessionId: string }
  /** Indexes again what another version or model has indexed, and builds the vector indexes of large owners. */
  'search-index': { version: number; model: string | null }
}
type Queue = keyof JobData

/** One attempt at a job. */
export interface JobAttempt {
  /** True if no retry follows a failure. */
  last: boolean
  /** Aborts when this process stops; another process then runs the job. */
  signal: AbortSignal
}

export interface Jobs {
  /**
   * Enqueues a job within the transaction that causes it, to start in `afterSeconds` or later. Owners take turns with the processing of
   * sessions; all other jobs run in order.
   */
  enqueue<Q extends Queue>(tx: Db, queue: Q, data: JobData[Q], afterSeconds?: number): Promise<void>
  /** The jobs that process those sessions, by session. */
  findSessionJobs(db: Db, sessionIds: string[]): Promise<Map<string, SessionJobs>>
  /** Enqueues a job now and once in each period, however many processes do so. */
  repeat<Q extends Queue>(queue: Q, data: JobData[Q], everySeconds: number): void
  /** Runs the queue's jobs in this process, at most `atOnce` concurrently and at most `perOwner` of one owner. */
  work<Q extends Queue>(
    queue: Q,
    workers: number | { atOnce: number; perOwner: number },
    run: (data: JobData[Q], attempt: JobAttempt) => Promise<void>
  ): Promise<void>
  /** Stops fetching jobs, aborts those that run and enqueues them again. `failure` is the error that ends the process, if one does. */
  stop(failure?: Error): Promise<void>
}

/** The longest gap between heartbeats of a job. After it another process takes the jobs of a killed one. */
const HEARTBEAT_SECONDS = 10

/** A job without a delay was due a day ago, so that it starts at once even where the database's clock is set back. */
const AT_ONCE = '-1 day'

interface QueueOptions {
  /** The interval at which each process polls the queue. */
  pollSeconds: number
  retryLimit: number
  /** The delay of the first retry. Each further one waits twice as long, up to MAX_RETRY_DELAY_SECONDS. */
  retryDelay: number
  expireInSeconds: number
}

const MAX_RETRY_DELAY_SECONDS = 900
/**
 * The time for which an unfinished job is kept: a clock that is set ahead by months, or an outage of a year, must not lose one. pg-boss compares
 * it with the clock of the database.
 */
const RETENTION_SECONDS = 10 * 365 * 86_400

const QUEUES: Record<Queue, QueueOptions> = {
  // About an hour of attempts, so that an outage of the AI provider fails no session.
  'process-session': { pollSeconds: 0.5, retryLimit: 10, retryDelay: 5, expireInSeconds: 3_600 },
  retention: { pollSeconds: 60, retryLimit: 3, retryDelay: 60, expireInSeconds: 3_600 },
  // Repeated until the store has confirmed, even after an outage of a year: deleted recordings must not stay.
  'purge-media': {
    pollSeconds: 1,
    retryLimit: 1_000_000,
    retryDelay: 5,
    expireInSeconds: 600
  },
  // Repeated until it is done: deleted data must not stay. A job that expires resumes where it stopped.
  'delete-user': {
    pollSeconds: 2,
    retryLimit: 1_000_000,
    retryDelay: 5,
    expireInSeconds: 86_000
  },
  'erase-answers': { pollSeconds: 10, retryLimit: 1_000, retryDelay: 5, expireInSeconds: 600 },
  'requeue-sessions': { pollSeconds: 15, retryLimit: 3, retryDelay: 30, expireInSeconds: 3_600 },
  'index-person': { pollSeconds: 1, retryLimit: 100, retryDelay: 2, expireInSeconds: 86_000 },
  // Repeated until it is done: deleted people must not stay. A job that expires resumes where it stopped.
  'forget-person': {
    pollSeconds: 1,
    retryLimit: 1_000_000,
    retryDelay: 2,
    expireInSeconds: 86_000
  },
  'index-session': { pollSeconds: 1, retryLimit: 10, retryDelay: 2, expireInSeconds: 3_600 },
  'match-people': { pollSeconds: 15, retryLimit: 3, retryDelay: 30, expireInSeconds: 3_600 },
  // About three hours of attempts: a mail server may be down for long, and an invite is useless a day later.
  'send-invite': { pollSeconds: 1, retryLimit: 20, retryDelay: 2, expireInSeconds: 300 },
  // The link ends after a quarter of an hour.
  'mail-sign-in': { pollSeconds: 1, retryLimit: 8, retryDelay: 2, expireInSeconds: 300 },
  'find-expiring': { pollSeconds: 60, retryLimit: 3, retryDelay: 60, expireInSeconds: 3_600 },
  'mail-expiry': { pollSeconds: 2, retryLimit: 20, retryDelay: 2, expireInSeconds: 300 },
  // Embedding a million passages with another model takes hours; a job that expires resumes where it stopped.
  'search-index': { pollSeconds: 10, retryLimit: 10, retryDelay: 30, expireInSeconds: 86_000 }
}

export const QUEUE_NAMES: readonly string[] = Object.keys(QUEUES)

interface JobsOptions {
  /** True if this process maintains the queues: releases jobs of killed processes and deletes old ones. */
  supervise: boolean
  onError: (error: Error) => void
}

/** Opens the queues on the database's pool. pg-boss owns their tables, in the schema `pgboss`. */
export async function openJobs(
  { db, pool }: Pick<OpenDatabase, 'db' | 'pool'>,
  { supervise, onError }: JobsOptions
): Promise<Jobs> {
  // Loaded here, because many commands never open the queues.
  const { fromDrizzle, PgBoss, systemClock } = await import('pg-boss')
  const boss = new PgBoss({
    db: { executeSql: (text, values) => pool.query(text, values) },
    // pg-boss 12.35 measures a job by the time of day, and would not fetch the next one while that is behind.
    clock: { ...systemClock, now: () => performance.timeOrigin + performance.now() },
    supervise,
    schedule: false,
    superviseIntervalSeconds: 5,
    monitorIntervalSeconds: 5,
    persistWarnings: false
  })
  // pg-boss 12.35 emits copies of errors, which have the code but not the class.
  boss.on('error', copy => onError(Object.assign(new Error(copy.message), copy)))
  await boss.start()
  const common = {
    retryBackoff: true,
    retryDelayMax: MAX_RETRY_DELAY_SECONDS,
    heartbeatSeconds: HEARTBEAT_SECONDS,
    retentionSeconds: RETENTION_SECONDS,
    deleteAfterSeconds: 86_400
  }
  for (const [queue, { pollSeconds: _, ...options }] of Object.entries(QUEUES))
    await boss.createQueue(queue, { ...options, ...common })
  // pg-boss 12.35 reads a queue's options on another connection when it first uses the queue. Within a transaction of the embedded
  // database, which has one session, that would deadlock; completing an unknown job reads them now.
  for (const queue of Object.keys(QUEUES)) await boss.complete(queue, randomUUID())
  const stopping = new AbortController()
  let stopped: Promise<void> | undefined
  const recurring: Recurring[] = []

  /** The queue of each worker. `work` returns the id of the first one only. */
  const workerIds = new Map<string, string>()
  boss.on('wip', workers => {
    for (const { id, name } of workers) workerIds.set(id, name)
  })

  /** After one job others may wait. pg-boss 12.35 would sleep until its next poll after each job. */
  function fetchAgain(queue: Queue) {
    for (const [id, name] of workerIds) if (name === queue) boss.notifyWorker(id)
  }

  /** pg-boss stores the error with the job, and the error of a statement holds the statement's values. */
  function withoutValues(thrown: unknown, last: boolean) {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown))
    if (last) onError(error)
    return new Error(String(loggable(error).message))
  }

  async function send(tx: Db, queue: Queue, data: JobData[Queue], { afterSeconds = 0, priority = 0 } = {}) {
    const owner = 'userId' in data && { group: { id: data.userId } }
    await boss.send(queue, data, {
      db: fromDrizzle(tx, sql),
      ...owner,
      priority,
      startAfter: afterSeconds > 0 ? afterSeconds : AT_ONCE
    })
  }

  return {
    async enqueue(tx, queue, data, afterSeconds = 0) {
      if (queue !== 'process-session' || !('sessionId' in data)) return await send(tx, queue, data, { afterSeconds })
      // The turn locks what every change of the owner needs.
      tx.beforeCommit(async last => {
        const priority = -(await takeTurn(last, data.userId, data.sessionId))
        await send(last, queue, data, { afterSeconds, priority })
      })
    },
    findSessionJobs,
    repeat(queue, data, everySeconds) {
      const once = { singletonKey: `${queue} ${JSON.stringify(data)}`, singletonSeconds: everySeconds }
      const sendOnce = async () => void (await boss.send(queue, data, once))
      recurring.push(openRecurring(sendOnce, everySeconds * 1_000, onError))
    },
    async work(queue, workers, run) {
      const { atOnce, perOwner } = typeof workers === 'number' ? { atOnce: workers, perOwner: workers } : workers
      const options = {
        localConcurrency: atOnce,
        localGroupConcurrency: perOwner,
        pollingIntervalSeconds: QUEUES[queue].pollSeconds,
        includeMetadata: true
      } as const
      const workerId = await boss.work<JobData[typeof queue], void, typeof options>(queue, options, async ([job]) => {
        if (!job) return
        fetchAgain(queue)
        const last = job.retryCount >= job.retryLimit
        try {
          await run(job.data, { last, signal: stopping.signal })
        } catch (error) {
          if (!stopping.signal.aborted) throw withoutValues(error, last)
          // Enqueued as a new job in its turn, because a failure would use up a retry and wait for its delay.
          await db.transaction(tx => send(tx, queue, job.data, { priority: job.priority }))
        }
      })
      workerIds.set(workerId, queue)
    },
    stop(failure) {
      stopping.abort(failure && new ProcessFailure('The process ends after an error', { cause: failure }))
      stopped ??= Promise.all(recurring.map(({ stop }) => stop())).then(() =>
        boss.stop({ graceful: true, timeout: 15_000, close: false })
      )
      return stopped
    }
  }
}

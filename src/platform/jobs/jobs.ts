import type { PgBoss } from 'pg-boss'
import { sql } from '../db/drizzle.ts'
import { loggable } from '../db/errors.ts'
import type { Db, OpenDatabase } from '../db/open.ts'
import { ProcessFailure } from '../work/process-failure.ts'
import { openRecurring, type Recurring } from '../work/recurring.ts'
import { inspectQueues, type QueueState } from './job-counts.ts'
import { createQueues, type JobData, QUEUES, type Queue } from './queues.ts'
import { findSessionJobs, type SessionJobs } from './session-jobs.ts'
import { takeTurn } from './turns.ts'

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
  /** The jobs that are not done, for operators. */
  inspectQueues(db: Db): Promise<QueueState>
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

/** A job without a delay was due a day ago, so that it starts at once even where the database's clock is set back. */
const AT_ONCE = '-1 day'

interface JobsOptions {
  /** True if this process maintains the queues: releases jobs of killed processes and deletes old ones. */
  supervise: boolean
  onError: (error: Error) => void
}

/** The error of a statement holds the statement's values, and pg-boss stores the error with the job. */
const withoutValues = (error: Error) => new Error(String(loggable(error).message))

/** Starts pg-boss on the database's pool. It owns its tables, in the schema `pgboss`. */
async function startBoss(pool: OpenDatabase['pool'], { supervise, onError }: JobsOptions) {
  // Loaded here, because many commands never open the queues.
  const { PgBoss, systemClock } = await import('pg-boss')
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
  await createQueues(boss)
  return boss
}

/** Wakes the workers of a queue. pg-boss 12.35 would sleep until its next poll after each job, though others may wait. */
function openWaker(boss: PgBoss) {
  /** The queue of each worker. `boss.work` returns the id of the first one only. */
  const workerIds = new Map<string, string>()
  boss.on('wip', workers => {
    for (const { id, name } of workers) workerIds.set(id, name)
  })
  return {
    add: (workerId: string, queue: Queue) => void workerIds.set(workerId, queue),
    fetchAgain(queue: Queue) {
      for (const [id, name] of workerIds) if (name === queue) boss.notifyWorker(id)
    }
  }
}

async function send(boss: PgBoss, tx: Db, queue: Queue, data: JobData[Queue], { afterSeconds = 0, priority = 0 } = {}) {
  const { fromDrizzle } = await import('pg-boss')
  const owner = 'userId' in data && { group: { id: data.userId } }
  await boss.send(queue, data, {
    db: fromDrizzle(tx, sql),
    ...owner,
    priority,
    startAfter: afterSeconds > 0 ? afterSeconds : AT_ONCE
  })
}

/** Opens the queues on the database's pool. */
export async function openJobs({ db, pool }: Pick<OpenDatabase, 'db' | 'pool'>, options: JobsOptions): Promise<Jobs> {
  const { onError } = options
  const boss = await startBoss(pool, options)
  const waker = openWaker(boss)
  const stopping = new AbortController()
  let stopped: Promise<void> | undefined
  const recurring: Recurring[] = []

  return {
    async enqueue(tx, queue, data, afterSeconds = 0) {
      if (queue !== 'process-session' || !('sessionId' in data))
        return await send(boss, tx, queue, data, { afterSeconds })
      // The turn locks what every change of the owner needs.
      tx.beforeCommit(async last => {
        const priority = -(await takeTurn(last, data.userId, data.sessionId))
        await send(boss, last, queue, data, { afterSeconds, priority })
      })
    },
    findSessionJobs,
    inspectQueues,
    repeat(queue, data, everySeconds) {
      const once = { singletonKey: `${queue} ${JSON.stringify(data)}`, singletonSeconds: everySeconds }
      const sendOnce = async () => void (await boss.send(queue, data, once))
      recurring.push(openRecurring(sendOnce, everySeconds * 1_000, onError))
    },
    async work(queue, workers, run) {
      const { atOnce, perOwner } = typeof workers === 'number' ? { atOnce: workers, perOwner: workers } : workers
      const workOptions = {
        localConcurrency: atOnce,
        localGroupConcurrency: perOwner,
        pollingIntervalSeconds: QUEUES[queue].pollSeconds,
        includeMetadata: true
      } as const
      const workerId = await boss.work<JobData[typeof queue], void, typeof workOptions>(
        queue,
        workOptions,
        async ([job]) => {
          if (!job) return
          waker.fetchAgain(queue)
          const last = job.retryCount >= job.retryLimit
          try {
            await run(job.data, { last, signal: stopping.signal })
          } catch (thrown) {
            if (!stopping.signal.aborted) {
              const error = thrown instanceof Error ? thrown : new Error(String(thrown))
              if (last) onError(error)
              throw withoutValues(error)
            }
            // Enqueued as a new job in its turn, because a failure would use up a retry and wait for its delay.
            await db.transaction(tx => send(boss, tx, queue, job.data, { priority: job.priority }))
          }
        }
      )
      waker.add(workerId, queue)
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

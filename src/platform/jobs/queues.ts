import { randomUUID } from 'node:crypto'
import type { PgBoss } from 'pg-boss'

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
  /** Processes again all sessions that failed in a period. Null without a beginning. */
  'retry-failed': { until: string; since: string | null }
  /** Matches people with sessions that were imported before people were known. */
  'match-people': Record<string, never>
  /** Makes the sessions of a person findable by their new name. */
  'index-person': { userId: string; personId: string }
  /** Takes the words of a deleted person from them. */
  'forget-person': { userId: string; personId: string }
  /** Corrects the transcripts of a user that have a term. */
  'apply-term': { userId: string; termId: string; applicationId: string }
  /** Writes the library of a user into a file. */
  'export-library': { userId: string; exportId: string }
  /** Summarizes a session again. */
  'summarize-session': { userId: string; sessionId: string; requestId: string }
  /** Indexes a session whose transcript has changed. */
  'index-session': { userId: string; sessionId: string }
  /** Indexes again what another version or model has indexed, and builds the vector indexes of large owners. */
  'search-index': { version: number; model: string | null }
}
export type Queue = keyof JobData

interface QueueOptions {
  /** The interval at which each process polls the queue. */
  pollSeconds: number
  retryLimit: number
  /** The delay of the first retry. Each further one waits twice as long, up to MAX_RETRY_DELAY_SECONDS. */
  retryDelay: number
  expireInSeconds: number
}

/** The longest gap between heartbeats of a job. After it another process takes the jobs of a killed one. */
const HEARTBEAT_SECONDS = 10

const MAX_RETRY_DELAY_SECONDS = 900
/**
 * The time for which an unfinished job is kept: a clock that is set ahead by months, or an outage of a year, must not lose one. pg-boss compares
 * it with the clock of the database.
 */
const RETENTION_SECONDS = 10 * 365 * 86_400

export const QUEUES: Record<Queue, QueueOptions> = {
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
  'retry-failed': { pollSeconds: 1, retryLimit: 10, retryDelay: 5, expireInSeconds: 3_600 },
  'index-person': { pollSeconds: 1, retryLimit: 100, retryDelay: 2, expireInSeconds: 86_000 },
  // Repeated until it is done: deleted people must not stay. A job that expires resumes where it stopped.
  'forget-person': {
    pollSeconds: 1,
    retryLimit: 1_000_000,
    retryDelay: 2,
    expireInSeconds: 86_000
  },
  // A job that expires or fails resumes where it stopped.
  'apply-term': { pollSeconds: 1, retryLimit: 20, retryDelay: 2, expireInSeconds: 86_000 },
  // An attempt after a crash begins anew.
  'export-library': { pollSeconds: 1, retryLimit: 6, retryDelay: 5, expireInSeconds: 86_000 },
  // About a quarter of an hour of attempts: somebody waits for the summary.
  'summarize-session': { pollSeconds: 1, retryLimit: 7, retryDelay: 5, expireInSeconds: 3_600 },
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

/** The options that all queues share. */
const COMMON_OPTIONS = {
  retryBackoff: true,
  retryDelayMax: MAX_RETRY_DELAY_SECONDS,
  heartbeatSeconds: HEARTBEAT_SECONDS,
  retentionSeconds: RETENTION_SECONDS,
  deleteAfterSeconds: 86_400
}

/** Creates the queues that are missing, and makes pg-boss read the options of all. */
export async function createQueues(boss: PgBoss) {
  for (const [queue, { pollSeconds: _, ...options }] of Object.entries(QUEUES))
    await boss.createQueue(queue, { ...options, ...COMMON_OPTIONS })
  // pg-boss 12.35 reads a queue's options on another connection when it first uses the queue. Within a transaction of the embedded
  // database, which has one session, that would deadlock; completing an unknown job reads them now.
  for (const queue of QUEUE_NAMES) await boss.complete(queue, randomUUID())
}

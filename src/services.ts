import type { Admissions, RateLimits } from './accounts/quota.ts'
import type { Ai } from './ai/ai.ts'
import type { Clock } from './core/clock.ts'
import type { Database, Queryable } from './db/open.ts'
import type { Jobs } from './jobs/jobs.ts'
import type { Mail } from './mail/mail.ts'
import type { MediaStore } from './media/media.ts'
import type { Sender } from './webhooks/sender.ts'

/**
 * The tools of operations. compose.ts opens them for a server; tests build their own. An operation names the members that it needs
 * (`Pick<Services, 'db' | 'clock'>`), so that a command opens no more than those.
 */
export interface Services {
  db: Database
  /** For statements that take tens of milliseconds. */
  slow: Queryable
  /** For reads that may be older than committed changes: the read replica, if there is one. */
  replica: Queryable
  clock: Clock
  jobs: Jobs
  media: MediaStore
  /** Posts webhooks. */
  sender: Sender
  mail: Mail
  /** Authenticates and counts requests. */
  admissions: Admissions
  rateLimits: RateLimits
  ai: Ai
  /** The time that a search waits for the query embedding before it compares terms only. */
  searchWaitMs: number
  /** True if recordings without a transcript are transcribed. */
  transcribes: boolean
  /** The folder of uploads until they are imported. They are on disk, because recordings are large. */
  uploadFolder: string
  /** Base of the URLs handed out, without a slash at its end. */
  publicUrl: string
  /** Signs links and encrypts webhook secrets at rest. */
  secretKey: string
}

import type { Ai } from './ai/ai.ts'
import type { Admissions, RateLimits } from './core/admission.ts'
import type { Clock } from './core/clock.ts'
import type { Database, Queryable } from './db/open.ts'
import type { Jobs } from './jobs/jobs.ts'
import type { MediaStore } from './media/media.ts'

/** The services that any route may use besides its request. compose.ts builds them; tests build their own. */
export interface Deps {
  db: Database
  clock: Clock
  jobs: Pick<Jobs, 'enqueue' | 'findSessionJobs'>
  media: MediaStore
  admissions: Admissions
  rateLimits: RateLimits
  /** For statements that take tens of milliseconds. */
  slow: Queryable
  /** For reads that may be older than committed changes: the read replica, if there is one. */
  replica: Queryable
  /** Embeds queries. */
  ai: Pick<Ai, 'embedder' | 'embed'>
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

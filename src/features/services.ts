import type { Check } from '../contract/check.ts'
import type { Quotas } from '../contract/quotas.ts'
import type { Retention } from '../contract/retention.ts'
import type { SignUp } from '../contract/sign-in.ts'
import type { Ai } from '../platform/ai/ai.ts'
import type { QueryEmbedder } from '../platform/ai/query-embedder.ts'
import type { Clock } from '../platform/core/clock.ts'
import type { Database, Db, Queryable } from '../platform/db/open.ts'
import type { Jobs } from '../platform/jobs/jobs.ts'
import type { Mail } from '../platform/mail/mail.ts'
import type { Admissions, RateLimits } from '../platform/ports/admissions.ts'
import type { Arrivals } from '../platform/ports/arrivals.ts'
import type { Fetcher } from '../platform/ports/fetcher.ts'
import type { IdentityProvider } from '../platform/ports/identity-provider.ts'
import type { LongReads } from '../platform/ports/long-reads.ts'
import type { MediaStore } from '../platform/ports/media-store.ts'
import type { Reader } from '../platform/ports/reader.ts'
import type { Sender } from '../platform/ports/sender.ts'
import type { SoundTools } from '../platform/ports/sound-tools.ts'
import type { TranscriptWriter } from '../platform/ports/transcript-writer.ts'
import type { Budget } from '../platform/work/budget.ts'
import type { DiskReserve } from '../platform/work/disk-reserve.ts'

/** The tools of operations. server/compose.ts opens them for a server; tests build their own. */
export interface Services {
  db: Database
  /** For statements that take tens of milliseconds. */
  slow: Queryable
  /** For reads that may be older than committed changes: the read replica, if there is one. */
  replica: Queryable
  clock: Clock
  jobs: Jobs
  media: MediaStore
  /** Lets requests wait for events. */
  arrivals: Arrivals
  /** Reads what callers send, in processes of its own. */
  reader: Reader
  /** Writes transcripts as files and for pages, long ones in a process of its own. */
  writer: TranscriptWriter
  /** Counts the long texts that are read at once. */
  longReads: LongReads
  /** Posts webhooks. */
  sender: Sender
  /** Reads the documents of OAuth clients. */
  fetcher: Fetcher
  mail: Mail
  /** Authenticates and counts requests. */
  admissions: Admissions
  rateLimits: RateLimits
  /** The quotas of users without limits of their own. */
  quotas: Quotas
  /** The days for which recordings and sessions of all users are kept. */
  retention: Retention
  ai: Ai
  /** Embeds queries, and remembers the last ones. */
  queryEmbedder: QueryEmbedder
  /** True if recordings without a transcript are transcribed. */
  transcribes: boolean
  /** The folder of uploads until they are imported. They are on disk, because recordings are large. */
  uploadFolder: string
  /** The folder of uploads in parts, which outlives the process. */
  partsFolder: string
  /** The folder of exports until they expire. Servers on one database share it. */
  exportsFolder: string
  /** The programs and the folder by which recordings are checked and cut. */
  sound: SoundTools
  /** Has uploads leave room on the disks that they are written to. */
  diskReserve: DiskReserve
  /** Counts the uploads that arrive at once, at every door. */
  openUploads: Budget
  /** Base of the URLs handed out, without a slash at its end. */
  publicUrl: string
  /** Decides whose first sign-in makes them a user. */
  signUp: SignUp
  /** The provider where people sign in, if there is one. */
  oidc: IdentityProvider | undefined
  /** How assistants connect: whether they learn that the server reads their documents. */
  oauth: { advertisesDocuments: boolean; lanRedirects: boolean }
  /** True if people sign in by mailed links. */
  mailsLinks: boolean
  /** Signs links and encrypts webhook secrets at rest. */
  secretKey: string
  /** Checks everything that the server depends on, as the command `doctor` does. */
  diagnose(): Promise<Check[]>
}

/**
 * The services that one operation needs, by name: `Needs<'db' | 'clock'>`. So a command opens no more than those, and the operation may run
 * in a transaction of its caller, which then takes the place of the database.
 */
export type Needs<Name extends keyof Services> = Pick<Omit<Services, 'db'> & { db: Db }, Name>

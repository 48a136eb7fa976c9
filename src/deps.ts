import type { Admissions, RateLimits } from './accounts/admission.ts'
import type { Ai } from './ai/ai.ts'
import type { Clock } from './core/clock.ts'
import type { Database, Reader } from './db/open.ts'
import type { Jobs } from './jobs/jobs.ts'
import type { MediaStore } from './media/media.ts'
import type { Sender } from './webhooks/sender.ts'

/** Everything a route may reach besides its request. compose.ts builds it; a test builds its own. */
export interface Deps {
  db: Database
  clock: Clock
  jobs: Pick<Jobs, 'enqueue'>
  media: MediaStore
  admissions: Admissions
  rateLimits: RateLimits
  sender: Sender
  /** For what a search shows. */
  searches: Reader
  /** For what it compares: may be a replica, and behind. */
  comparisons: Reader
  /** For the vectors of searches. */
  ai: Pick<Ai, 'embedder' | 'embed'>
  /** How long a search waits for the vector of its query before it answers by words alone. */
  searchWaitMs: number
  /** Base of the URLs handed out, without a slash at its end. */
  publicUrl: string
  /** Signs and encrypts what leaves the server. */
  secretKey: string
}

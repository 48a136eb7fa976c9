import type { Deps } from '../deps.ts'
import type { Retrying } from '../ingest/retry.ts'

/** What the routes of the app API may reach. */
export interface AppDeps extends Pick<Deps, 'db' | 'clock' | 'media' | 'publicUrl'> {
  jobs: Retrying['jobs']
  /** Whether recordings that come without a transcript are given one. */
  transcribes: boolean
  /** Where uploads lie until they are taken in: on a disk, for recordings are large. */
  uploadFolder: string
}

import type { Deps } from '../deps.ts'
import type { Retrying } from '../ingest/retry.ts'

/** What routes of the admin API may use besides the request. */
export interface AdminApiDeps extends Pick<Deps, 'db' | 'clock' | 'media' | 'publicUrl'> {
  jobs: Retrying['jobs']
  /** Whether recordings without a transcript are transcribed. */
  transcribes: boolean
  /** Where uploads lie until they are imported: on disk, because recordings are large. */
  uploadFolder: string
}

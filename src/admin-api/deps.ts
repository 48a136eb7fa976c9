import type { Deps } from '../deps.ts'
import type { Retrying } from '../ingest/retry.ts'

/** The services that routes of the admin API may use besides the request. */
export interface AdminApiDeps
  extends Pick<Deps, 'db' | 'clock' | 'media' | 'publicUrl' | 'transcribes' | 'uploadFolder'> {
  jobs: Retrying['jobs']
}

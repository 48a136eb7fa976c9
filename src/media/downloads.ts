import { tmpdir } from 'node:os'
import { removeAbandoned } from '../core/abandoned.ts'

/** How the folder of a recording begins that was brought here from a bucket, for as long as it is worked on. */
export const DOWNLOAD_PREFIX = 'parlance-media-'

const DAY_MS = 86_400_000

/** Removes what a process that was killed has left. No recording is worked on for a day. */
export async function removeAbandonedDownloads(now: Date) {
  await removeAbandoned(tmpdir(), DOWNLOAD_PREFIX, new Date(now.getTime() - DAY_MS))
}

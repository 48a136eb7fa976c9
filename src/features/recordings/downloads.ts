import { tmpdir } from 'node:os'
import { removeAbandoned } from '../../platform/work/abandoned.ts'

/** The prefix of a temporary folder that holds a recording downloaded from a bucket. */
export const DOWNLOAD_PREFIX = 'parlance-media-'

const DAY_MS = 86_400_000

/** Removes the downloads of killed processes. No job works on a recording for a day. */
export async function removeAbandonedDownloads(now: Date) {
  await removeAbandoned(tmpdir(), DOWNLOAD_PREFIX, new Date(now.getTime() - DAY_MS))
}

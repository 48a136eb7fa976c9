import { findOpenSignInLinks } from '../accounts/sign-in-links.ts'
import type { Clock } from '../core/clock.ts'
import { openRecurring } from '../core/recurring.ts'
import type { Db } from '../db/open.ts'
import { removeAbandonedSound } from '../ingest/parts/work-folder.ts'
import { removeAbandonedUploads } from '../ingest/upload.ts'
import { removeLeftoverUploads } from '../ingest/uploads/leftovers.ts'
import { pruneMailDirectory } from '../mail/directory.ts'
import { removeAbandonedDownloads } from '../recordings/downloads.ts'
import { findKnownInvites } from '../sharing/lookup.ts'

interface LeftoversOptions {
  db: Db
  clock: Clock
  /** The folder of mails without an SMTP server. */
  outbox: string
  uploads: string
  /** The folder of sound that is cut into parts. */
  sound: string
  parts: string
  onError: (error: Error) => void
}

const EVERY_MS = 60_000

/**
 * Removes files that nothing needs any more, from now on: mails of deleted invites and of links that ended, and uploads and downloads of killed
 * processes. Every server has its own folders, so each does this for itself.
 */
export function openLeftovers({ db, clock, outbox, uploads, parts, sound, onError }: LeftoversOptions) {
  async function remove() {
    await pruneMailDirectory(outbox, async ids => {
      const [invites, links] = [await findKnownInvites(db, ids), await findOpenSignInLinks(db, ids, clock.now())]
      return invites.union(links)
    })
    await removeAbandonedUploads(uploads, clock.now())
    await removeAbandonedSound(sound, clock.now())
    await removeLeftoverUploads({ db, clock, partsFolder: parts })
    await removeAbandonedDownloads(clock.now())
  }
  return openRecurring(remove, EVERY_MS, onError)
}

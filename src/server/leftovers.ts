import { removeOldExports } from '../features/exports/remove-old.ts'
import { removeAbandonedSound } from '../features/ingest/parts/work-folder.ts'
import { removeAbandonedUploads } from '../features/ingest/upload.ts'
import { removeLeftoverUploads } from '../features/ingest/uploads/leftovers.ts'
import { removeAbandonedDownloads } from '../features/recordings/downloads.ts'
import { findKnownInvites } from '../features/sharing/claim.ts'
import { findOpenSignInLinks } from '../features/sign-in/sign-in-links.ts'
import type { Clock } from '../platform/core/clock.ts'
import type { Db } from '../platform/db/open.ts'
import { pruneMailDirectory } from '../platform/mail/directory.ts'
import { openRecurring } from '../platform/work/recurring.ts'

interface LeftoversOptions {
  db: Db
  clock: Clock
  /** The folder of mails without an SMTP server. */
  outbox: string
  uploads: string
  /** The folder of sound that is cut into parts. */
  sound: string
  parts: string
  exports: string
  onError: (error: Error) => void
}

const EVERY_MS = 60_000

/**
 * Removes files that nothing needs any more, from now on: mails of deleted invites and of links that ended, and uploads and downloads of killed
 * processes. Every server has its own folders, so each does this for itself.
 */
export function openLeftovers({
  db,
  clock,
  outbox,
  uploads,
  parts,
  exports: exportsFolder,
  sound,
  onError
}: LeftoversOptions) {
  async function remove() {
    await pruneMailDirectory(outbox, async ids => {
      const [invites, links] = [await findKnownInvites(db, ids), await findOpenSignInLinks(db, ids, clock.now())]
      return invites.union(links)
    })
    await removeAbandonedUploads(uploads, clock.now())
    await removeAbandonedSound(sound, clock.now())
    await removeLeftoverUploads({ db, clock, partsFolder: parts })
    await removeOldExports({ db, exportsFolder }, clock.now())
    await removeAbandonedDownloads(clock.now())
  }
  return openRecurring(remove, EVERY_MS, onError)
}

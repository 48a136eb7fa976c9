import type { Db } from '../db/open.ts'
import type { media } from '../db/schema/index.ts'
import type { Jobs } from '../jobs/jobs.ts'
import { type MediaStore, mediaKey } from '../media/media.ts'
import { KINDS, type Recordings, storedAs } from './recordings.ts'

export type Stored = Omit<typeof media.$inferInsert, 'createdAt'>

/** Longer than any upload takes: until then the session that the recording is for has it, or never will. */
const ORPHANED_AFTER_SECONDS = 86_400

/**
 * Brings the files into the store, before the transaction that adds their session. Each is first entered for removal, which
 * spares what a session has by then: so a process that ends in between leaves nothing for good.
 */
export async function storeRecordings(
  { db, jobs, media: store }: { db: Db; jobs: Pick<Jobs, 'enqueue'>; media: MediaStore },
  owner: { userId: string; sessionId: string },
  files: Recordings
): Promise<Stored[]> {
  const stored: Stored[] = []
  try {
    for (const kind of KINDS) {
      const path = files[kind]
      if (path === undefined) continue
      const { extension, contentType } = storedAs(path, kind)
      const key = mediaKey({ ...owner, kind }, extension)
      await db.transaction(tx => jobs.enqueue(tx, 'purge-media', { ...owner, key }, ORPHANED_AFTER_SECONDS))
      const bytes = await store.put(key, path, contentType)
      stored.push({ ...owner, kind, key, contentType, bytes })
    }
    return stored
  } catch (fault) {
    await discard(store, stored)
    throw fault
  }
}

/** Removes what no session came to have, as far as the store lets it; the job entered before does the rest. */
export async function discard(store: MediaStore, stored: Stored[]) {
  for (const { key } of stored) await store.delete(key).catch(() => {})
}

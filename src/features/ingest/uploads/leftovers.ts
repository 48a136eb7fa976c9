import type { Clock } from '../../../platform/core/clock.ts'
import { lt } from '../../../platform/db/drizzle.ts'
import type { Db } from '../../../platform/db/open.ts'
import { uploads } from '../../../platform/db/schema/index.ts'
import { removeLeftoverFiles } from './files.ts'
import { dropUpload } from './operations.ts'
import { findUpload } from './queries.ts'

/** Removes expired uploads of all servers, and the files in this server's folder that no upload needs any more. */
export async function removeLeftoverUploads({ db, clock, partsFolder }: { db: Db; clock: Clock; partsFolder: string }) {
  const now = clock.now()
  for (const { userId, uploadId } of await listExpired(db, now)) await dropUpload(db, userId, uploadId)
  await removeLeftoverFiles(partsFolder, now, async (userId, uploadId) => {
    const found = await findUpload(db, userId, uploadId, now)
    return found?.sessionId === null
  })
}

const BATCH_SIZE = 500

async function listExpired(db: Db, now: Date) {
  return await db
    .select({ userId: uploads.userId, uploadId: uploads.uploadId })
    .from(uploads)
    .where(lt(uploads.expiresAt, now))
    .limit(BATCH_SIZE)
}

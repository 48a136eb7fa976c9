import { lt } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { exports } from '../../platform/db/schema/index.ts'
import { removeLeftoverFiles } from './files.ts'
import { findExport } from './queries.ts'

/** Removes expired exports of all users, and the files that no export needs any more, such as those of killed processes. */
export async function removeOldExports({ db, exportsFolder }: { db: Db; exportsFolder: string }, now: Date) {
  await db.delete(exports).where(lt(exports.expiresAt, now))
  await removeLeftoverFiles(exportsFolder, async (userId, exportId, isAttempt) => {
    const row = await findExport(db, userId, exportId)
    return row !== undefined && row.status === (isAttempt ? 'running' : 'completed')
  })
}

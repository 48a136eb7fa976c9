import { folderKey } from '../core/fold.ts'
import { and, eq, sql } from '../db/drizzle.ts'
import { violates } from '../db/faults.ts'
import type { Db } from '../db/open.ts'
import { folders } from '../db/schema/index.ts'

/**
 * Gives folders the key of this version where an earlier one wrote another, which took `m²` and `M2` for one name. A key that another
 * folder has by now is left: both stay. Done again, it changes nothing.
 */
export async function rekeyFolders(db: Db) {
  const old = await db
    .select({ userId: folders.userId, folderId: folders.folderId, name: folders.name })
    .from(folders)
    .where(
      sql`normalize(${folders.name}, NFKC) <> normalize(${folders.name}, NFC) and ${folders.nameKey} = normalize(${folders.nameKey}, NFKC)`
    )
  for (const { userId, folderId, name } of old) {
    const isFolder = and(eq(folders.userId, userId), eq(folders.folderId, folderId))
    try {
      await db
        .update(folders)
        .set({ nameKey: folderKey(name) })
        .where(isFolder)
    } catch (fault) {
      if (!violates(fault, 'folders_name_key')) throw fault
    }
  }
}

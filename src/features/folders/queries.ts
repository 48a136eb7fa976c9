import { FOLDER_CURSOR, type Folder, type FolderCreate } from '../../contract/folder.ts'
import { newId } from '../../platform/core/ids.ts'
import { cutPage } from '../../platform/core/page.ts'
import { and, eq, sql } from '../../platform/db/drizzle.ts'
import { matches } from '../../platform/db/matches.ts'
import type { Db } from '../../platform/db/open.ts'
import { folderOrder, folderSessions, folders, LAST_ORDER } from '../../platform/db/schema/index.ts'
import { folderKey } from '../../platform/text/fold.ts'
import { giveRoomBack, type Taking, takeRoom } from '../access/room.ts'
import type { SessionRow } from '../library/session-row.ts'

/** Returns all folders in display order. */
export async function selectFolders(db: Db, userId: string) {
  const rows = await db
    .select()
    .from(folders)
    .where(eq(folders.userId, userId))
    .orderBy(...folderOrder(folders))
  return rows.map(toFolder)
}

/** Returns a page of the same list. */
export async function selectFolderPage(
  db: Db,
  userId: string,
  { limit, cursor }: { limit: number; cursor: string | undefined }
) {
  const rows = await db
    .select()
    .from(folders)
    .where(and(eq(folders.userId, userId), cursor === undefined ? undefined : isAfter(cursor)))
    .orderBy(...folderOrder(folders))
    .limit(limit + 1)
  const { page, next } = cutPage(rows, limit, cursorOf)
  return { folders: page.map(toFolder), ...next }
}

function cursorOf({ pinned, order, nameKey }: FolderRow) {
  return `${pinned ? 'pinned' : 'other'}_${order ?? 'none'}_${nameKey}`
}

function isAfter(cursor: string) {
  const [, pinned, order, nameKey] = FOLDER_CURSOR.exec(cursor) ?? []
  const place = sql`(${pinned !== 'pinned'}::boolean, ${order === 'none' ? LAST_ORDER : order}::bigint, ${nameKey}::text)`
  return sql`(${sql.join(folderOrder(folders), sql`, `)}) > ${place}`
}

export async function findFolder(db: Db, userId: string, folderId: string) {
  const [row] = await db.select().from(folders).where(isFolder(userId, folderId))
  return row && toFolder(row)
}

/** Creates a folder, or returns the existing one with this name in any case. */
export async function findOrInsertFolder(
  db: Db,
  userId: string,
  { name, color }: FolderCreate,
  taking: Taking
): Promise<Folder> {
  const key = folderKey(name)
  const { now } = taking
  // Repeats only if the conflicting folder is deleted before it is read.
  for (;;) {
    const made = await db.transaction(async tx => {
      const [inserted] = await tx
        .insert(folders)
        .values({ userId, folderId: newId('fld'), name, nameKey: key, color, createdAt: now, updatedAt: now })
        .onConflictDoNothing({ target: [folders.userId, folders.nameKey] })
        .returning()
      if (inserted) takeRoom(tx, userId, 'folders', 1, taking)
      return inserted
    })
    if (made) return toFolder(made)
    const [existing] = await db
      .select()
      .from(folders)
      .where(matches(folders, { userId, nameKey: key }))
    if (existing) return toFolder(existing)
  }
}

type FolderRow = typeof folders.$inferSelect
type FolderChange = Partial<
  Pick<typeof folders.$inferInsert, 'name' | 'color' | 'pinned' | 'sortOrder' | 'order' | 'keep'>
>

/** Returns undefined without the folder. The name of another folder violates `folders_name_key`. */
export async function updateFolderRow(db: Db, userId: string, folderId: string, change: FolderChange, now: Date) {
  const [row] = await db
    .update(folders)
    .set({ ...change, ...(change.name !== undefined && { nameKey: folderKey(change.name) }), updatedAt: now })
    .where(isFolder(userId, folderId))
    .returning()
  return row && toFolder(row)
}

/** Sets `last_opened_at`. Returns undefined without the folder. */
export async function setLastOpened(db: Db, userId: string, folderId: string, now: Date) {
  const [row] = await db.update(folders).set({ lastOpenedAt: now }).where(isFolder(userId, folderId)).returning()
  return row && toFolder(row)
}

/** Returns whether there was such a folder. */
export async function deleteFolderRow(db: Db, userId: string, folderId: string) {
  return await db.transaction(async tx => {
    const deleted = await tx.delete(folders).where(isFolder(userId, folderId)).returning({ folderId: folders.folderId })
    giveRoomBack(tx, userId, 'folders', deleted.length)
    return deleted.length > 0
  })
}

/** Returns whether there is such a folder, locked until the transaction ends. */
export async function lockFolder(tx: Db, userId: string, folderId: string) {
  tx.willLock('folder')
  const rows = await tx
    .select({ folderId: folders.folderId })
    .from(folders)
    .where(isFolder(userId, folderId))
    .for('update')
  return rows.length > 0
}

/** Returns whether the membership is new. */
export async function linkSession(tx: Db, userId: string, { sessionId, sortAt, type }: SessionRow, folderId: string) {
  const linked = await tx
    .insert(folderSessions)
    .values({ userId, sessionId, folderId, sortAt, type })
    .onConflictDoNothing()
    .returning({ folderId: folderSessions.folderId })
  return linked.length > 0
}

/** Returns whether there was such a membership. */
export async function unlinkSession(tx: Db, userId: string, sessionId: string, folderId: string) {
  const unlinked = await tx
    .delete(folderSessions)
    .where(matches(folderSessions, { userId, sessionId, folderId }))
    .returning({ folderId: folderSessions.folderId })
  return unlinked.length > 0
}

/** Adds to the number of listed sessions in the folder, and sets `updated_at`. */
export async function countMembers(tx: Db, userId: string, folderId: string, shown: 1 | 0 | -1, now: Date) {
  await tx
    .update(folders)
    .set({ sessionCount: sql`${folders.sessionCount} + ${shown}::int`, updatedAt: now })
    .where(isFolder(userId, folderId))
}

function isFolder(userId: string, folderId: string) {
  return matches(folders, { userId, folderId })
}

function toFolder(row: FolderRow): Folder {
  return {
    id: row.folderId,
    name: row.name,
    color: row.color,
    session_count: row.sessionCount,
    created_at: row.createdAt?.toISOString(),
    updated_at: row.updatedAt?.toISOString(),
    pinned: row.pinned ?? undefined,
    sort_order: row.sortOrder ?? undefined,
    order: row.order ?? undefined,
    last_opened_at: row.lastOpenedAt?.toISOString(),
    keep: row.keep ?? undefined
  }
}

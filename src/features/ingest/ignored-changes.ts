import { and, eq } from '../../platform/db/drizzle.ts'
import { matches } from '../../platform/db/matches.ts'
import type { Db } from '../../platform/db/open.ts'
import { folderSessions, folders, sessions } from '../../platform/db/schema/index.ts'
import { folderKey } from '../../platform/text/fold.ts'
import type { toRequestedFields } from './document-fields.ts'

/** Returns a warning for each field in which a repeated import differs from the session. */
export async function listIgnoredChanges(
  db: Db,
  userId: string,
  sessionId: string,
  requested: ReturnType<typeof toRequestedFields>
): Promise<string[]> {
  const [session] = await db.select().from(sessions).where(matches(sessions, { userId, sessionId }))
  if (!session) return []
  const kept = new Set(requested.folders?.length ? await listFolderKeys(db, userId, sessionId) : [])
  const differs = {
    title: requested.title !== undefined && requested.title !== session.title,
    timestamp: requested.timestamp !== undefined && requested.timestamp.getTime() !== session.timestamp?.getTime(),
    type: requested.type !== undefined && requested.type !== session.type,
    platform: requested.platform !== undefined && requested.platform !== session.platform,
    tags: requested.tags?.some(tag => !session.tags.includes(tag)),
    folders: requested.folders?.some(name => !kept.has(folderKey(name)))
  }
  return Object.entries(differs).flatMap(([field, ignored]) =>
    ignored ? [`${field}: ignored, because the conversation was imported before`] : []
  )
}

async function listFolderKeys(db: Db, userId: string, sessionId: string) {
  const rows = await db
    .select({ key: folders.nameKey })
    .from(folderSessions)
    .innerJoin(folders, and(eq(folders.userId, userId), eq(folders.folderId, folderSessions.folderId)))
    .where(matches(folderSessions, { userId, sessionId }))
  return rows.map(({ key }) => key)
}

import type { SessionType } from '../contract/session.ts'
import { folderKey } from '../core/fold.ts'
import { and, eq } from '../db/drizzle.ts'
import type { Db } from '../db/open.ts'
import { folderSessions, folders, sessions } from '../db/schema/index.ts'

interface Asked {
  title: string | undefined
  timestamp: Date | undefined
  type: SessionType | undefined
  platform: string | undefined
  tags: string[] | undefined
  folders: string[] | undefined
}

/** What an import of a conversation that is there already asked for in vain: importing again changes nothing. */
export async function ignoredChanges(db: Db, userId: string, sessionId: string, asked: Asked): Promise<string[]> {
  const [session] = await db
    .select()
    .from(sessions)
    .where(and(eq(sessions.userId, userId), eq(sessions.sessionId, sessionId)))
  if (!session) return []
  const kept = new Set(asked.folders?.length ? await listFolderKeys(db, userId, sessionId) : [])
  const differs = {
    title: asked.title !== undefined && asked.title !== session.title,
    timestamp: asked.timestamp !== undefined && asked.timestamp.getTime() !== session.timestamp?.getTime(),
    type: asked.type !== undefined && asked.type !== session.type,
    platform: asked.platform !== undefined && asked.platform !== session.platform,
    tags: asked.tags?.some(tag => !session.tags.includes(tag)),
    folders: asked.folders?.some(name => !kept.has(folderKey(name)))
  }
  return Object.entries(differs).flatMap(([field, ignored]) =>
    ignored ? [`${field}: ignored, because the conversation was imported before`] : []
  )
}

async function listFolderKeys(db: Db, userId: string, sessionId: string) {
  const rows = await db
    .select({ key: folders.nameKey })
    .from(folderSessions)
    .innerJoin(folders, and(eq(folders.userId, folderSessions.userId), eq(folders.folderId, folderSessions.folderId)))
    .where(and(eq(folderSessions.userId, userId), eq(folderSessions.sessionId, sessionId)))
  return rows.map(({ key }) => key)
}

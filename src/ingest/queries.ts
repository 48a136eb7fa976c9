import { folderKey } from '../core/fold.ts'
import { newId } from '../core/ids.ts'
import type { Segment } from '../core/segment.ts'
import { and, eq, gte, sql } from '../db/drizzle.ts'
import type { Db } from '../db/open.ts'
import { chunks, embeddings, folderSessions, folders, media, type Speaker, sessions, sessionTags, transcripts } from '../db/schema/index.ts'
import type { SessionRow } from '../sessions/detail.ts'
import { freePosition, nextMillisecond } from '../sessions/position.ts'
import type { Chunk } from './chunks.ts'

export type NewSession = Omit<typeof sessions.$inferInsert, 'userId' | 'sortAt'>

/**
 * Adds a session with its tags at a position of its own, which it returns. Undefined when the user already has the
 * session's external id; nothing is written then.
 */
export async function insertSession(db: Db, userId: string, session: NewSession) {
  let from = session.timestamp ?? session.createdAt
  // Each turn another session takes the position at most once, or the millisecond is full and the next one is tried.
  for (;;) {
    const sortAt = await freePosition(db, userId, from)
    const inserted = await db
      .insert(sessions)
      .values({ userId, ...session, sortAt })
      .onConflictDoNothing()
      .returning({ sessionId: sessions.sessionId })
    if (inserted.length > 0) {
      const { sessionId, type, tags = [] } = session
      if (tags.length > 0) await db.insert(sessionTags).values(tags.map(tag => ({ userId, sessionId, tag, sortAt, type })))
      return sortAt
    }
    if (session.externalId && (await findByExternalId(db, userId, session.externalId))) return undefined
    if (await isTaken(db, userId, sortAt)) from = nextMillisecond(from, sortAt)
  }
}

async function isTaken(db: Db, userId: string, sortAt: string) {
  const taken = await db
    .select({ id: sessions.sessionId })
    .from(sessions)
    .where(and(eq(sessions.userId, userId), eq(sessions.sortAt, sortAt)))
  return taken.length > 0
}

export async function findByExternalId(db: Db, userId: string, externalId: string) {
  const [row] = await db
    .select({ sessionId: sessions.sessionId, state: sessions.state })
    .from(sessions)
    .where(and(eq(sessions.userId, userId), eq(sessions.externalId, externalId)))
  return row
}

export async function insertTranscript(db: Db, userId: string, sessionId: string, segments: Segment[], speakers: Speaker[]) {
  await db.insert(transcripts).values({ userId, sessionId, segments, speakers })
}

export async function saveSegments(db: Db, userId: string, sessionId: string, segments: Segment[]) {
  await db
    .update(transcripts)
    .set({ segments })
    .where(and(eq(transcripts.userId, userId), eq(transcripts.sessionId, sessionId)))
}

/** The recording that says most: what is heard is the same in audio and video, and audio is smaller. */
export async function findRecording(db: Db, userId: string, sessionId: string) {
  const [row] = await db
    .select({ key: media.key, contentType: media.contentType })
    .from(media)
    .where(and(eq(media.userId, userId), eq(media.sessionId, sessionId)))
    .orderBy(media.kind)
  return row
}

/** Puts a session in the folders of those names, making the ones the user does not have. */
export async function putInFolders(
  db: Db,
  userId: string,
  session: Pick<typeof folderSessions.$inferInsert, 'sessionId' | 'sortAt' | 'type'>,
  names: string[],
  now: Date
) {
  const byKey = new Map(names.map(name => [folderKey(name), name]))
  // In one order everywhere, so that two imports that make the same folders cannot wait for each other.
  for (const [key, name] of [...byKey].sort(([a], [b]) => (a < b ? -1 : 1))) {
    await db
      .insert(folders)
      .values({ userId, folderId: newId('fld'), name, nameKey: key, createdAt: now, updatedAt: now })
      .onConflictDoNothing()
    const [folder] = await db
      .update(folders)
      .set({ updatedAt: now })
      .where(and(eq(folders.userId, userId), eq(folders.nameKey, key)))
      .returning({ folderId: folders.folderId })
    if (folder) await db.insert(folderSessions).values({ userId, folderId: folder.folderId, ...session })
  }
}

export type ForProcessing = NonNullable<Awaited<ReturnType<typeof findForProcessing>>>

/** The session with its segments and who the source says speaks them, none where it has no transcript. */
export async function findForProcessing(db: Db, userId: string, sessionId: string) {
  const [row] = await db
    .select({ session: sessions, segments: transcripts.segments, speakers: transcripts.speakers })
    .from(sessions)
    .leftJoin(transcripts, and(eq(transcripts.userId, sessions.userId), eq(transcripts.sessionId, sessions.sessionId)))
    .where(and(eq(sessions.userId, userId), eq(sessions.sessionId, sessionId)))
  return row && { session: row.session, segments: row.segments ?? [], speakers: row.speakers ?? [] }
}

/** How far a session is, for whoever waits for it. */
export async function findState(db: Db, userId: string, sessionId: string) {
  const [row] = await db
    .select({ state: sessions.state, failure: sessions.failure })
    .from(sessions)
    .where(and(eq(sessions.userId, userId), eq(sessions.sessionId, sessionId)))
  return row
}

/** Locks the session until the transaction ends. Undefined unless it is still being processed. */
export async function lockProcessing(tx: Db, userId: string, sessionId: string) {
  const [session] = await tx
    .select()
    .from(sessions)
    .where(and(eq(sessions.userId, userId), eq(sessions.sessionId, sessionId), eq(sessions.state, 'processing')))
    .for('update')
  return session
}

export type SessionChange = Partial<Omit<SessionRow, 'userId' | 'sessionId' | 'sortAt'>>

export async function updateSession(db: Db, userId: string, sessionId: string, change: SessionChange & { updatedAt: Date }) {
  await db
    .update(sessions)
    .set(change)
    .where(and(eq(sessions.userId, userId), eq(sessions.sessionId, sessionId)))
}

export interface Embedded {
  model: string
  vectors: number[][]
}

/** So many passages go in one statement: on the embedded database everyone else waits for its end. */
const CHUNKS_AT_ONCE = 32

/** Stores the passages of a session with their vectors, in statements of their own; done again, it leaves the same. */
export async function saveChunks(db: Db, userId: string, sessionId: string, cut: Chunk[], { model, vectors }: Embedded) {
  for (let from = 0; from < cut.length; from += CHUNKS_AT_ONCE) {
    const slice = cut.slice(from, from + CHUNKS_AT_ONCE)
    await db
      .insert(chunks)
      .values(slice.map((chunk, index) => ({ userId, sessionId, ordinal: from + index, ...chunk })))
      .onConflictDoUpdate({
        target: [chunks.userId, chunks.sessionId, chunks.ordinal],
        set: {
          firstSegment: sql`excluded.first_segment`,
          lastSegment: sql`excluded.last_segment`,
          startsAt: sql`excluded.starts_at`,
          endsAt: sql`excluded.ends_at`,
          text: sql`excluded.text`
        }
      })
    const made = slice.map((_, index) => {
      const vector = vectors[from + index] ?? []
      return { userId, model, sessionId, ordinal: from + index, dimension: vector.length, vector }
    })
    await db
      .insert(embeddings)
      .values(made)
      .onConflictDoUpdate({
        target: [embeddings.userId, embeddings.model, embeddings.sessionId, embeddings.ordinal],
        set: { dimension: sql`excluded.dimension`, vector: sql`excluded.vector` }
      })
  }
  await db.delete(chunks).where(and(eq(chunks.userId, userId), eq(chunks.sessionId, sessionId), gte(chunks.ordinal, cut.length)))
}

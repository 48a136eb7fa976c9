import type { PackedTranscript } from '../../contract/packed-document.ts'
import { newId } from '../../platform/core/ids.ts'
import { and, eq, gte, sql } from '../../platform/db/drizzle.ts'
import { matches } from '../../platform/db/matches.ts'
import type { Db } from '../../platform/db/open.ts'
import {
  embeddings,
  folderSessions,
  folders,
  media,
  passages,
  sessions,
  sessionTags,
  transcripts
} from '../../platform/db/schema/index.ts'
import type { Passage, Speaker } from '../../platform/ports/corrected-transcript.ts'
import { folderKey } from '../../platform/text/fold.ts'
import type { Segment } from '../../platform/text/segment.ts'
import { type Taking, takeRoom } from '../access/room.ts'
import { findFreePosition, nextMillisecond } from '../library/position.ts'
import { lockUser } from '../library/queries.ts'

export type NewSession = Omit<typeof sessions.$inferInsert, 'userId' | 'sortAt'>

/**
 * Inserts a session with its tags at a free position, which it returns. Returns undefined, and writes nothing, if the external id exists.
 */
export async function insertSession(db: Db, userId: string, session: NewSession) {
  let from = session.timestamp ?? session.createdAt
  // Each conflict means that another session took the position or the millisecond is full.
  for (;;) {
    const sortAt = await findFreePosition(db, userId, from)
    const inserted = await db
      .insert(sessions)
      .values({ userId, ...session, sortAt })
      .onConflictDoNothing()
      .returning({ sessionId: sessions.sessionId })
    if (inserted.length > 0) {
      const { sessionId, type, tags = [] } = session
      if (tags.length > 0)
        await db.insert(sessionTags).values(tags.map(tag => ({ userId, sessionId, tag, sortAt, type })))
      return sortAt
    }
    if (session.externalId && (await findByExternalId(db, userId, session.externalId))) return undefined
    if (await isTaken(db, userId, sortAt)) from = nextMillisecond(from, sortAt)
    // Imports that lost a position queue here. Without the lock, each commit would make all of them try again.
    await lockUser(db, userId)
  }
}

async function isTaken(db: Db, userId: string, sortAt: string) {
  const taken = await db.select({ id: sessions.sessionId }).from(sessions).where(matches(sessions, { userId, sortAt }))
  return taken.length > 0
}

export async function findByExternalId(db: Db, userId: string, externalId: string) {
  const [row] = await db
    .select({ sessionId: sessions.sessionId, state: sessions.state })
    .from(sessions)
    .where(matches(sessions, { userId, externalId }))
  return row
}

/** Inserts a transcript, which takes room of the quota of stored bytes. */
export async function insertTranscript(
  db: Db,
  userId: string,
  sessionId: string,
  { transcript: { json, bytes }, speakers }: { transcript: PackedTranscript; speakers: Speaker[] },
  taking: Taking
) {
  takeRoom(db, userId, 'bytes_stored', bytes, taking)
  await db.insert(transcripts).values({ userId, sessionId, segments: sql`${json}::jsonb`, bytes, speakers })
}

/** Stores what a provider heard. It counts toward the quota of stored bytes, and is not refused. */
export async function saveSegments(db: Db, userId: string, sessionId: string, segments: Segment[], now: Date) {
  const json = JSON.stringify(segments)
  const bytes = Buffer.byteLength(json)
  const change = {
    segments: sql`${json}::jsonb`,
    original: null,
    strip: null,
    version: sql`${transcripts.version} + 1`,
    bytes
  }
  await db.update(transcripts).set(change).where(matches(transcripts, { userId, sessionId }))
  takeRoom(db, userId, 'bytes_stored', bytes, { limits: undefined, now })
}

/** Returns the audio, or else the video: both have the same speech, and audio is smaller. */
export async function findRecording(db: Db, userId: string, sessionId: string) {
  const [row] = await db
    .select({ key: media.key, contentType: media.contentType })
    .from(media)
    .where(matches(media, { userId, sessionId }))
    .orderBy(media.kind)
  return row
}

/** Adds a session to folders by name and creates missing folders. */
export async function putInFolders(
  db: Db,
  userId: string,
  session: Pick<typeof folderSessions.$inferInsert, 'sessionId' | 'sortAt' | 'type'>,
  names: string[],
  taking: Taking
) {
  const { now } = taking
  const byKey = new Map(names.map(name => [folderKey(name), name]))
  let count = 0
  // One order everywhere avoids deadlocks between imports.
  for (const [key, name] of [...byKey].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const made = await db
      .insert(folders)
      .values({ userId, folderId: newId('fld'), name, nameKey: key, createdAt: now, updatedAt: now })
      .onConflictDoNothing()
      .returning({ folderId: folders.folderId })
    count += made.length
    db.willLock('folder')
    const [folder] = await db
      .update(folders)
      .set({ updatedAt: now })
      .where(matches(folders, { userId, nameKey: key }))
      .returning({ folderId: folders.folderId })
    if (folder) await db.insert(folderSessions).values({ userId, folderId: folder.folderId, ...session })
  }
  takeRoom(db, userId, 'folders', count, { ...taking, field: 'folders' })
}

export type ForProcessing = NonNullable<Awaited<ReturnType<typeof findForProcessing>>>

/** Returns the session with its segments and speakers, both empty without a transcript, which then has version 0. */
export async function findForProcessing(db: Db, userId: string, sessionId: string) {
  const [row] = await db
    .select({
      session: sessions,
      segments: transcripts.segments,
      speakers: transcripts.speakers,
      version: transcripts.version
    })
    .from(sessions)
    .leftJoin(transcripts, and(eq(transcripts.userId, userId), eq(transcripts.sessionId, sessions.sessionId)))
    .where(matches(sessions, { userId, sessionId }))
  if (!row) return undefined
  const { session, segments, speakers, version } = row
  return { session, segments: segments ?? [], speakers: speakers ?? [], version: version ?? 0 }
}

/** Returns whether a session has a transcript of at least one line, without reading it. */
export async function hasSegments(db: Db, userId: string, sessionId: string) {
  const [row] = await db
    .select({ has: sql<boolean>`jsonb_array_length(${transcripts.segments}) > 0` })
    .from(transcripts)
    .where(matches(transcripts, { userId, sessionId }))
  return row?.has ?? false
}

export async function findState(db: Db, userId: string, sessionId: string) {
  const [row] = await db
    .select({ state: sessions.state, failure: sessions.failure })
    .from(sessions)
    .where(matches(sessions, { userId, sessionId }))
  return row
}

/** Locks the session until the transaction ends. Returns undefined unless it is processing. */
export async function lockProcessing(tx: Db, userId: string, sessionId: string) {
  tx.willLock('session')
  const [session] = await tx
    .select()
    .from(sessions)
    .where(matches(sessions, { userId, sessionId, state: 'processing' }))
    .for('update')
  return session
}

/** Embeddings of passages in their order. One that the model does not know has none; without a model, no passage has. */
interface Embedded {
  model: string | undefined
  vectors: (number[] | undefined)[]
  /** The places of the passages to write; all by default. The others are stored already. */
  only?: readonly number[]
}

/** The passages per statement: on the embedded database all others wait for its end. */
const PASSAGES_PER_INSERT = 32

/** Replaces the passages and embeddings of a session, in several statements. Repeating it changes nothing. */
export async function savePassages(
  db: Db,
  userId: string,
  sessionId: string,
  cut: Passage[],
  { model, vectors, only = cut.map((_, ordinal) => ordinal) }: Embedded
) {
  for (let from = 0; from < only.length; from += PASSAGES_PER_INSERT) {
    const slice = only.slice(from, from + PASSAGES_PER_INSERT)
    await db
      .insert(passages)
      .values(
        slice.flatMap(ordinal => {
          const passage = cut[ordinal]
          return passage ? [{ userId, sessionId, ordinal, ...passage }] : []
        })
      )
      .onConflictDoUpdate({
        target: [passages.userId, passages.sessionId, passages.ordinal],
        set: {
          firstSegment: sql`excluded.first_segment`,
          lastSegment: sql`excluded.last_segment`,
          startsAt: sql`excluded.starts_at`,
          endsAt: sql`excluded.ends_at`,
          text: sql`excluded.text`
        }
      })
    if (model === undefined) continue
    const made = slice.map(ordinal => ({ ordinal, vector: vectors[ordinal] ?? null }))
    await db
      .insert(embeddings)
      .values(
        made.map(({ ordinal, vector }) => ({
          userId,
          model,
          sessionId,
          ordinal,
          dimension: vector?.length ?? 0,
          vector
        }))
      )
      .onConflictDoUpdate({
        target: [embeddings.userId, embeddings.model, embeddings.sessionId, embeddings.ordinal],
        set: { dimension: sql`excluded.dimension`, vector: sql`excluded.vector` }
      })
  }
  // Embeddings of a model that is off now may be of another text.
  if (model === undefined) await db.delete(embeddings).where(matches(embeddings, { userId, sessionId }))
  await db.delete(passages).where(and(matches(passages, { userId, sessionId }), gte(passages.ordinal, cut.length)))
}

import type { MediaResponse } from '../contract/media.ts'
import { sql } from '../db/drizzle.ts'
import { matches } from '../db/matches.ts'
import type { Db, Queryable } from '../db/open.ts'
import { media } from '../db/schema/index.ts'
import { recordChanges } from '../events/session-changes.ts'
import { linkEnd, type MediaLinks } from '../media/links.ts'
import type { MediaKind, MediaStore, StoredMedia } from '../media/media.ts'
import type { Services } from '../services.ts'
import { recordDeletion } from './record-deletion.ts'
import { lockSession, type SessionKey, updateSession } from './session-row.ts'

interface RecordingRow {
  deletedAt: string | null
  audioUrl: string | null
  videoUrl: string | null
  audioKey: string | null
  videoKey: string | null
}

/** Returns the URLs of the recordings. Undefined without the session. */
export async function findMedia(
  db: Queryable,
  userId: string,
  sessionId: string,
  links: MediaLinks,
  now: Date
): Promise<MediaResponse | undefined> {
  const [row] = await db.query<RecordingRow>(sql`
    select s.audio_deleted_at as "deletedAt", s.audio_url as "audioUrl", s.video_url as "videoUrl",
      (select key from media m where m.user_id = ${userId} and m.session_id = s.session_id and kind = 'audio') as "audioKey",
      (select key from media m where m.user_id = ${userId} and m.session_id = s.session_id and kind = 'video') as "videoKey"
    from sessions s where s.user_id = ${userId} and s.session_id = ${sessionId} and s.state <> 'deleted'`)
  if (!row) return undefined
  const { deletedAt, audioUrl, videoUrl, audioKey, videoKey } = row
  const expiresAt = linkEnd(now)
  const urlOf = (kind: MediaKind, key: string | null, elsewhere: string | null) => {
    if (deletedAt !== null) return null
    return key === null ? elsewhere : links.urlOf({ userId, sessionId, kind }, expiresAt)
  }
  return {
    id: sessionId,
    audio_url: urlOf('audio', audioKey, audioUrl),
    video_url: urlOf('video', videoKey, videoUrl),
    expires_at: expiresAt.toISOString(),
    audio_deleted_at: deletedAt
  }
}

/** Returns the recording of a link while it may be read. */
export async function findStoredMedia(db: Queryable, userId: string, sessionId: string, kind: string) {
  const [stored] = await db.query<StoredMedia>(sql`
    select m.key, m.content_type as "contentType", m.bytes from media m
    join sessions s on s.user_id = ${userId} and s.session_id = ${sessionId}
    where m.user_id = ${userId} and m.session_id = ${sessionId} and m.kind = ${kind} and s.audio_deleted_at is null and s.state <> 'deleted'`)
  return stored
}

/** Removes the recordings from a session; a job deletes the files after the commit. */
export async function dropRecordings(tx: Db, jobs: Services['jobs'], userId: string, sessionId: string) {
  const dropped = await tx.delete(media).where(matches(media, { userId, sessionId })).returning({ key: media.key })
  for (const { key } of dropped) await jobs.enqueue(tx, 'purge-media', { userId, sessionId, key })
}

/**
 * Deletes audio and video of a session permanently, in the trash too; transcript and summary stay. Records no event. Repeating it changes
 * nothing. Returns the time of the deletion, undefined without the session.
 */
export async function deleteRecording(
  { db, jobs, clock }: Pick<Services, 'db' | 'jobs' | 'clock'>,
  userId: string,
  sessionId: string
) {
  return await db.transaction(async tx => {
    const session = await lockSession(tx, userId, sessionId, { deleted: true })
    if (!session) return undefined
    if (session.audioDeletedAt) return session.audioDeletedAt
    const now = clock.now()
    await updateSession(tx, userId, sessionId, { audioDeletedAt: now, audioUrl: null, videoUrl: null, updatedAt: now })
    await dropRecordings(tx, jobs, userId, sessionId)
    await recordDeletion(tx, userId, sessionId, 'recording', now)
    if (session.state !== 'deleted') recordChanges(tx, userId, [{ sessionId, at: now.toISOString(), deletedAt: null }])
    return now
  })
}

/** Deletes a file from the store unless a session has it. Rejects until the store confirms, so that the job is repeated. */
export async function purgeMedia(
  { db, media: store }: { db: Db; media: MediaStore },
  { userId, sessionId, key }: SessionKey & { key: string }
) {
  const [kept] = await db.select({ key: media.key }).from(media).where(matches(media, { userId, sessionId, key }))
  if (!kept) await store.delete(key)
}

import type { Clock } from '../core/clock.ts'
import { and, eq } from '../db/drizzle.ts'
import type { Db } from '../db/open.ts'
import { media, sessions } from '../db/schema/index.ts'
import type { Deps } from '../deps.ts'
import type { MediaStore } from '../media/media.ts'
import { lockSession } from './detail.ts'
import { noteDeletion } from './note-deletion.ts'

/** Takes the recordings from a session, and has the store told once the transaction is through. */
export async function dropRecordings(tx: Db, jobs: Deps['jobs'], userId: string, sessionId: string) {
  const dropped = await tx
    .delete(media)
    .where(and(eq(media.userId, userId), eq(media.sessionId, sessionId)))
    .returning({ key: media.key })
  for (const { key } of dropped) await jobs.enqueue(tx, 'purge-media', { userId, sessionId, key })
}

/**
 * Deletes the recording of a session, audio and video, for good; transcript and summary stay. No event tells of it. Done
 * again, it changes nothing. Undefined without the session; otherwise when the recording was deleted.
 */
export async function deleteAudio({ db, jobs, clock }: Pick<Deps, 'db' | 'jobs'> & { clock: Clock }, userId: string, sessionId: string) {
  return await db.transaction(async tx => {
    const session = await lockSession(tx, userId, sessionId)
    if (!session) return undefined
    if (session.audioDeletedAt) return session.audioDeletedAt
    const now = clock.now()
    await tx
      .update(sessions)
      .set({ audioDeletedAt: now, audioUrl: null, videoUrl: null, updatedAt: now })
      .where(and(eq(sessions.userId, userId), eq(sessions.sessionId, sessionId)))
    await dropRecordings(tx, jobs, userId, sessionId)
    await noteDeletion(tx, userId, sessionId, 'recording', now)
    return now
  })
}

/** Removes a recording from the store unless a session still has it. Rejects while the store does not confirm: try again then. */
export async function purgeMedia(
  { db, media: store }: { db: Db; media: MediaStore },
  { userId, sessionId, key }: { userId: string; sessionId: string; key: string }
) {
  const [kept] = await db
    .select({ key: media.key })
    .from(media)
    .where(and(eq(media.userId, userId), eq(media.sessionId, sessionId), eq(media.key, key)))
  if (!kept) await store.delete(key)
}

import { matches } from '../../platform/db/matches.ts'
import type { Db } from '../../platform/db/open.ts'
import { media } from '../../platform/db/schema/index.ts'
import type { MediaStore } from '../../platform/ports/media-store.ts'
import { giveRoomBack } from '../access/room.ts'
import { recordChanges } from '../events/session-changes.ts'
import { type Deleting, recordDeletion } from '../library/record-deletion.ts'
import { lockSession, type SessionKey, updateSessionRow } from '../library/session-row.ts'
import type { Needs, Services } from '../services.ts'
import { totalBytes } from './store.ts'

/**
 * Deletes audio and video of a session, in the trash too; transcript and summary stay. Returns the time of the deletion, undefined if there
 * is no such session, or `onlyIf` refuses it.
 */
export async function deleteFromSession(
  { db, jobs, clock }: Needs<'db' | 'jobs' | 'clock'>,
  userId: string,
  sessionId: string,
  { by, onlyIf }: Deleting
) {
  return await db.transaction(async tx => {
    const session = await lockSession(tx, userId, sessionId, { deleted: true })
    if (!session || (onlyIf && !(await onlyIf(tx, session)))) return undefined
    if (session.audioDeletedAt) return session.audioDeletedAt
    const now = clock.now()
    const change = { audioDeletedAt: now, audioUrl: null, videoUrl: null, updatedAt: now }
    await updateSessionRow(tx, userId, sessionId, change)
    await dropRecordings(tx, jobs, userId, sessionId)
    await recordDeletion(tx, userId, sessionId, { what: 'recording', by, deletedAt: now })
    if (session.state !== 'deleted') recordChanges(tx, userId, [{ sessionId, at: now.toISOString(), deletedAt: null }])
    return now
  })
}

/** Removes the recordings from a session; a job deletes the files after the commit. */
export async function dropRecordings(tx: Db, jobs: Services['jobs'], userId: string, sessionId: string) {
  const dropped = await tx
    .delete(media)
    .where(matches(media, { userId, sessionId }))
    .returning({ key: media.key, bytes: media.bytes })
  giveRoomBack(tx, userId, 'bytes_stored', totalBytes(dropped))
  for (const { key } of dropped) await jobs.enqueue(tx, 'purge-media', { userId, sessionId, key })
}

/** Deletes a file from the store unless a session has it. Rejects until the store confirms, so that the job is repeated. */
export async function purgeMedia(
  { db, media: store }: { db: Db; media: MediaStore },
  { userId, sessionId, key }: SessionKey & { key: string }
) {
  const [kept] = await db.select({ key: media.key }).from(media).where(matches(media, { userId, sessionId, key }))
  if (!kept) await store.delete(key)
}

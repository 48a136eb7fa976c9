import { randomBytes } from 'node:crypto'
import { ApiError, invalid, throwNotFound } from '../../platform/core/api-error.ts'
import { matches } from '../../platform/db/matches.ts'
import { media } from '../../platform/db/schema/index.ts'
import type { StoredFile } from '../../platform/ports/reader.ts'
import { operation } from '../access/operation.ts'
import { limitsFor, requireRoom, takeRoom } from '../access/room.ts'
import { recordChange } from '../library/record-change.ts'
import { lockSession } from '../library/session-row.ts'
import { findRecordings } from '../recordings/queries.ts'
import { totalBytes } from '../recordings/store.ts'
import type { Services } from '../services.ts'
import { UnreadableTranscript } from '../transcript-formats/transcript.ts'
import { discardRecordings, measureRecordings, readRecording, storeRecordings } from './recordings.ts'

export type RecordingAdder = Pick<Services, 'db' | 'jobs' | 'clock' | 'media' | 'quotas' | 'sound'>

/** Adds a recording to a completed session that never had one. Nothing transcribes it, because the words are there. */
export const addRecording = operation(
  'uploadSession',
  async (services: RecordingAdder, actor, sessionId: string, file: StoredFile): Promise<void> => {
    const { db, clock, sound } = services
    const { userId } = actor
    const { deletedAt, ...places } = (await findRecordings(db, userId, sessionId)) ?? throwNotFound('Session')
    refuseRecorded({ deletedAt, places: Object.values(places) })
    const { recordings } = await readRecording(file.path, sound).catch(refuseUnreadable)
    const now = clock.now()
    const taking = { limits: limitsFor(services, actor), now, field: 'file' }
    await requireRoom(db, userId, 'bytes_stored', await measureRecordings(recordings), taking)
    // A folder of its own, so that another request at the same time neither writes the same file nor discards it.
    const folder = `${sessionId}_${randomBytes(4).toString('hex')}`
    const stored = await storeRecordings(services, { userId, sessionId }, recordings, { isOurs: true, folder })
    try {
      await db.transaction(async tx => {
        const session = (await lockSession(tx, userId, sessionId)) ?? throwNotFound('Session')
        if (session.state !== 'completed')
          throw new ApiError('conflict', 'The session is not complete yet; add the recording when it is')
        const others = await tx.select({ key: media.key }).from(media).where(matches(media, { userId, sessionId }))
        const { audioDeletedAt, audioUrl, videoUrl } = session
        refuseRecorded({ deletedAt: audioDeletedAt, places: [audioUrl, videoUrl, ...others.map(({ key }) => key)] })
        await tx.insert(media).values(stored.map(recording => ({ ...recording, userId, createdAt: now })))
        takeRoom(tx, userId, 'bytes_stored', totalBytes(stored), taking)
        await recordChange(tx, userId, session, { updatedAt: now })
      })
    } catch (error) {
      await discardRecordings(services.media, stored)
      throw error
    }
  }
)

interface Recorded {
  deletedAt: unknown
  places: readonly (string | null)[]
}

function refuseRecorded({ deletedAt, places }: Recorded) {
  // The ledger of deletions says so too, and would be applied to a restored backup.
  if (deletedAt !== null)
    throw new ApiError('conflict', 'The recording of this session was deleted, which can’t be undone')
  if (places.some(place => place !== null)) throw new ApiError('conflict', 'The session has a recording already')
}

function refuseUnreadable(error: unknown): never {
  if (!(error instanceof UnreadableTranscript)) throw error
  throw invalid({ field: 'file', problem: error.message })
}

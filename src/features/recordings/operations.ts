import type { AudioDeleted } from '../../contract/admin/session.ts'
import type { MediaResponse } from '../../contract/media.ts'
import { ApiError, throwNotFound } from '../../platform/core/api-error.ts'
import type { StoredMedia } from '../../platform/ports/media-store.ts'
import { deleterOf } from '../access/actor.ts'
import { operation } from '../access/operation.ts'
import { linkEnd, type MediaLink, mediaLinks } from '../library/media-links.ts'
import type { Needs, Services } from '../services.ts'
import { findGrantedMedia } from '../sharing/recipient-media.ts'
import { deleteFromSession } from './delete.ts'
import { findRecordings, findStoredMedia } from './queries.ts'
import { MediaError } from './store.ts'

/** Returns links to the recordings of a session, signed by this server where it stores them. */
export const getMedia = operation(
  'getMedia',
  async (
    { db, clock, publicUrl, secretKey }: Pick<Services, 'db' | 'clock' | 'publicUrl' | 'secretKey'>,
    actor,
    sessionId: string
  ): Promise<MediaResponse> => {
    const { userId } = actor
    const found = (await findRecordings(db, userId, sessionId)) ?? throwNotFound('Session')
    const { deletedAt, audioUrl, videoUrl, audioKey, videoKey } = found
    const links = mediaLinks({ publicUrl, secretKey })
    const expiresAt = linkEnd(clock.now())
    const urlOf = (kind: 'audio' | 'video', key: string | null, elsewhere: string | null) => {
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
)

/** The place of a recording: another address, or a file below `root`. */
type Readable = { address: string } | { root: string; stored: StoredMedia }

/**
 * Finds the recording of a link whose signature is valid; the link stands for an actor. It is looked up for every request, so that a link
 * ends when its recording or the access of its recipient does.
 */
export async function findLinkedRecording(
  { db, clock, media: { source } }: Pick<Services, 'db' | 'clock' | 'media'>,
  { userId, sessionId, kind, grant, expires }: MediaLink,
  method: 'GET' | 'HEAD'
): Promise<Readable> {
  const now = clock.now()
  if (expires * 1_000 <= now.getTime()) throwNotFound('Media')
  const stored =
    (grant === ''
      ? await findStoredMedia(db, userId, sessionId, kind)
      : await findGrantedMedia(db, userId, sessionId, kind, grant)) ?? throwNotFound('Media')
  if ('root' in source) return { root: source.root, stored }
  return { address: await source.presign(stored.key, method, now).catch(throwUnavailable) }
}

function throwUnavailable(error: unknown): never {
  if (!(error instanceof MediaError)) throw error
  throw new ApiError('service_unavailable', 'The recording cannot be read now; try again', {
    retryAfter: 60,
    cause: error
  })
}

/** Deletes audio and video of a session permanently, in the trash too. Records no event. Repeating it changes nothing. */
export const deleteRecording = operation(
  'deleteRecording',
  async (services: Needs<'db' | 'jobs' | 'clock'>, actor, sessionId: string): Promise<AudioDeleted> => {
    const deletedAt = await deleteFromSession(services, actor.userId, sessionId, { by: deleterOf(actor) })
    if (!deletedAt) throwNotFound('Session')
    return { id: sessionId, audio_deleted_at: deletedAt.toISOString() }
  }
)

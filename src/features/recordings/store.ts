import type { MediaKind, StoredMedia } from '../../platform/ports/media-store.ts'
/** The size of several recordings together. */
export function totalBytes(recordings: readonly Pick<StoredMedia, 'bytes'>[]) {
  return recordings.reduce((sum, { bytes }) => sum + bytes, 0)
}

/** The lifetime of a presigned URL, and so the time by which it can outlive a deletion or a revocation. */
export const PRESIGNED_SECONDS = 60

/** An operation that the store refused or could not do; the message is a sentence for the operator. */
export class MediaError extends Error {
  override readonly name = 'MediaError'
}

/** The key of a session's recording. It holds nothing of the name of the uploaded file. */
export function mediaKey(
  { userId, sessionId, kind }: { userId: string; sessionId: string; kind: MediaKind },
  extension: string
) {
  return checkedKey(`${userId}/${sessionId}/${kind}.${extension}`)
}

/** Refuses a key that mediaKey would not make, because a key becomes a path. */
export function checkedKey(key: string) {
  if (!/^[a-z0-9_]{1,40}\/[a-z0-9_]{1,40}\/(audio|video)\.[a-z0-9]{2,5}$/.test(key))
    throw new MediaError('The key of a recording is not valid.')
  return key
}

export type MediaKind = 'audio' | 'video'

/** Stores recordings. Its methods reject with a MediaError that tells an operator what to do. */
export interface MediaStore {
  /**
   * Stores a file under the key, as a whole or not at all; resolves with its size in bytes. A file that is ours and does not change any more may
   * become the recording without being copied.
   */
  put(key: string, path: string, contentType: string, options?: { isOurs?: boolean }): Promise<number>
  /** Calls `use` with the path of the recording, which exists until `use` ends. */
  withFile<T>(key: string, use: (path: string) => Promise<T>): Promise<T>
  /** Removes the recording, if it exists; resolves when the store has confirmed it. */
  delete(key: string): Promise<void>
  /** Writes, reads and deletes a small object; resolves with a description of the store. */
  check(): Promise<string>
  close(): void
  /** The source from which clients read recordings: files below `root`, or presigned URLs of the store. */
  readonly source: { root: string } | { presign: Presign }
}

/** A recording as the database knows it. */
export interface StoredMedia {
  key: string
  contentType: string
  bytes: number
}

/** The size of several recordings together. */
export function totalBytes(recordings: readonly Pick<StoredMedia, 'bytes'>[]) {
  return recordings.reduce((sum, { bytes }) => sum + bytes, 0)
}

/** Makes a URL that answers this method without credentials, for PRESIGNED_SECONDS after `from`. */
type Presign = (key: string, method: 'GET' | 'HEAD', from: Date) => Promise<string>

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

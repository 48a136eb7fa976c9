export type MediaKind = 'audio' | 'video'

/** Where recordings are kept. Chosen once, at start. Its methods reject with a MediaError that says what an operator can do. */
export interface MediaStore {
  /** Stores the file's bytes under the key, all of them or nothing; resolves with how many they are. */
  put(key: string, path: string, contentType: string): Promise<number>
  /** Hands the recording to `use` as a file, which is there until `use` has ended. */
  withFile<T>(key: string, use: (path: string) => Promise<T>): Promise<T>
  /** Removes the recording, also one that is not there; resolves when the store has confirmed it. */
  delete(key: string): Promise<void>
  /** Writes, reads and deletes a small object; resolves with a description of the store. */
  check(): Promise<string>
  close(): void
  /** How clients read recordings: from files below a folder, which the server sends, or at the store's own addresses. */
  readonly source: { root: string } | { presign: Presign }
}

/** An address that answers this method for PRESIGNED_SECONDS from then on, without credentials. */
export type Presign = (key: string, method: 'GET' | 'HEAD', from: Date) => Promise<string>

/** How long a store's address is good. It outlives a deletion or a revocation by no more than this. */
export const PRESIGNED_SECONDS = 60

/** A store that could not do what it was asked; the message is a sentence for the operator. */
export class MediaError extends Error {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super(message, options)
    this.name = 'MediaError'
  }
}

/** The key of a session's recording. Nothing of the file's own name is in it. */
export function mediaKey({ userId, sessionId, kind }: { userId: string; sessionId: string; kind: MediaKind }, extension: string) {
  return checkedKey(`${userId}/${sessionId}/${kind}.${extension}`)
}

/** Refuses what mediaKey would not make: a key is a path, and must lead nowhere else. */
export function checkedKey(key: string) {
  if (!/^[a-z0-9_]{1,40}\/[a-z0-9_]{1,40}\/(audio|video)\.[a-z0-9]{2,5}$/.test(key))
    throw new MediaError('The key of a recording is not valid.')
  return key
}

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

/** Makes a URL that answers this method without credentials, for `PRESIGNED_SECONDS` after `from`. */
type Presign = (key: string, method: 'GET' | 'HEAD', from: Date) => Promise<string>

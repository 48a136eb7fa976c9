export type MediaKind = 'audio' | 'video'

/** A recording as its row names it: whose it is and where the store has it. */
export interface Recording {
  userId: string
  sessionId: string
  kind: MediaKind
  key: string
}

export interface Signing {
  /** From when on the link is good; a whole second, as stores count in seconds. */
  from: Date
  /** For how long it is good; LINK_SECONDS unless told. */
  seconds?: number
  /** What the link stands and falls with besides the recording itself; the owner's own links have none. */
  grant?: string
}

/** Where recordings are kept. Chosen once, at start. Its methods reject with a MediaError that says what an operator can do. */
export interface MediaStore {
  /** Stores the file's bytes under the key, all of them or nothing; resolves with how many they are. */
  put(key: string, path: string, contentType: string): Promise<number>
  /** Hands the recording to `use` as a file, which is there until `use` has ended. */
  withFile<T>(key: string, use: (path: string) => Promise<T>): Promise<T>
  /** A URL anyone may read the recording from, for as long as the signing says. */
  link(recording: Recording, signing: Signing): Promise<string>
  /** Removes the recording, also one that is not there; resolves when the store has confirmed it. */
  delete(key: string): Promise<void>
  /** Writes, reads and deletes a small object; resolves with a description of the store. */
  check(): Promise<string>
  close(): void
  /** What the server itself needs for serving links; undefined where the store serves them. */
  readonly local: LocalMedia | undefined
}

export interface LocalMedia {
  /** The folder that keys are paths in. */
  root: string
  signature: MediaSignature
}

/** The part of a link that its signature covers. */
export interface MediaLink {
  userId: string
  sessionId: string
  kind: string
  /** Epoch seconds; from that second on the link is refused. */
  expires: number
  grant: string
}

export interface MediaSignature {
  sign(link: MediaLink): string
  matches(link: MediaLink, signature: string): boolean
}

export const LINK_SECONDS = 3_600

/** A store that could not do what it was asked; the message is a sentence for the operator. */
export class MediaError extends Error {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super(message, options)
    this.name = 'MediaError'
  }
}

/** The key of a session's recording. Nothing of the file's own name is in it. */
export function mediaKey({ userId, sessionId, kind }: Omit<Recording, 'key'>, extension: string) {
  return checkedKey(`${userId}/${sessionId}/${kind}.${extension}`)
}

/** Refuses what mediaKey would not make: a key is a path, and must lead nowhere else. */
export function checkedKey(key: string) {
  if (!/^[a-z0-9_]{1,40}\/[a-z0-9_]{1,40}\/(audio|video)\.[a-z0-9]{2,5}$/.test(key))
    throw new MediaError('The key of a recording is not valid.')
  return key
}

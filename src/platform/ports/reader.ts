import type { ImportDocument } from '../../contract/import-document.ts'
import type { KeptState } from '../../contract/kept-state.ts'
import type { PackedDocument } from '../../contract/packed-document.ts'
import type { BodyShape } from '../../contract/routes/route.ts'
import type { SessionType } from '../../contract/session.ts'
import type { JsonLimits } from '../core/read-json.ts'
import type { WallTime } from '../text/wall-time.ts'
import type { MediaKind } from './media-store.ts'

/** Reads what callers send in processes of their own, with little memory each: no body or file holds up or kills the server. */
export interface Reader {
  /** Parses and validates a body of JSON that is stored at the path. */
  readBody(path: string, owner: string, how: JsonLimits & { shape: BodyShape }): Promise<ReadBody>
  /** Reads the conversation of a stored file. Null if there is none. */
  readFile(file: StoredFile, owner: string): Promise<PackedEntry | null>
  /** Reads the state of a session of an archive. */
  readState(path: string, owner: string): Promise<KeptState>
  close(): Promise<void>
}

/** A file that a caller sent: where it is, under a name of ours, and the name that the caller gave it, which says what it is. */
export interface StoredFile {
  path: string
  name: string
  /** True for a document of an archive, which may have no transcript. */
  isArchived?: boolean | undefined
}

/** A validated body, with a warning for each ignored field. */
export interface ReadBody {
  value: unknown
  ignored: string[]
}

/** The paths of recordings by kind. */
export type Recordings = Partial<Record<MediaKind, string>>

/** One conversation of a file. */
export interface Entry {
  document: ImportDocument
  fallbackTitle: string
  /** Depends on the content only, so that a repeated import finds the session. */
  fallbackExternalId: string
  /** The type of a session for which nobody names one. */
  fallbackType?: SessionType
  /** The start according to the head or the name of the file. */
  startedAt: WallTime | null
  /** The ignored parts, one sentence each. */
  warnings: string[]
  recordings: Recordings
}

/** The same, with its transcript packed. */
export interface PackedEntry extends Omit<Entry, 'document'> {
  document: PackedDocument
}

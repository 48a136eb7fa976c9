import type { LibraryImported } from '../contract/library-imported.ts'
import type { ImportOverrides } from '../features/ingest/document-fields.ts'

export interface ImportOutcome {
  file: string
  /** Null for what is no session: a file that failed, a whole library, and a warning about one. */
  session_id: string | null
  status: 'completed' | 'processing' | 'failed' | 'existing'
  reason?: string
  /** The ignored parts of the file or the options. Absent if nothing was ignored. */
  warnings?: string[]
  /** The numbers of an export of a library that a server has imported as a whole. Its problems are outcomes of their own. */
  library?: Pick<LibraryImported, 'sessions_added' | 'sessions_existing'>
  /** The problems that this outcome stands for, if the server has not named each. */
  problem_count?: number
}

/** Fields that override those of a file, or add to them. */
export type ImportFields = Omit<ImportOverrides, 'externalId'>

/** The place that conversations are imported into: a database of this machine, or a server. */
export interface Destination {
  /** Names the place, for the end of the output. */
  place: string
  /** Imports the conversations of a file. */
  accept(file: string, fields: ImportFields): AsyncIterable<ImportOutcome>
  /** Called before the first wait for a session. */
  beginProcessing?(): Promise<void>
  findState(sessionId: string): Promise<Pick<ImportOutcome, 'status' | 'reason'>>
  /** Returns whether sessions of the library are still being processed, whoever has imported them. */
  isBusy?(): Promise<boolean>
  /** The pause between two looks at a session. */
  pollMs: number
}

export function failed(file: string, reason: string): ImportOutcome {
  return { file, session_id: null, status: 'failed', reason }
}

/** A sentence about a part of a library that is not imported, which stands for no conversation. */
export function warned(file: string, warning: string): ImportOutcome {
  return { file, session_id: null, status: 'existing', problem_count: 0, warnings: [warning] }
}

export function accepted(
  file: string,
  session_id: string,
  status: ImportOutcome['status'],
  warnings: string[]
): ImportOutcome {
  return { file, session_id, status, ...(warnings.length > 0 && { warnings }) }
}

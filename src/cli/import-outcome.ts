import type { ImportOverrides } from '../features/ingest/document-fields.ts'

export interface ImportOutcome {
  file: string
  session_id: string | null
  status: 'completed' | 'processing' | 'failed' | 'existing'
  reason?: string
  /** The ignored parts of the file or the options. Absent if nothing was ignored. */
  warnings?: string[]
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
  /** The pause between two looks at a session. */
  pollMs: number
}

export function failed(file: string, reason: string): ImportOutcome {
  return { file, session_id: null, status: 'failed', reason }
}

export function accepted(
  file: string,
  session_id: string,
  status: ImportOutcome['status'],
  warnings: string[]
): ImportOutcome {
  return { file, session_id, status, ...(warnings.length > 0 && { warnings }) }
}

import type { TranscriptFormat, TranscriptRange } from '../../contract/transcript.ts'

/** Writes transcripts as files and answers, long ones in a process of its own: a file of ten hours takes a second, in which nobody else would be served. */
export interface TranscriptWriter {
  /** Throws conflict if the form or the range needs times and there are none. */
  write(writing: Omit<Writing, 'segments'> & { segments: StoredSegments }, owner: string): Promise<WrittenTranscript>
  close(): Promise<void>
}

/** A long one is bytes, which take no memory of the heap. */
export type WrittenTranscript = string | Buffer

/** A transcript that becomes a file, or the JSON of an answer to its owner or to a recipient of a share. */
export interface Writing {
  form: TranscriptFormat | 'json' | 'shared json'
  /** The id of the session. */
  id: string
  title: string
  /** The segments as JSON, as the database has them. */
  segments: string
  range: TranscriptRange
  /** The input that names the format, for errors. */
  field: 'Accept' | 'format'
}

/** The segments as JSON; or what loads them, if they are very long. */
export type StoredSegments = string | (() => Promise<string>)

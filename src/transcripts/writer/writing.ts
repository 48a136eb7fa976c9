import type { TranscriptFormat, TranscriptRange } from '../../contract/transcript.ts'
import { ApiError } from '../../core/api-error.ts'
import { readSegments } from '../segment.ts'
import { writeTranscript } from '../transcript-file.ts'

/** A transcript that becomes a file. */
export interface Writing {
  format: TranscriptFormat
  title: string
  /** The segments as JSON, as the database has them. */
  segments: string
  range: TranscriptRange
  /** The input that names the format, for errors. */
  field: 'Accept' | 'format'
}

type Refused = Pick<ApiError, 'code' | 'problem' | 'field'>
export type WritingAnswer = { text: string } | { refused: Refused }

/** Writes the file inside the process. Errors of the caller are answers. */
export function answerWriting(writing: Writing): WritingAnswer {
  try {
    return { text: writeFile(writing) }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const { code, problem, field } = error
    return { refused: { code, problem, field } }
  }
}

/** Writes the file. Throws conflict if the format or the range needs times and there are none. */
export function writeFile({ format, title, segments, range, field }: Writing) {
  return writeTranscript(format, { title, segments: readSegments(segments) }, range, field)
}

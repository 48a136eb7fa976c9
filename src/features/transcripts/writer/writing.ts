import { SharedTranscriptResponse } from '../../../contract/sharing.ts'
import { TranscriptResponse } from '../../../contract/transcript.ts'
import { ApiError } from '../../../platform/core/api-error.ts'
import type { Writing } from '../../../platform/ports/transcript-writer.ts'
import { readSegments } from '../../../platform/text/segment.ts'
import { toSharedTranscript, toTranscript, writeTranscript } from '../transcript-file.ts'

type Refused = Pick<ApiError, 'code' | 'problem' | 'field'>
export type WritingAnswer = { bytes: Buffer } | { refused: Refused }

/** Writes the transcript inside the process. Errors of the caller are answers. */
export function answerWriting(writing: Writing): WritingAnswer {
  try {
    return { bytes: Buffer.from(write(writing)) }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const { code, problem, field } = error
    return { refused: { code, problem, field } }
  }
}

/** Writes the transcript. Throws conflict if the form or the range needs times and there are none. */
export function write({ form, id, title, segments: json, range, field }: Writing) {
  const segments = readSegments(json)
  if (form === 'json') return JSON.stringify(TranscriptResponse.encode({ id, ...toTranscript(segments, range) }))
  if (form === 'shared json')
    return JSON.stringify(SharedTranscriptResponse.encode({ id, ...toSharedTranscript(segments, range) }))
  return writeTranscript(form, { title, segments }, range, field)
}

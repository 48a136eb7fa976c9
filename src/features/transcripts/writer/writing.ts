import { SharedTranscriptResponse } from '../../../contract/sharing.ts'
import { TranscriptResponse } from '../../../contract/transcript.ts'
import { ApiError } from '../../../platform/core/api-error.ts'
import type {
  CorrectableLines,
  CorrectedTranscript,
  Correcting,
  Counting
} from '../../../platform/ports/corrected-transcript.ts'
import type { PageLines, Quoting, Showing, TranscriptPart, Writing } from '../../../platform/ports/transcript-writer.ts'
import { flatText, readSegments, type Segment } from '../../../platform/text/segment.ts'
import { packText } from '../../../platform/work/packed-text.ts'
import { correctLines, countLines, toLine } from '../correct-lines.ts'
import { toPageLines } from '../page-lines.ts'
import { segmentsWithin, toSharedTranscript, toTranscript, writeTranscript } from '../transcript-file.ts'
import { toPart } from '../transcript-part.ts'

type Refused = Pick<ApiError, 'code' | 'problem' | 'field'>

/** A transcript whose text alone is wanted. */
interface Flattening {
  kind: 'text'
  segments: string
}

/** A request to the process, which makes something of a transcript. */
export type Work = Writing | Showing | Quoting | Flattening | Correcting | Counting
export type WorkAnswer =
  | { bytes: Buffer }
  | { page: PageLines }
  | { part: TranscriptPart }
  | { packed: Uint8Array }
  | { corrected: CorrectedTranscript | null }
  | { counted: CorrectableLines }
  | { refused: Refused }

/** Does the work inside the process. Errors of the caller are answers. */
export function answerWork(work: Work): WorkAnswer {
  try {
    return answer(work)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const { code, problem, field } = error
    return { refused: { code, problem, field } }
  }
}

function answer(work: Work): WorkAnswer {
  switch (work.kind) {
    case 'file':
      return { bytes: Buffer.from(write(work)) }
    case 'page': {
      const { lines, ...page } = show(work)
      return { page: { ...page, lines: packText(lines) } }
    }
    case 'part':
      return { part: quote(work) }
    case 'correction':
      return { corrected: correctLines(work) ?? null }
    case 'terms':
      return { counted: countLines(work) }
    case 'text':
      return { packed: packText(flatten(work.segments)) }
  }
}

/** Writes the transcript. Throws conflict if the form or the range needs times and there are none. */
export function write({ form, id, title, segments: json, version = 0, lines = false, range, field }: Writing) {
  const segments = readSegments(json)
  if (form === 'json') {
    const all = lines && { lines: linesWithin(segments, range) }
    return JSON.stringify(TranscriptResponse.encode({ id, ...toTranscript(segments, range), version, ...all }))
  }
  if (form === 'shared json')
    return JSON.stringify(SharedTranscriptResponse.encode({ id, ...toSharedTranscript(segments, range) }))
  return writeTranscript(form, { title, segments }, range, field)
}

/** The lines of a range, each with its place in the whole transcript. */
function linesWithin(segments: readonly Segment[], range: Writing['range']) {
  const within = new Set(segmentsWithin(segments, range))
  return segments.flatMap((said, index) => (within.has(said) ? [toLine(said, index)] : []))
}

export function show({ segments, ...wanted }: Showing) {
  return toPageLines(readSegments(segments), wanted)
}

export function quote({ segments, ...wanted }: Quoting) {
  return toPart(readSegments(segments), wanted)
}

/** The text of the transcript as JSON. */
export function flatten(json: string) {
  const segments = readSegments(json)
  return segments.length > 0 ? JSON.stringify(flatText(segments)) : 'null'
}

import { CallPatch } from './admin/call.ts'
import { boundSpeakers } from './bounded-speakers.ts'
import { ImportDocument } from './import-document.ts'
import { LIMITS } from './limits.ts'

interface Said {
  speaker: string
  start: number | null
  end: number | null
  text: string
}

/** A transcript as the database stores it. It is one text, because many small objects are slow to hand from one process to another. */
export interface PackedTranscript {
  /** The segments as JSON, with the names of known people in place of labels. */
  json: string
  /** The number of segments. */
  length: number
  /** The bytes of the segments as JSON; 0 without segments. */
  bytes: number
  /** The last start or end, in seconds. */
  seconds: number
  /** The names and labels of the speakers, each once, in the order of their first words. */
  labels: string[]
  /** A sentence for each way in which times and speakers are not those of the document. */
  warnings: string[]
}

type Packed<T> = Omit<T, 'segments'> & { transcript: PackedTranscript }
export type PackedDocument = Packed<ImportDocument>
export type PackedCallPatch = Packed<CallPatch>

export const PackedDocument = ImportDocument.transform(packDocument)
export const PackedCallPatch = CallPatch.transform(packDocument)

/** Replaces the segments of a document by their packed form. */
export function packDocument<T extends Pick<ImportDocument, 'segments' | 'speakers'>>({
  segments = [],
  ...document
}: T): Packed<T> {
  return { ...document, transcript: packTranscript(segments, document.speakers) }
}

/** A segment that ends before it starts ends at its start. */
export function packTranscript(
  segments: readonly Said[],
  speakers: Pick<ImportDocument, 'speakers'>['speakers'] = []
): PackedTranscript {
  const names = new Map(speakers.map(({ label, person }) => [label, person ?? label]))
  const named = segments.map(said => ({
    ...said,
    speaker: names.get(said.speaker) ?? said.speaker,
    end: isReversed(said) ? said.start : said.end
  }))
  const bounded = boundSpeakers(named, names.values())
  const json = JSON.stringify(bounded.segments)
  return {
    json,
    length: segments.length,
    bytes: segments.length === 0 ? 0 : Buffer.byteLength(json),
    seconds: segments.reduce((last, { start, end }) => Math.max(last, start ?? 0, end ?? 0), 0),
    labels: [...new Set(bounded.segments.map(({ speaker }) => speaker))],
    warnings: [...listTimeWarnings(segments), ...listLabelWarnings(bounded.left)]
  }
}

function listTimeWarnings(segments: readonly Said[]) {
  const untimed = segments.filter(({ start }) => start === null).length
  const hasTimes = segments.some(({ start, end }) => start !== null || end !== null)
  const reversed = segments.filter(isReversed).length
  const ofAll = `of ${segments.length} segments`
  return [
    ...(hasTimes && untimed > 0 ? [`segments: all times are ignored, because ${untimed} ${ofAll} have no start`] : []),
    ...(reversed > 0 ? [`segments: the end is ignored in ${reversed} ${ofAll}, because it is before the start`] : [])
  ]
}

const MAX_NAMED = 3

function listLabelWarnings(left: readonly string[]) {
  if (left.length === 0) return []
  const named = left.slice(0, MAX_NAMED).map(label => JSON.stringify(label))
  const others = left.length - named.length
  const labels = [...named, ...(others > 0 ? [`${others} others`] : [])].join(', ')
  return [
    `segments: a transcript has at most ${LIMITS.speakerLabels} speakers, so the labels ${labels} are in the text of what they say`
  ]
}

function isReversed({ start, end }: Said) {
  return start !== null && end !== null && end < start
}

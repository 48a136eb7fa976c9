import type { TranscriptFormat, TranscriptRange } from '../../contract/transcript.ts'
import type { PackedText } from '../work/packed-text.ts'
import type { Actor } from './actor.ts'
import type { CorrectableLines, CorrectedTranscript, Correcting, Counting } from './corrected-transcript.ts'

/** Writes transcripts as files, answers and pages, long ones in a process of its own: a file of ten hours takes a second, in which nobody else would be served. */
export interface TranscriptWriter {
  /** Throws conflict if the form or the range needs times and there are none. */
  write(writing: Stored<Writing>, owner: string): Promise<WrittenTranscript>
  /** Shows a transcript on a page. A long one takes a place of the reader's long reads until it is disposed of. */
  show(showing: Stored<Showing>, reader: Actor): Promise<ShownTranscript>
  /** Returns the part of a transcript that fits into an answer to an assistant. Throws conflict if the range needs times and there are none. */
  quote(quoting: Stored<Quoting>, owner: string): Promise<TranscriptPart>
  /** Returns the text of a transcript as JSON; null without speech. It waits for its turn instead of being refused, because an export has begun. */
  flatten(load: () => Promise<string>, owner: string): Promise<PackedText>
  /** Changes lines of a transcript. Returns undefined if every line stays the same, and throws invalid_request for one that it doesn't have. */
  correct(correcting: Stored<Correcting>, owner: string): Promise<CorrectedTranscript | undefined>
  /** Counts the lines that terms would change. Throws invalid_request where `correct` would. */
  countLines(counting: Stored<Counting>, owner: string): Promise<CorrectableLines>
  close(): Promise<void>
}

type Stored<T> = Omit<T, 'segments' | 'kind'> & { segments: StoredSegments }

/** A long one is bytes, which take no memory of the heap. */
type WrittenTranscript = string | Buffer

/** A written transcript, and the title of its session. */
export interface TranscriptFile {
  title: string
  content: WrittenTranscript
}

/** A transcript that becomes a file, or the JSON of an answer to its owner or to a recipient of a share. */
export interface Writing {
  kind: 'file'
  form: TranscriptFormat | 'json' | 'shared json'
  /** The id of the session. */
  id: string
  title: string
  /** The segments as JSON, as the database has them. */
  segments: string
  /** For the JSON of an answer to its owner: the version of the transcript, and whether the answer has `lines`. */
  version?: number
  lines?: boolean
  range: TranscriptRange
  /** The input that names the format, for errors. */
  field: 'Accept' | 'format'
}

/** A transcript that becomes lines of a page. */
export interface Showing {
  kind: 'page'
  segments: string
  /** A part of the names of speakers that the page lists. */
  speaker: string
  /** The parts of the conversation with a heading, in the order of their times. */
  chapters?: readonly Chapter[] | undefined
  /** The address at which lines are corrected, to which the index of a line is added; undefined on a page that corrects neither them nor their speakers. */
  correctAt?: string | undefined
}

export interface Chapter {
  heading: string
  /** Seconds. */
  start: number
}

/** A speaker, and their part of the talk, from 0 to 1. */
export interface Voice {
  name: string
  part: number
}

/** The lines of a transcript as markup, and what a page says beside them. */
export interface PageLines {
  lines: PackedText
  hasLines: boolean
  hasTimes: boolean
  /** The speakers in the order of their first words, and those of them that the page lists. */
  speakers: FirstNames
  listed: FirstNames
  /** Those who speak the most, in that order. */
  voices: Voice[]
}

export interface FirstNames {
  count: number
  first: string[]
}

export type ShownTranscript = PageLines & Disposable

/** A transcript of which an assistant gets a part. */
export interface Quoting {
  kind: 'part'
  segments: string
  range?: TranscriptRange
  /** Seconds around a moment, for a transcript that has times. */
  around?: { from: number; to: number } | undefined
  /** True for each segment as a line of its own, with its place in the whole transcript. */
  indexed?: boolean
  /** The place of the first line. */
  first: number
  /** The part has more characters than this, unless the transcript ends before. */
  characters: number
}

export interface QuotedLine {
  text: string
  start?: number
  speaker?: string
  index?: number
}

export interface TranscriptPart {
  hasTimes: boolean
  /** The start of the first line of all, in seconds. */
  startsAt: number
  /** The lines of the range, of which `lines` are those from `first` on. */
  count: number
  lines: QuotedLine[]
  /** The start of the first line after a moment. */
  next?: number | undefined
}

/** The segments as JSON; or what loads them, if they are very long. */
export type StoredSegments = string | (() => Promise<string>)

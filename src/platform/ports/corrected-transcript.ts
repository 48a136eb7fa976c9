import type { MatchedBy } from '../../contract/person.ts'
import type { LineChange, TranscriptLine } from '../../contract/transcript-change.ts'
import type { Term } from '../text/term-matcher.ts'

/** A statement of the source about a speaker. */
export interface Speaker {
  label: string
  /** With `manual`, null is an unknown person, even if a person has that name. */
  person: string | null
  isMe: boolean
  matchedBy: 'voice' | 'name' | 'manual' | null
}

/** A speaker of a transcript with the statements of the source about them. */
export interface TranscriptSpeaker {
  nameInSession: string
  nameKey: string
  /** The keys of all names of the speaker in the transcript. */
  nameKeys: string[]
  talkSeconds: number
  topLines: string[]
  isMe: boolean
  /** The person named by the source. Without one, the label is matched with known people. */
  person: string | null
  matchedBy: MatchedBy
}

/** A passage of the search index: whole turns, or part of a turn that is longer than a passage. */
export interface Passage {
  /** Indexes of segments, both inclusive. */
  firstSegment: number
  lastSegment: number
  /** Seconds into the recording; null where the source has no times. */
  startsAt: number | null
  endsAt: number | null
  /** Lines of `Speaker: words`. */
  text: string
}

/** Terms to correct wherever they are heard, and words of other terms that stay as they are. */
export interface TermSet {
  terms: readonly Term[]
  kept: readonly string[]
}

/** A transcript of which lines are corrected. */
export interface Correcting {
  kind: 'correction'
  /** The segments as JSON, as the database has them. */
  segments: string
  speakers: readonly Speaker[]
  changes: readonly LineChange[] | TermSet
  /** The instant that the corrected lines name. */
  now: string
}

/** A transcript of which the lines with terms are counted. */
export interface Counting extends TermSet {
  kind: 'terms'
  segments: string
}

/** The lines that a correction by terms would change, and how the first of them would read. */
export interface CorrectableLines {
  count: number
  first: { index: number; text: string; corrected: string }[]
}

/** A transcript after a correction, with what follows from it. */
export interface CorrectedTranscript {
  /** The segments as JSON, their bytes, and how many more these are than before. */
  json: string
  bytes: number
  grownBy: number
  /** The changed lines that are left. */
  lines: TranscriptLine[]
  /** The new index of each line before, null of one that is removed; absent if every line keeps its index. */
  moved?: (number | null)[]
  /** The keys of speakers who say nothing any more, and of new ones. */
  gone: string[]
  added: string[]
  heard: TranscriptSpeaker[]
  passages: Passage[]
}

import type { Outline, Source } from '../text/outline.ts'
import type { Segment } from '../text/segment.ts'
import type { Template } from '../text/template.ts'

/** A conversation to summarize. */
export interface Conversation {
  title: string
  type: string
  segments: Segment[]
  /** ISO 639-1, when the source names it. */
  language: string | null
  /** The calendar day of the conversation in the owner's time zone, YYYY-MM-DD. "By Friday" counts from it. */
  day: string
  /** ISO 639-1, if the summary is wanted in another language than that of the conversation. */
  summaryLanguage?: string | null
  /** The sections of the summary, if other ones than the summarizer's own are wanted. */
  template?: Template | null
  /** The people whom the owner knows. A task is nobody's unless its assignee is one of them, or a speaker. */
  people?: readonly string[]
}

export interface ExtractedItem {
  text: string
  assignee: string | null
  /** YYYY-MM-DD, already normalized. */
  dueDate: string | null
  /** The time in the recording, in seconds, at which the item was agreed. Null if the source has no times. */
  sourceStart: number | null
  /** The lines that it comes from; absent if nobody knows them. */
  sources?: Source[]
  /** As for a statement of the summary. */
  unsupported?: true
}

/** How a provider made a summary. */
export interface Making {
  model: string
  /** Changes with the prompts. */
  promptVersion: string
  /** The tokens of all requests; null if the provider counts none. */
  inputTokens: number | null
  outputTokens: number | null
}

export interface Summary {
  /** Structured markdown, in the language of the conversation. */
  summary: string
  /** The same in parts, with their sources; absent if the summarizer knows its Markdown only. */
  outline?: Outline
  /** The headings of the template's sections that the summary lacks. Absent without a template. */
  leftOut?: string[]
  actionItems: ExtractedItem[]
  /** A title made of what is said; absent if the summarizer makes none. */
  title?: string
  /** ISO 639-1; null when it is unknown. */
  language: string | null
  /** Absent for the offline summarizer. */
  making?: Making
}

/** A recording to be transcribed. */
export interface RecordingFile {
  path: string
  /** The file name that the provider gets. Its extension names the format. */
  name: string
  contentType: string
  /** ISO 639-1, when the source names it. */
  language?: string | null
  /** Words that may be said and that a model would get wrong, the most wanted first. */
  words?: readonly string[]
  /** Voices of earlier parts of the same recording, so that a model that tells speakers apart knows them again. */
  voices?: Voice[]
}

/** The most voices that a request may name: OpenAI's model takes no more. */
export const MAX_VOICES = 4

/** A speaker, and a file with some seconds of their voice alone. */
export interface Voice {
  name: string
  path: string
  contentType: string
}

export interface Transcription {
  /** Empty for a silent recording. Times are null if the model returns none. */
  segments: Segment[]
  /** ISO 639-1; null when the provider names none. */
  language: string | null
  /** The end of the last segment if the provider names no length. */
  durationSeconds: number
  /** True if the server took the voices, so that a label of theirs is the same speaker. */
  knowsVoices?: boolean
}

/** The kind of an embedded text. */
export type TextInput = 'passage' | 'query'

/** Makes embeddings. */
export interface Embeddings {
  /** Name and dimension of the embedding model; each stored vector carries both. Undefined while search compares terms only. */
  readonly embedder: { model: string; dimension: number } | undefined
  /** The reason why a configured embedder is not used. */
  readonly lexicalReason: string | undefined
  /** One vector of unit length for each text, in order; undefined for a text in a script that the model does not know. Rejects with an AiError. */
  embed(texts: string[], signal?: AbortSignal, input?: TextInput): Promise<(number[] | undefined)[]>
  /** Embeds a short text; rejects with an AiError. */
  check(signal?: AbortSignal): Promise<void>
  close(): Promise<void>
}

/** Makes summaries and action items. */
export interface Summaries {
  /** True if it writes in another language than that of the conversation where it is asked to. */
  readonly translates?: boolean
  /** Rejects with an AiError when the provider cannot answer. */
  summarize(conversation: Conversation, signal?: AbortSignal): Promise<Summary>
  /** Makes the smallest request of this job; rejects with an AiError. */
  check(signal?: AbortSignal): Promise<void>
  close(): Promise<void>
}

/** Transcribes recordings. */
export interface Transcripts {
  /** The size in bytes above which the server refuses a recording. */
  readonly maxBytes: number
  /** Rejects with an AiError, and with an UnsuitableRecording where the same speech in smaller parts or in another format may succeed. */
  transcribe(recording: RecordingFile, signal?: AbortSignal): Promise<Transcription>
  /** Transcribes a second of silence; rejects with an AiError. */
  check(signal?: AbortSignal): Promise<void>
  close(): Promise<void>
}

/** Makes summaries, action items, embeddings and transcripts, each by a server or model of its own. */
export interface Ai extends Omit<Embeddings, 'check'>, Pick<Summaries, 'summarize' | 'translates'> {
  /** Transcribes recordings; undefined where no model is configured for it. */
  readonly transcripts: Pick<Transcripts, 'transcribe' | 'maxBytes'> | undefined
}

/** A request that the provider did not fulfil. `final` means that a retry cannot help: a bad key, an unknown model, an input too long. */
export class AiError extends Error {
  readonly final: boolean
  /** The sentence for the owner of the conversation, if they can do something about it. The message is for operators. */
  readonly shown: string | undefined

  constructor(message: string, options: { final: boolean; shown?: string; cause?: unknown }) {
    super(message, { cause: options.cause })
    this.name = 'AiError'
    this.final = options.final
    this.shown = options.shown
  }
}

/** A recording that the provider refused for its size, its length or its format. */
export class UnsuitableRecording extends AiError {
  constructor(message: string) {
    super(message, { final: true })
  }
}

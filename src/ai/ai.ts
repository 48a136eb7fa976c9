import type { Segment } from '../core/segment.ts'

/** A conversation as the pipeline hands it to a provider. */
export interface Conversation {
  title: string
  type: string
  segments: Segment[]
  /** ISO 639-1, when the source names it. */
  language: string | null
  /** The owner's calendar day on which the conversation took place, YYYY-MM-DD: what "by Friday" counts from. */
  day: string
}

export interface ExtractedItem {
  text: string
  assignee: string | null
  /** YYYY-MM-DD, already normalized. */
  dueDate: string | null
  /** Seconds into the recording where the item was committed to; null where the source has no times. */
  sourceStart: number | null
}

export interface Summary {
  /** Structured markdown, in the language of the conversation. */
  summary: string
  actionItems: ExtractedItem[]
  /** ISO 639-1; null when it cannot be told. */
  language: string | null
}

/** A recording to be transcribed. */
export interface RecordingFile {
  path: string
  /** What the provider is told it is called; the ending counts. */
  name: string
  contentType: string
}

export interface Transcription {
  /** None where nothing is said; without times where the model knows none. */
  segments: Segment[]
  /** ISO 639-1; null when the provider does not tell. */
  language: string | null
  durationSeconds: number
}

/** What a text is that is embedded. */
export type TextInput = 'passage' | 'query'

/** What turns conversations into summaries, action items and vectors. Chosen once, at start. */
export interface Ai {
  /** Name and dimension of the embedding model; each stored vector carries both. */
  readonly embedder: { model: string; dimension: number }
  /** Rejects with an AiError when the provider cannot answer. */
  summarize(conversation: Conversation, signal?: AbortSignal): Promise<Summary>
  /** One unit-length vector for each text, in order. Of a query, for which somebody waits, a model may read less. Rejects with an AiError. */
  embed(texts: string[], signal?: AbortSignal, input?: TextInput): Promise<number[][]>
  /** Writes down what is said in a recording; undefined where no model is chosen for it. Rejects with an AiError. */
  readonly transcribe: ((recording: RecordingFile, signal?: AbortSignal) => Promise<Transcription>) | undefined
  /** Asks the provider for a sign of life; rejects with an AiError. */
  check(signal?: AbortSignal): Promise<void>
  close(): Promise<void>
}

/** A provider's refusal. `final` means that asking again cannot help: a bad key, an unknown model, an input it will never take. */
export class AiError extends Error {
  readonly final: boolean

  constructor(message: string, options: { final: boolean; cause?: unknown }) {
    super(message, { cause: options.cause })
    this.name = 'AiError'
    this.final = options.final
  }
}

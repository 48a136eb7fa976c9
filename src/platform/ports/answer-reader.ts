import type { Segment } from '../text/segment.ts'

/** Reads the answer of a transcription server as the same JSON in a file is read. Throws if it is no transcript. */
export type AnswerReader = (answer: unknown) => ReadAnswer

export interface ReadAnswer {
  /** Empty if nothing was said. */
  segments: Segment[]
  language: string | null
  durationSeconds: number | null
}

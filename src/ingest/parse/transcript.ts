import type { Segment } from '../../core/segment.ts'
import type { WallTime } from '../../core/wall-time.ts'

export interface ParsedTranscript {
  segments: Segment[]
  language: string | null
  durationSeconds: number | null
  /** When it began, where the file says so. */
  startedAt?: WallTime | null
}

/** A file that cannot be imported; the message is a sentence for whoever sent it. */
export class UnreadableTranscript extends Error {
  /** The line at fault, counted from 1, where one is. */
  readonly line: number | null

  constructor(message: string, options: { line?: number; cause?: unknown } = {}) {
    super(message, { cause: options.cause })
    this.name = 'UnreadableTranscript'
    this.line = options.line ?? null
  }
}

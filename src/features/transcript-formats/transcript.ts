import { DEFAULT_SPEAKER, storable } from '../../contract/import-document.ts'
import { FIELD_LIMITS } from '../../contract/limits.ts'
import { isBlank, oneLine } from '../../contract/text.ts'
import type { Segment } from '../../platform/text/segment.ts'
import type { WallTime } from '../../platform/text/wall-time.ts'

export interface ParsedTranscript {
  segments: Segment[]
  language: string | null
  durationSeconds: number | null
  /** The start according to the file. */
  startedAt?: WallTime | null
  /** The title according to the file. */
  title?: string | null
  tags?: string[]
  /** The summary that the file holds, in Markdown. */
  summary?: string | null
  actionItems?: ToldItem[]
  /** The ignored parts, one sentence each. */
  warnings?: string[]
}

/** An action item that a file holds. */
export interface ToldItem {
  text: string
  assignee: string | null
  completed: boolean
}

/** A file that cannot be imported. The message is for the sender of the file. */
export class UnreadableTranscript extends Error {
  /** The invalid line, counted from 1, if known. */
  readonly line: number | null

  constructor(message: string, options: { line?: number; cause?: unknown } = {}) {
    super(message, { cause: options.cause })
    this.name = 'UnreadableTranscript'
    this.line = options.line ?? null
  }
}

/** A piece of a transcript; without a name, the speaker is null. */
export interface Turn {
  speaker: string | null
  start: number | null
  end: number | null
  text: string
}

/** Converts turns to segments on one line each. A turn without a name is of an unknown speaker; turns without text are dropped. */
export function toSegments(turns: readonly Turn[]): Segment[] {
  const segments: Segment[] = []
  // Cleaned once each: a file can name one speaker at great length, and give every turn to them.
  const names = new Map<string | null, string>()
  for (const { speaker, start, end, text: said } of turns) {
    // JSON escapes can spell characters that the database cannot store.
    const text = storable(said)
    if (isBlank(text)) continue
    const name = names.get(speaker) ?? toLabel(speaker)
    names.set(speaker, name)
    segments.push({ speaker: name, start, end, text: oneLine(text) })
  }
  return segments
}

function toLabel(speaker: string | null) {
  const name = storable(oneLine(storable(speaker ?? '')).slice(0, FIELD_LIMITS.personName))
  return isBlank(name) ? DEFAULT_SPEAKER : name
}

/** Returns the end of the last segment, or null if an end is unknown. */
export function lastEnd(segments: Segment[]) {
  let last: number | null = null
  for (const { start, end } of segments) {
    if (end === null) return null
    last = Math.max(last ?? 0, start ?? 0, end)
  }
  return last
}

import type { WallTime } from '../../platform/text/wall-time.ts'

/** Files of archives without times, and of machines without a clock, are older than recorded conversations. */
const EARLIEST = Date.UTC(1990, 0, 1)

/** Guesses the start of a conversation from the last change of its file. Returns null for a time that no conversation can have. */
export function guessStart(modified: Date | undefined, now: Date): WallTime | null {
  if (modified === undefined || modified.getTime() < EARLIEST || modified > now) return null
  return { text: modified.toISOString().slice(0, 19), utc: true }
}

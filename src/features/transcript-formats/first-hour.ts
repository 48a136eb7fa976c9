import { firstHour } from '../transcripts/tape-clock.ts'

interface Timed {
  start: number | null
  end: number | null
}

/** Subtracts the hour at which the time code of a film or tape begins: 01:00:00:00 and 10:00:00:00 are usual. */
export function sinceFirstHour<T extends Timed>(turns: readonly T[], least?: number): T[] {
  const first = turns.reduce((min, { start }) => Math.min(min, start ?? min), Number.POSITIVE_INFINITY)
  const hour = firstHour(first, least)
  if (hour === 0) return [...turns]
  const since = (time: number | null) => (time === null ? null : Math.max(0, Math.round((time - hour) * 1000) / 1000))
  return turns.map(turn => ({ ...turn, start: since(turn.start), end: since(turn.end) }))
}

interface Timed {
  start: number | null
  end: number | null
}

const HOUR = 3_600
/** No recording begins with hours of silence, so later times are those of a clock or of a time code that begins at some hour. */
export const MAX_FIRST_SECONDS = 4 * HOUR

/** A clock has no later hour. */
const DAY = 24 * HOUR

/** Subtracts the hour at which the time code of a film or tape begins: 01:00:00:00 and 10:00:00:00 are usual. */
export function sinceFirstHour<T extends Timed>(turns: readonly T[], least = MAX_FIRST_SECONDS): T[] {
  const first = turns.reduce((min, { start }) => Math.min(min, start ?? min), Number.POSITIVE_INFINITY)
  if (first < least || first >= DAY) return [...turns]
  const hour = Math.floor(first / HOUR) * HOUR
  const since = (time: number | null) => (time === null ? null : Math.max(0, Math.round((time - hour) * 1000) / 1000))
  return turns.map(turn => ({ ...turn, start: since(turn.start), end: since(turn.end) }))
}

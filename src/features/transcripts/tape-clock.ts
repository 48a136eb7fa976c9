const HOUR = 3_600
/** No recording begins with hours of silence, so later times are those of a clock, or of a time code that begins at some hour. */
export const MAX_FIRST_SECONDS = 4 * HOUR
/** A clock has no later hour. */
const DAY = 24 * HOUR

/** Returns the hour at which the clock of captions began whose first time is this one: 0 unless it is that of a clock. */
export function firstHour(first: number, least = MAX_FIRST_SECONDS) {
  return first >= least && first < DAY ? Math.floor(first / HOUR) * HOUR : 0
}

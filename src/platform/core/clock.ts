export interface Clock {
  now(): Date
}

/** A clock that is set by readings of another one. */
export interface SynchronizedClock extends Clock {
  /** The other clock showed `at`, in epoch milliseconds, at some moment between `asked` and `answered`, both of `performance.now()`. */
  synchronize(at: number, asked: number, answered: number): void
}

/** A clock in whole milliseconds may lag by this much. */
const RESOLUTION_MS = 1

/**
 * Between two readings it follows the monotonic clock of the process. A reading corrects it by the proven error only, so the latency of
 * the answer adds none.
 */
export function openSynchronizedClock(): SynchronizedClock {
  let ahead = performance.timeOrigin
  return {
    now: () => new Date(ahead + performance.now()),
    synchronize(at, asked, answered) {
      ahead = Math.max(at - answered, Math.min(ahead, at + RESOLUTION_MS - asked))
    }
  }
}

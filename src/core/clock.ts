export interface Clock {
  now(): Date
}

/** A clock that is set by readings of another one. */
export interface SynchronizedClock extends Clock {
  /** The other clock showed `at`, in epoch milliseconds, at some moment between `asked` and `answered`, both of `performance.now()`. */
  synchronize(at: number, asked: number, answered: number): void
}

/** A clock of whole milliseconds may be behind by this much. */
const RESOLUTION_MS = 1

/**
 * Between two readings it goes by the time of the process, which nobody sets. A reading moves it as far as the reading proves it
 * wrong, so that the time an answer takes is no error.
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

export interface Recurring {
  /** Do the work now, or once more after the turn that is under way. */
  wake(): void
  /** Waits for the turn that is under way, and begins no other. */
  stop(): Promise<void>
}

/** Does the work now, each time after so many milliseconds, and when woken; never two turns at once. */
export function openRecurring(work: () => Promise<void>, everyMs: number, onError: (fault: Error) => void): Recurring {
  let turns = Promise.resolve()
  let waiting = false

  async function turn() {
    waiting = false
    await work()
  }

  function wake() {
    if (waiting) return
    waiting = true
    turns = turns.then(turn).catch(onError)
  }

  const timer = setInterval(wake, everyMs).unref()
  wake()
  return {
    wake,
    async stop() {
      clearInterval(timer)
      await turns
    }
  }
}

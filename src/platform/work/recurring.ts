export interface Recurring {
  /** Runs the work now, or once more after the current run. */
  wake(): void
  /** Waits for the current run and starts no other. */
  stop(): Promise<void>
}

/** Runs the work at once, then every `everyMs` and whenever woken. Runs never overlap. */
export function openRecurring(work: () => Promise<void>, everyMs: number, onError: (error: Error) => void): Recurring {
  let turns = Promise.resolve()
  let waiting = false
  let stopped = false

  async function turn() {
    waiting = false
    await work()
  }

  function wake() {
    if (waiting || stopped) return
    waiting = true
    turns = turns.then(turn).catch(onError)
  }

  const timer = setInterval(wake, everyMs).unref()
  wake()
  return {
    wake,
    async stop() {
      stopped = true
      clearInterval(timer)
      await turns
    }
  }
}

import { setImmediate } from 'node:timers/promises'

/** The longest time that one piece of work holds the event loop, so that a few beside each other delay a request by less than 100 ms. */
const MAX_HELD_MS = 15

/** Returns a function for long work to call between its steps. It lets other work go on if this has held the event loop long enough. */
export function openPauses(): () => Promise<void> | undefined {
  let since = performance.now()

  async function pause() {
    await setImmediate()
    since = performance.now()
  }

  return () => (performance.now() - since < MAX_HELD_MS ? undefined : pause())
}

import { setTimeout } from 'node:timers/promises'

/** A job that yields to requests waits this many times as long as it works. */
const REST = 3

/** Does a piece of work, then waits three times as long as it took, or until the job is stopped. Returns what the work returns. */
export async function atEase<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  const startedAt = performance.now()
  const result = await work()
  const took = performance.now() - startedAt
  await setTimeout(took * REST, undefined, { signal }).catch(() => undefined)
  return result
}

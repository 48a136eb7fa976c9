import { setTimeout } from 'node:timers/promises'

/** Of the time of a job that yields to requests, the part in which it works. */
const SHARE = 0.25

/** Does a piece of work, then waits three times as long as it took, or until the job is stopped. Returns what the work returns. */
export async function atEase<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  const startedAt = performance.now()
  const result = await work()
  const took = performance.now() - startedAt
  await setTimeout(took * (1 / SHARE - 1), undefined, { signal }).catch(() => undefined)
  return result
}

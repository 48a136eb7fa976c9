import { within } from '../core/within.ts'
import { DatabaseUnavailable } from './unavailable.ts'

/**
 * The longest time that a caller waits for its turn, in milliseconds: half of the time for an answer. A caller that waits for longer could make
 * its change after its client has got a 503.
 */
const MAX_WAIT_MS = 15_000

/** Runs callers with the same key one after another, in the order of their calls, and those without a key at once. */
export function openTurns(maxWaitMs = MAX_WAIT_MS) {
  const last = new Map<string, Promise<void>>()

  return async <T>(key: string | undefined, run: () => Promise<T>): Promise<T> => {
    if (key === undefined) return await run()
    const before = last.get(key)
    const { promise: done, resolve: end } = Promise.withResolvers<void>()
    const turn = before ? before.then(() => done) : done
    last.set(key, turn)
    // Not when this caller ends: one that gave up leaves others before it.
    void turn.then(() => last.get(key) === turn && last.delete(key))
    try {
      if (before) await within(maxWaitMs, before).catch(giveUp)
      return await run()
    } finally {
      end()
    }
  }
}

function giveUp(): never {
  throw new DatabaseUnavailable('pool_full')
}
